/** The blocks of a store as a source: for building a chain anew, and for checking one. */
import { reasonOf } from "../../bytes/errors.ts";
import type { Reader } from "../../storage/kv.ts";
import { BlockSourceError, type SourceBlock } from "../checking/block-source.ts";
import { storedBlockBytes } from "../reading/rows.ts";

/** Returns the stored blocks from height 2 up to a height, to be applied once more. */
export function storedBlockSource(reader: Reader, upTo: number): { next(): SourceBlock | undefined } {
  let height = 1;
  return {
    next() {
      if (height >= upTo) return undefined;
      height++;
      try {
        const bytes = storedBlockBytes(reader, height);
        if (bytes === undefined) throw new RangeError("it is missing");
        return { height, bytes, end: height };
      } catch (error) {
        // Whatever is wrong with the stored rows, it is about this block.
        throw new BlockSourceError(height, `It cannot be read from the store: ${reasonOf(error)}`);
      }
    },
  };
}
