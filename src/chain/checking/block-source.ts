import type { BlockScan } from "../../blocks/block.ts";

export interface SourceBlock {
  readonly height: number;
  readonly bytes: Uint8Array;
  /** Set if the source has scanned the bytes. */
  readonly scan?: BlockScan | undefined;
  /** True if the block's own signature is known to be valid. */
  readonly isSigned?: true | undefined;
  /** True to assume valid signatures and scripts without checking them. */
  readonly isTrusted?: true | undefined;
  /** Position after this block: bytes of a file, or a height. */
  readonly end: number;
}

export interface BlockSource {
  /**
   * Returns undefined at the end. Await a returned promise before the next call.
   * @throws BlockSourceError if the block cannot be read
   */
  next(): SourceBlock | undefined | Promise<SourceBlock | undefined>;
}

export class BlockSourceError extends Error {
  override readonly name: string = "BlockSourceError";
  readonly height: number;
  constructor(height: number, message: string) {
    super(message);
    this.height = height;
  }
}
