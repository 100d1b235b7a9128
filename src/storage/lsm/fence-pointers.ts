import { lowerBound } from "../../collections/binary-search.ts";
import type { Reader } from "../kv.ts";
import { tables } from "../tables.ts";
import { bytesToWords } from "./entry.ts";
import type { SortedRun } from "./layout.ts";
import { chunkCount, MissingChunkError } from "./sorted-run.ts";

/** Caches the fence pointers of complete runs, which never change. */
export class FencePointers {
  readonly #fences = new Map<string, Uint32Array>();

  /**
   * Returns the first tag (two words) of each chunk of a run.
   * @throws MissingChunkError if the run does not exist
   */
  get(rows: Reader, tree: number, { number: run, count }: SortedRun): Uint32Array {
    const name = `${tree}/${run}`;
    let fence = this.#fences.get(name);
    if (fence === undefined) {
      fence = new Uint32Array(chunkCount(count) * 2);
      let length = 0;
      const bounds = { from: { tree, run, chunk: 0 }, to: { tree, run: run + 1, chunk: 0 } };
      for (const [{ chunk }, bytes] of rows.range(tables.fencePointers, bounds)) {
        if (chunk * 2 !== length || length + bytes.length / 4 > fence.length) break;
        fence.set(bytesToWords(bytes), length);
        length += bytes.length / 4;
      }
      if (length < fence.length) throw new MissingChunkError(tree, run, length / 2);
      this.#fences.set(name, fence);
    }
    return fence;
  }

  /** If the cache is large, removes cached runs of a tree that are not in `runs`. */
  trim(tree: number, runs: readonly SortedRun[]): void {
    if (this.#fences.size < 64 + 4 * runs.length) return;
    const present = new Set(runs.map(({ number }) => `${tree}/${number}`));
    for (const name of this.#fences.keys()) {
      if (name.startsWith(`${tree}/`) && !present.has(name)) this.#fences.delete(name);
    }
  }
}

/** Returns the first chunk whose first tag is at or above the tag (`high`, `low`); if `beyond` is true, only above. */
export function firstChunkFrom(fence: Uint32Array, high: number, low: number, beyond: boolean): number {
  const limit = beyond ? low + 1 : low;
  return lowerBound(0, fence.length / 2, (chunk) => {
    const word = fence[chunk * 2];
    return word < high || (word === high && fence[chunk * 2 + 1] < limit);
  });
}
