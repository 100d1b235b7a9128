import type { BlockScan } from "../../blocks/block.ts";

export interface SourceBlock {
  /** In a received extension, the block's index instead. */
  readonly height: number;
  readonly bytes: Uint8Array;
  /** Set if the source has scanned the bytes. */
  readonly scan?: BlockScan | undefined;
  /** True if the block's own signature is known to be valid. */
  readonly isSigned?: true | undefined;
  /** True: signatures and scripts are assumed valid. */
  readonly isTrusted?: true | undefined;
  /** Progress after this block: bytes of the file, or the block's height. */
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
