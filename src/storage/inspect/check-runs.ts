import { bytesEqual } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import { bytesToWords, compareEntries, countShape, placeShape } from "../lsm/entry.ts";
import type { ChunkKey, SortedRun } from "../lsm/layout.ts";
import { isComplete } from "../lsm/sorted-run.ts";
import { TAG_LENGTH } from "../lsm/tree.ts";
import { counters } from "../tables.ts";

export type Report = (table: string, problem: string) => void;

const counterTrees: ReadonlySet<number> = new Set(Object.values(counters).map(({ tree }) => tree.id));

interface FoundRun {
  entries: number;
  /** First tag of each chunk. */
  readonly tags: Uint8Array[];
  /** Number of fence pointers. */
  fences: number;
}

/** Checks sorted runs. Expects all runs, then all chunks, then all fence pointers. Invalid rows throw RangeError. */
export class CheckedRuns {
  readonly #report: Report;
  readonly #listed = new Map<string, SortedRun>();
  readonly #found = new Map<string, FoundRun>();

  constructor(report: Report) {
    this.#report = report;
  }

  addRuns(tree: number, runs: readonly SortedRun[]): void {
    // An unfinished run grows with each commit.
    for (const run of runs) if (isComplete(run)) this.#listed.set(`${tree}/${run.number}`, run);
  }

  addChunk({ tree, run, chunk }: ChunkKey, bytes: Uint8Array): void {
    const shape = counterTrees.has(tree) ? countShape : placeShape;
    const words = bytesToWords(bytes);
    if (words.length === 0 || words.length % shape.width !== 0) throw new RangeError("incomplete entries");
    for (let at = shape.width; at < words.length; at += shape.width)
      if (compareEntries(words, at - shape.width, words, at, shape) > 0)
        throw new RangeError(`entries of chunk ${chunk} are out of order`);
    const found = this.#foundRun(tree, run);
    found.entries += words.length / shape.width;
    found.tags.push(bytes.subarray(0, TAG_LENGTH));
  }

  addFences({ tree, run, chunk }: ChunkKey, bytes: Uint8Array): void {
    const found = this.#foundRun(tree, run);
    if (!this.#listed.has(`${tree}/${run}`)) return;
    for (let at = 0; at < bytes.length; at += TAG_LENGTH) {
      const tag = found.tags[chunk + at / TAG_LENGTH];
      if (tag === undefined || !bytesEqual(tag, bytes.subarray(at, at + TAG_LENGTH)))
        throw new RangeError(`chunk ${chunk + at / TAG_LENGTH} begins with another tag`);
    }
    found.fences += bytes.length / TAG_LENGTH;
  }

  end(): void {
    for (const [name, { count }] of this.#listed) {
      const { entries, tags, fences } = this.#found.get(name) ?? { entries: 0, tags: [], fences: 0 };
      if (entries !== count) this.#report("runChunks", `run ${name} has ${entries} of ${count} entries`);
      if (fences !== tags.length)
        this.#report("fencePointers", `run ${name} has ${fences} of ${tags.length} tags`);
    }
  }

  #foundRun(tree: number, run: number): FoundRun {
    return getOrInsert(this.#found, `${tree}/${run}`, () => ({ entries: 0, tags: [], fences: 0 }));
  }
}
