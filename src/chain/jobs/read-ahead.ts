/** Blocks on their way through the checks, ahead of the writer. */
import { type BlockScan, scanBlock } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import type { BatchChecker } from "../../verification/batch-checker.ts";
import { SharedBatch } from "../../verification/shared-batch.ts";
import { BlockFileError, type FileBlock } from "./block-file.ts";

/** Batches that are checked ahead, and their size: together 50 to 100 blocks of 300 transactions. */
const BATCHES = 8;
const BATCH_ROOM = { bytes: 512 * 1024, blocks: 512, transactions: 8_192 };

/** Whole blocks in order. */
export interface BlockSource {
  /** The next one; undefined at the end. @throws BlockFileError when it cannot be had */
  next(): FileBlock | undefined;
}

export interface ReadBlock extends FileBlock {
  readonly scan: BlockScan;
}

/** Blocks that are on their way through the checks. */
export interface Flight {
  readonly batch: SharedBatch;
  readonly blocks: readonly ReadBlock[];
  readonly checked: Promise<void>;
  /** The memory that is used again afterwards: that of the batch, unless it was too small. */
  readonly lent: SharedBatch;
}

/** Why the blocks cannot be followed further, and at which one. */
export interface Ending {
  readonly height: number;
  readonly reason: string;
}

/** Keeps the checkers busy: as many batches are under way as there is memory for. */
export class ReadAhead {
  readonly #source: BlockSource;
  readonly #checker: BatchChecker;
  readonly #free: SharedBatch[] = Array.from({ length: BATCHES }, () => SharedBatch.create(BATCH_ROOM));
  readonly #flights: Flight[] = [];
  #waiting: ReadBlock | undefined;
  #serial = 0;
  /** Set once the source cannot be followed further, to be told when all before it is applied. */
  ending: Ending | undefined;

  constructor(source: BlockSource, checker: BatchChecker) {
    this.#source = source;
    this.#checker = checker;
  }

  /** The next blocks in order; undefined when there are no more. */
  next(): Flight | undefined {
    for (let batch = this.#free.pop(); batch !== undefined; batch = this.#free.pop()) {
      const flight = this.#start(batch);
      if (flight === undefined) break;
      this.#flights.push(flight);
    }
    return this.#flights.shift();
  }

  /** Waits until the blocks are checked, with whatever this thread can do for it. */
  async checked(flight: Flight): Promise<void> {
    this.#checker.assist(flight.batch);
    await flight.checked;
  }

  /** The batch may be used again: all of its blocks are applied. */
  release(flight: Flight): void {
    this.#free.push(flight.lent);
  }

  #start(lent: SharedBatch): Flight | undefined {
    let batch = lent;
    const blocks: ReadBlock[] = [];
    batch.begin(++this.#serial);
    for (let block = this.#read(); block !== undefined; block = this.#read()) {
      if (!batch.add(block.bytes, block.scan)) {
        if (blocks.length > 0) {
          this.#waiting = block;
          break;
        }
        batch = roomFor(block);
        batch.begin(this.#serial);
        batch.add(block.bytes, block.scan);
      }
      blocks.push(block);
    }
    if (blocks.length === 0) return undefined;
    batch.publish();
    const checked = this.#checker.check(batch);
    // It is waited for later; until then its failure is nobody's.
    checked.catch(() => {});
    return { batch, blocks, checked, lent };
  }

  /** The next block; undefined at the end. */
  #read(): ReadBlock | undefined {
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      return waiting;
    }
    if (this.ending !== undefined) return undefined;
    let block: FileBlock | undefined;
    try {
      block = this.#source.next();
      return block && { ...block, scan: scanBlock(block.bytes) };
    } catch (error) {
      if (error instanceof BlockFileError) this.ending = { height: error.height, reason: error.message };
      else if (error instanceof BlockParseError && block !== undefined)
        this.ending = { height: block.height, reason: `Its bytes are no block: ${error.message}` };
      else throw error;
      return undefined;
    }
  }
}

/** A batch for one block that is larger than others. */
function roomFor({ bytes, scan }: ReadBlock): SharedBatch {
  return SharedBatch.create({ bytes: bytes.length, blocks: 1, transactions: scan.offsets.length / 2 });
}
