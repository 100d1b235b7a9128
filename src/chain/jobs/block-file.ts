/** Files of blocks, as the reference node exports them: `i32 length ‖ block bytes` for blocks 2, 3, … Page 03 §12.8. */
import { type BlockSource, BlockSourceError, type SourceBlock } from "../checking/block-source.ts";

/** Where a file's bytes come from. */
export interface ByteSource {
  /** Length in bytes. */
  readonly size: number;
  /** Fills `target` from a position on; the number of bytes read: 0 at the end, and as many as it likes elsewhere. */
  read(target: Uint8Array, position: number): number;
}

/** The file is not a file of blocks, or not one of this chain. */
export class BlockFileError extends BlockSourceError {
  override readonly name = "BlockFileError";
}

/** Bytes of the length in front of each block. */
export const LENGTH_FIELD = 4;
/** Blocks hold a mebibyte of transactions, and their lengths: an entry beyond this is none. */
const MAX_BLOCK_LENGTH = 16 * 1024 * 1024;
/** What is read at once. */
const READ_AHEAD = 1024 * 1024;

/** Walks through the blocks of a file, which begin with height 2. */
export class BlockFile implements BlockSource {
  readonly #source: ByteSource;
  #window = new Uint8Array(0);
  /** Position of the window in the file. */
  #start = 0;
  #position = 0;
  #height = 1;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Height of the block that was read last; 1 before the first. */
  get height(): number {
    return this.#height;
  }

  /**
   * The next block, whose `end` is the position behind it; undefined at the end of the file.
   * @throws BlockFileError when the file ends within it, or its length cannot be one
   */
  next(): SourceBlock | undefined {
    const length = this.#length();
    if (length === undefined) return undefined;
    const at = this.#load(this.#position + LENGTH_FIELD, length);
    const bytes = this.#window.subarray(at, at + length);
    this.#position += LENGTH_FIELD + length;
    this.#height++;
    return { height: this.#height, bytes, end: this.#position };
  }

  /**
   * Passes over the next block; false at the end of the file.
   * @throws BlockFileError as `next`
   */
  skip(): boolean {
    const length = this.#length();
    if (length === undefined) return false;
    const end = this.#position + LENGTH_FIELD + length;
    if (end > this.#source.size) this.#cutShort();
    this.#position = end;
    this.#height++;
    return true;
  }

  /** Goes back to before the block that was read last. */
  stepBack(last: SourceBlock): void {
    this.#position = last.end - LENGTH_FIELD - last.bytes.length;
    this.#height = last.height - 1;
  }

  /** Length of the next block; undefined at the end of the file. */
  #length(): number | undefined {
    if (this.#position === this.#source.size) return undefined;
    const at = this.#load(this.#position, LENGTH_FIELD);
    const view = new DataView(this.#window.buffer, this.#window.byteOffset + at, LENGTH_FIELD);
    const length = view.getInt32(0);
    if (length < 0 || length > MAX_BLOCK_LENGTH)
      throw new BlockFileError(
        this.#height + 1,
        `This is not a file of blocks: at byte ${this.#position} it says that block ${this.#height + 1} has ${length} bytes`,
      );
    return length;
  }

  /** Brings bytes of the file into the window; their index in it. */
  #load(position: number, length: number): number {
    const offset = position - this.#start;
    if (offset >= 0 && offset + length <= this.#window.length) return offset;
    const available = Math.min(Math.max(length, READ_AHEAD), this.#source.size - position);
    if (available < length) this.#cutShort();
    // A new window each time: blocks handed out are views of the old ones.
    const window = new Uint8Array(available);
    let got = 0;
    // Systems may give less than they are asked for, in the middle of a file too.
    while (got < length) {
      const more = this.#source.read(window.subarray(got), position + got);
      if (more === 0) this.#cutShort();
      got += more;
    }
    this.#window = got < available ? window.subarray(0, got) : window;
    this.#start = position;
    return 0;
  }

  #cutShort(): never {
    throw new BlockFileError(this.#height + 1, `The file ends within block ${this.#height + 1}`);
  }
}
