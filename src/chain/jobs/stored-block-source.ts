import { reasonOf } from "../../bytes/errors.ts";
import type { Reader } from "../../storage/kv.ts";
import { BlockSourceError, type SourceBlock } from "../checking/block-source.ts";
import { storedBlockBytes } from "../reading/rows.ts";

export type ReaderAccess = <T>(read: (reader: Reader) => T) => T;

/**
 * Returns the stored blocks 2 to `upTo`.
 * @param stored a snapshot; or a function, so that a slow caller keeps no snapshot
 */
export function storedBlockSource(
  stored: Reader | ReaderAccess,
  upTo: number,
): { next(): SourceBlock | undefined } {
  const reading: ReaderAccess = typeof stored === "function" ? stored : (read) => read(stored);
  let height = 1;
  return {
    next() {
      if (height >= upTo) return undefined;
      height++;
      try {
        const bytes = reading((reader) => storedBlockBytes(reader, height));
        if (bytes === undefined) throw new RangeError("it is missing");
        return { height, bytes, end: height };
      } catch (error) {
        throw new BlockSourceError(height, `Cannot read the stored block: ${reasonOf(error)}`);
      }
    },
  };
}
