/** Sources of blocks that are verified ahead of the writer: a file, a store, a peer. */
import type { BlockScan } from "../../blocks/block.ts";

export interface SourceBlock {
  readonly height: number;
  /** A view that does not change. */
  readonly bytes: Uint8Array;
  /** The result of `scanBlock`, if known. */
  readonly scan?: BlockScan | undefined;
  /** The block's own signature is valid for these bytes, and is not checked again. */
  readonly isSigned?: true | undefined;
  readonly end: number;
}

export interface BlockSource {
  /**
   * Returns the next block; undefined at the end. A source that has to wait returns a promise, and is not called
   * again before it resolves.
   * @throws BlockSourceError if the block cannot be read
   */
  next(): SourceBlock | undefined | Promise<SourceBlock | undefined>;
}

/** A source cannot provide a block, or the block is not readable. */
export class BlockSourceError extends Error {
  override readonly name: string = "BlockSourceError";
  readonly height: number;
  constructor(height: number, message: string) {
    super(message);
    this.height = height;
  }
}
