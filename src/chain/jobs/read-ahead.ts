/** Blocks on their way through the checks, ahead of the writer. */
import { type BlockScan, scanBlock } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import { VerificationBatch } from "../../verification/verification-batch.ts";
import type { BatchStream, Verifier } from "../../verification/verifier.ts";
import { BlockFileError, type FileBlock } from "./block-file.ts";

/** Batches that are checked ahead, and their size: together 50 to 100 blocks of 300 transactions. */
const BATCHES = 8;
const BATCH_ROOM = { bytes: 512 * 1024, blocks: 512, transactions: 8_192 };

/** Whole blocks in order. */
export interface BlockSource {
  /**
   * The next one; undefined at the end. A source that has to wait for it (a file never has) promises it, and is asked
   * again when the promise is kept.
   * @throws BlockFileError when it cannot be had
   */
  next(): FileBlock | undefined | Promise<FileBlock | undefined>;
}

export interface ReadBlock extends FileBlock {
  readonly scan: BlockScan;
}

/** Blocks that are being checked, or are checked and not yet applied. */
export interface InFlight {
  readonly batch: VerificationBatch;
  readonly blocks: readonly ReadBlock[];
  readonly checked: Promise<void>;
  /** The memory that is used again afterwards: that of the batch, unless it was too small. */
  readonly memory: VerificationBatch;
}

/** Why the blocks cannot be followed further, and at which one. */
export interface Ending {
  readonly height: number;
  readonly reason: string;
}

/** Keeps the checkers busy: as many batches are in flight as there is memory for. */
export class ReadAhead {
  readonly #source: BlockSource;
  readonly #stream: BatchStream;
  readonly #free: VerificationBatch[] = Array.from({ length: BATCHES }, () =>
    VerificationBatch.create(BATCH_ROOM),
  );
  readonly #inFlight: InFlight[] = [];
  #waiting: ReadBlock | undefined;
  /** Set while the source waits for a block itself. */
  #promised: Promise<void> | undefined;
  #ended = false;
  /** What is wrong with the source itself. */
  #fault: unknown;
  /** Set once the source cannot be followed further, to be told when all before it is applied. */
  ending: Ending | undefined;

  constructor(source: BlockSource, verifier: Verifier) {
    this.#source = source;
    this.#stream = verifier.stream();
  }

  /** The next blocks in order; undefined when there are no more. */
  async next(): Promise<InFlight | undefined> {
    for (;;) {
      this.#fill();
      const first = this.#inFlight.shift();
      if (first !== undefined) return first;
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#promised === undefined) return undefined;
      await this.#promised;
    }
  }

  /** Waits until the blocks are checked, with whatever this thread can do for it. */
  async checked({ batch, checked }: InFlight): Promise<void> {
    this.#stream.assist(batch);
    await checked;
  }

  /** The memory may be used again: all of the blocks are applied. */
  release({ memory }: InFlight): void {
    this.#free.push(memory);
  }

  #fill(): void {
    for (let memory = this.#free.pop(); memory !== undefined; memory = this.#free.pop()) {
      const started = this.#start(memory);
      if (started === undefined) {
        this.#free.push(memory);
        return;
      }
      this.#inFlight.push(started);
    }
  }

  #start(memory: VerificationBatch): InFlight | undefined {
    let batch = memory;
    const blocks: ReadBlock[] = [];
    batch.begin();
    for (let block = this.#read(); block !== undefined; block = this.#read()) {
      if (!batch.add(block.bytes, block.scan)) {
        if (blocks.length > 0) {
          this.#waiting = block;
          break;
        }
        batch = roomFor(block);
        batch.begin();
        batch.add(block.bytes, block.scan);
      }
      blocks.push(block);
    }
    if (blocks.length === 0) return undefined;
    const checked = this.#stream.check(batch);
    // It is waited for later; until then its failure is nobody's.
    checked.catch(() => {});
    return { batch, blocks, checked, memory };
  }

  /** The next block at hand; undefined at the end, and while the source waits. */
  #read(): ReadBlock | undefined {
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      return waiting;
    }
    if (this.#ended || this.#promised !== undefined) return undefined;
    try {
      const next = this.#source.next();
      if (!(next instanceof Promise)) return this.#scanned(next);
      this.#promised = this.#arrival(next);
    } catch (error) {
      this.#end(error);
    }
    return undefined;
  }

  /** Takes a promised block. */
  async #arrival(next: Promise<FileBlock | undefined>): Promise<void> {
    try {
      this.#waiting = this.#scanned(await next);
    } catch (error) {
      this.#end(error);
    } finally {
      this.#promised = undefined;
    }
  }

  #scanned(block: FileBlock | undefined): ReadBlock | undefined {
    if (block === undefined) {
      this.#ended = true;
      return undefined;
    }
    try {
      return { ...block, scan: scanBlock(block.bytes) };
    } catch (error) {
      if (!(error instanceof BlockParseError)) throw error;
      throw new BlockFileError(block.height, `Its bytes are no block: ${error.message}`);
    }
  }

  #end(error: unknown): void {
    this.#ended = true;
    if (!(error instanceof BlockFileError)) this.#fault = error;
    else this.ending = { height: error.height, reason: error.message };
  }
}

/** A batch for one block that is larger than others. */
function roomFor({ bytes, scan }: ReadBlock): VerificationBatch {
  return VerificationBatch.create({
    bytes: bytes.length,
    blocks: 1,
    transactions: scan.offsets.length / 2,
  });
}
