import { type BlockSource, BlockSourceError, type SourceBlock } from "../checking/block-source.ts";

export interface ByteSource {
  readonly size: number;
  /** Returns the number of bytes read, which may be fewer than requested; 0 only at the end. */
  read(target: Uint8Array, position: number): number;
}

export class BlockFileError extends BlockSourceError {
  override readonly name = "BlockFileError";
}

export const LENGTH_FIELD_BYTES = 4;
/** Valid blocks are shorter. */
const MAX_BLOCK_LENGTH = 16 * 1024 * 1024;
const READ_AHEAD_BYTES = 1024 * 1024;

/** Reads the reference node's export format: `i32 length ‖ block bytes` for blocks 2, 3, … Page 03 §12.8. */
export class BlockFile implements BlockSource {
  readonly #source: ByteSource;
  #buffer = new Uint8Array(0);
  #bufferStart = 0;
  #position = 0;
  #height = 1;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Height of the block before the position; at least 1. */
  get height(): number {
    return this.#height;
  }

  /**
   * Returns undefined at the end of the file.
   * @throws BlockFileError if the file ends within the block, or its length is invalid
   */
  next(): SourceBlock | undefined {
    const length = this.#length();
    if (length === undefined) return undefined;
    const at = this.#load(this.#position + LENGTH_FIELD_BYTES, length);
    const bytes = this.#buffer.subarray(at, at + length);
    this.#position += LENGTH_FIELD_BYTES + length;
    this.#height++;
    return { height: this.#height, bytes, end: this.#position };
  }

  /** Returns false at the end of the file. @throws like `next` */
  skip(): boolean {
    const length = this.#length();
    if (length === undefined) return false;
    const end = this.#position + LENGTH_FIELD_BYTES + length;
    if (end > this.#source.size) this.#failTruncated();
    this.#position = end;
    this.#height++;
    return true;
  }

  copy(): BlockFile {
    const copy = new BlockFile(this.#source);
    copy.#position = this.#position;
    copy.#height = this.#height;
    return copy;
  }

  /** Makes `next` return the last block again. */
  stepBack(last: SourceBlock): void {
    this.#position = last.end - LENGTH_FIELD_BYTES - last.bytes.length;
    this.#height = last.height - 1;
  }

  #length(): number | undefined {
    if (this.#position === this.#source.size) return undefined;
    const at = this.#load(this.#position, LENGTH_FIELD_BYTES);
    const view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset + at, LENGTH_FIELD_BYTES);
    const length = view.getInt32(0);
    if (length < 0 || length > MAX_BLOCK_LENGTH)
      throw new BlockFileError(
        this.#height + 1,
        `Not a block file: invalid length ${length} of block ${this.#height + 1} at byte ${this.#position}`,
      );
    return length;
  }

  #load(position: number, length: number): number {
    const offset = position - this.#bufferStart;
    if (offset >= 0 && offset + length <= this.#buffer.length) return offset;
    const available = Math.min(Math.max(length, READ_AHEAD_BYTES), this.#source.size - position);
    if (available < length) this.#failTruncated();
    // Do not reuse the buffer: returned blocks are views of it.
    const buffer = new Uint8Array(available);
    let loaded = 0;
    while (loaded < length) {
      const count = this.#source.read(buffer.subarray(loaded), position + loaded);
      if (count === 0) this.#failTruncated();
      loaded += count;
    }
    this.#buffer = loaded < available ? buffer.subarray(0, loaded) : buffer;
    this.#bufferStart = position;
    return 0;
  }

  #failTruncated(): never {
    throw new BlockFileError(this.#height + 1, `File is truncated within block ${this.#height + 1}`);
  }
}
