/** The blocks of a store as a source: for building a chain anew, and for checking one. */
import { reasonOf } from "../../bytes/errors.ts";
import type { Reader } from "../../storage/kv.ts";
import { type BlockSource, BlockSourceError, type SourceBlock } from "../checking/block-source.ts";
import { storedBlockBytes } from "../reading/rows.ts";

/** The stored blocks from height 2 up to a height, to be applied once more. */
export class StoredBlockSource implements BlockSource {
  readonly #reader: Reader;
  readonly #upTo: number;
  #height = 1;

  constructor(reader: Reader, upTo: number) {
    this.#reader = reader;
    this.#upTo = upTo;
  }

  next(): SourceBlock | undefined {
    if (this.#height >= this.#upTo) return undefined;
    const height = ++this.#height;
    try {
      const bytes = storedBlockBytes(this.#reader, height);
      if (bytes === undefined) throw new RangeError("it is missing");
      return { height, bytes, end: height };
    } catch (error) {
      // Whatever is wrong with the stored rows, it is about this block.
      const reason = reasonOf(error);
      throw new BlockSourceError(height, `It cannot be read from the store: ${reason}`);
    }
  }
}
