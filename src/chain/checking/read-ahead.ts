/** Blocks on their way through the checks, ahead of the writer. */
import { type BlockScan, scanBlock } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import type { Log } from "../../interfaces.ts";
import type { ScriptRun } from "../../ledger/scripts/script-verdicts.ts";
import { Preverifier } from "../../verification/preverifier.ts";
import { VerificationBatch } from "../../verification/verification-batch.ts";
import type { BatchStream, Verifier } from "../../verification/verifier.ts";
import { type TimeSlice, yieldToEventLoop } from "../writing/time-slice.ts";
import { type BlockSource, BlockSourceError, type SourceBlock } from "./block-source.ts";

/** Batches that are checked ahead, and their size: together 50 to 100 blocks of 300 transactions. */
const BATCHES = 8;
const BATCH_ROOM = { bytes: 512 * 1024, blocks: 512, transactions: 8_192 };

export interface ReadBlock extends SourceBlock {
  readonly scan: BlockScan;
}

/** Blocks that are being checked, or are checked and not yet applied. */
export interface BatchInFlight {
  readonly batch: VerificationBatch;
  readonly blocks: readonly ReadBlock[];
  readonly checked: Promise<void>;
}

/** Why the blocks cannot be followed further, and at which one. */
export interface SourceFailure {
  readonly height: number;
  readonly reason: string;
}

/** How much one source may have checked ahead, and with which memory. */
export interface ReadAheadOptions {
  /** Batches in flight at most. */
  readonly batches?: number | undefined;
  /** Free batches, which are used again. Several sources may share them. */
  readonly freeBatches?: VerificationBatch[] | undefined;
  readonly log?: Log | undefined;
}

/** All blocks come one after the other. */
const SCRIPTS = "blocks";

/** Keeps the checkers busy: as many batches are in flight as it may have. */
export class ReadAhead {
  readonly #source: BlockSource;
  readonly #verifier: Verifier;
  readonly #ahead: Preverifier;
  readonly #stream: BatchStream;
  readonly #freeBatches: VerificationBatch[];
  /** Batches that may be taken yet. */
  #left: number;
  readonly #inFlight: BatchInFlight[] = [];
  #waiting: ReadBlock | undefined;
  /** Set while the source waits for a block itself. */
  #promised: Promise<void> | undefined;
  #ended = false;
  /** What is wrong with the source itself. */
  #fault: unknown;
  /** Set once the source cannot be followed further, to be told when all before it is applied. */
  failure: SourceFailure | undefined;

  constructor(
    source: BlockSource,
    verifier: Verifier,
    { batches = BATCHES, freeBatches = [], log }: ReadAheadOptions = {},
  ) {
    this.#source = source;
    this.#verifier = verifier;
    this.#ahead = new Preverifier(verifier, log);
    this.#stream = verifier.stream();
    this.#freeBatches = freeBatches;
    this.#left = batches;
  }

  /** The next blocks in order; undefined when there are no more. */
  async next(): Promise<BatchInFlight | undefined> {
    for (;;) {
      this.prefetch();
      const first = this.#inFlight.shift();
      if (first !== undefined) return first;
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#promised === undefined) return undefined;
      await this.#promised;
    }
  }

  /**
   * Waits until the blocks are checked, with whatever this thread can do for it.
   * @param pace when others are to have their turn; by default only where all is begun
   */
  async waitUntilChecked({ batch, checked }: BatchInFlight, pace?: TimeSlice): Promise<void> {
    while (!this.#stream.assist(batch, () => pace?.isOver === true)) await pace?.yield();
    await checked;
  }

  /** Runs the scripts of a block in the threads, and in this one meanwhile. @throws what `pace` throws */
  async runScripts(runs: readonly ScriptRun[], pace?: TimeSlice): Promise<void> {
    await this.#ahead.runBlockScripts(SCRIPTS, runs, async () => {
      if (!this.#verifier.runNextScript(SCRIPTS)) return false;
      await yieldToEventLoop();
      pace?.restart();
      return true;
    });
    pace?.restart();
  }

  /** The memory may be used again: all of the blocks are applied. */
  release({ batch }: BatchInFlight): void {
    this.#freeBatches.push(batch);
    this.#left++;
  }

  /** Nobody wants the rest. What is being checked already goes on for a while. */
  cancel(): void {
    this.#ended = true;
    this.#waiting = undefined;
    // Threads write into the memory until they are done; where they fail it is not used again.
    for (const { batch, checked } of this.#inFlight.splice(0))
      checked.then(
        () => this.#freeBatches.push(batch),
        () => {},
      );
  }

  /** Starts checks until as many batches are in flight as may be. */
  prefetch(): void {
    for (; this.#left > 0; this.#left--) {
      const memory = this.#freeBatches.pop() ?? VerificationBatch.create(BATCH_ROOM);
      const started = this.#start(memory);
      if (started === undefined) {
        this.#freeBatches.push(memory);
        return;
      }
      this.#inFlight.push(started);
    }
  }

  #start(memory: VerificationBatch): BatchInFlight | undefined {
    let batch = memory;
    const blocks: ReadBlock[] = [];
    batch.clear();
    for (let block = this.#read(); block !== undefined; block = this.#read()) {
      if (!batch.addBlock(block.bytes, block.scan, block.isSigned)) {
        if (blocks.length > 0) {
          this.#waiting = block;
          break;
        }
        batch = roomFor(block);
        batch.clear();
        batch.addBlock(block.bytes, block.scan, block.isSigned);
      }
      blocks.push(block);
    }
    if (blocks.length === 0) return undefined;
    const checked = this.#stream.check(batch);
    // It is waited for later; until then its failure is nobody's.
    checked.catch(() => {});
    return { batch, blocks, checked };
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
  async #arrival(next: Promise<SourceBlock | undefined>): Promise<void> {
    try {
      this.#waiting = this.#scanned(await next);
    } catch (error) {
      this.#end(error);
    } finally {
      this.#promised = undefined;
    }
  }

  #scanned(block: SourceBlock | undefined): ReadBlock | undefined {
    if (block === undefined) {
      this.#ended = true;
      return undefined;
    }
    try {
      return { ...block, scan: block.scan ?? scanBlock(block.bytes) };
    } catch (error) {
      if (!(error instanceof BlockParseError)) throw error;
      throw new BlockSourceError(block.height, `Its bytes are no block: ${error.message}`);
    }
  }

  #end(error: unknown): void {
    this.#ended = true;
    if (!(error instanceof BlockSourceError)) this.#fault = error;
    else this.failure = { height: error.height, reason: error.message };
  }
}

/**
 * Room for a block that is larger than others. It takes the place of the smaller batch: the threads hold shared memory
 * until they collect garbage, which they seldom do, so that one of its own for each full block would pile up.
 */
function roomFor({ bytes, scan }: ReadBlock): VerificationBatch {
  return VerificationBatch.create({
    bytes: Math.max(BATCH_ROOM.bytes, 2 ** Math.ceil(Math.log2(bytes.length))),
    blocks: BATCH_ROOM.blocks,
    transactions: Math.max(BATCH_ROOM.transactions, scan.offsets.length / 2),
  });
}
