/** Where blocks come from that are checked ahead of the writer: a file, a store, a peer. */
import type { BlockScan } from "../../blocks/block.ts";

/** A block on its way through the checks. */
export interface SourceBlock {
  readonly height: number;
  /** Its bytes in memory of their own: a view that stays as it is. */
  readonly bytes: Uint8Array;
  /** What `scanBlock` finds in them, where that is known. */
  readonly scan?: BlockScan | undefined;
  /** The block's own signature is known to be valid for these bytes: it is not checked again. */
  readonly isSigned?: true | undefined;
  /** How much of the source is done with it. */
  readonly end: number;
}

/** Whole blocks in order. */
export interface BlockSource {
  /**
   * The next one; undefined at the end. A source that has to wait for it (a file never has) promises it, and is asked
   * again when the promise is kept.
   * @throws BlockSourceError when it cannot be had
   */
  next(): SourceBlock | undefined | Promise<SourceBlock | undefined>;
}

/** A source cannot give a block, or gives one that cannot be read. */
export class BlockSourceError extends Error {
  override readonly name: string = "BlockSourceError";
  /** The block that is not as it should be. */
  readonly height: number;
  constructor(height: number, message: string) {
    super(message);
    this.height = height;
  }
}
