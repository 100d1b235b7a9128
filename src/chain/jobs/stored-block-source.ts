import { reasonOf } from "../../bytes/errors.ts";
import type { Reader } from "../../storage/kv.ts";
import { BlockSourceError, type SourceBlock } from "../checking/block-source.ts";
import { storedBlockBytes } from "../reading/rows.ts";

/** Heights 2 to `upTo`. */
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
        // Any error in the stored rows is a fault of this block.
        throw new BlockSourceError(height, `Cannot read the stored block: ${reasonOf(error)}`);
      }
    },
  };
}
