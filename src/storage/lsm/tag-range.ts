import { compareBytes } from "../../bytes/compare.ts";
import { lowerBound } from "../../collections/binary-search.ts";
import { getU32 } from "../codecs.ts";
import type { Reader } from "../kv.ts";
import type { Place } from "../places.ts";
import { ENTRY_BYTES } from "./entry.ts";
import { chunkCount, isComplete, readChunkBytes, sortedRunsOf } from "./sorted-run.ts";
import { type LsmTree, TAG_LENGTH } from "./tree.ts";

/**
 * Returns places of tags in a range, both bounds included, at most `limit` from each run. Finds only committed entries.
 * Some places may be in undone blocks.
 */
export function placesInTagRange(
  rows: Reader,
  { id: tree }: LsmTree,
  { first, last }: { readonly first: Uint8Array; readonly last: Uint8Array },
  limit: number,
): readonly Place[] {
  const places: Place[] = [];
  for (const run of sortedRunsOf(rows, tree)) {
    if (!isComplete(run)) continue;
    const chunks = chunkCount(run.count);
    const read = (chunk: number): Uint8Array => readChunkBytes(rows, tree, run.number, chunk);
    const isBelow = (chunk: number): boolean => compareBytes(read(chunk).subarray(0, TAG_LENGTH), first) < 0;
    let found = 0;
    // The chunk before the first one that begins in the range may end in it: start there.
    for (
      let chunk = Math.max(0, lowerBound(0, chunks, isBelow) - 1);
      chunk < chunks && found < limit;
      chunk++
    ) {
      const bytes = read(chunk);
      for (let at = 0; at < bytes.length && found < limit; at += ENTRY_BYTES) {
        const tag = bytes.subarray(at, at + TAG_LENGTH);
        if (compareBytes(tag, first) < 0) continue;
        if (compareBytes(tag, last) > 0) {
          found = limit;
          break;
        }
        found++;
        places.push({ height: getU32(bytes, at + 8), position: getU32(bytes, at + 12) });
      }
    }
  }
  return places;
}
