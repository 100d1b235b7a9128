import { type BlockScan, scanBlock } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import type { Log } from "../../interfaces.ts";
import type { ScriptRun } from "../../ledger/scripts/script-verdicts.ts";
import { Preverifier } from "../../verification/ahead.ts";
import { VerificationBatch } from "../../verification/verification-batch.ts";
import type { BatchStream, Verifier } from "../../verification/verifier.ts";
import { type TimeSlice, yieldToEventLoop } from "../writing/time-slice.ts";
import { type BlockSource, BlockSourceError, type SourceBlock } from "./block-source.ts";

/** Batches in flight and their capacity: together 50 to 100 blocks of 300 transactions. */
const BATCHES = 8;
const BATCH_ROOM = { bytes: 512 * 1024, blocks: 512, transactions: 8_192 };

export interface ReadBlock extends SourceBlock {
  readonly scan: BlockScan;
}

export interface BatchInFlight {
  readonly batch: VerificationBatch;
  readonly blocks: readonly ReadBlock[];
  readonly checked: Promise<void>;
}

export interface SourceFailure {
  readonly height: number;
  readonly reason: string;
}

export interface ReadAheadOptions {
  readonly batches?: number | undefined;
  /** Batches for reuse. Several sources may share them. */
  readonly freeBatches?: VerificationBatch[] | undefined;
  readonly log?: Log | undefined;
}

/** One queue for all blocks, so that their scripts run in order. */
const SCRIPTS = "blocks";

export class ReadAhead {
  readonly #source: BlockSource;
  readonly #verifier: Verifier;
  readonly #ahead: Preverifier;
  readonly #stream: BatchStream;
  readonly #freeBatches: VerificationBatch[];
  #left: number;
  readonly #inFlight: BatchInFlight[] = [];
  #waiting: ReadBlock | undefined;
  #promised: Promise<void> | undefined;
  #ended = false;
  #fault: unknown;
  /** Set if the source ended with an error. Report it after all earlier blocks are applied. */
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
   * Waits until the blocks are verified, and helps to verify them.
   * @param slice yields to other work when it is over; by default without a pause
   */
  async waitUntilChecked({ batch, checked }: BatchInFlight, slice?: TimeSlice): Promise<void> {
    while (!this.#stream.assist(batch, () => slice?.isOver === true)) await slice?.yield();
    await checked;
  }

  /** @throws what `slice` throws */
  async runScripts(runs: readonly ScriptRun[], slice?: TimeSlice): Promise<void> {
    await this.#ahead.runBlockScripts(SCRIPTS, runs, async () => {
      if (!this.#verifier.runNextScript(SCRIPTS)) return false;
      await yieldToEventLoop();
      slice?.restart();
      return true;
    });
    slice?.restart();
  }

  /** Call this once all blocks of the batch are applied. */
  release({ batch }: BatchInFlight): void {
    this.#freeBatches.push(batch);
    this.#left++;
  }

  /** Discards all batches. Running checks go on for a while. */
  cancel(): void {
    this.#ended = true;
    this.#waiting = undefined;
    // Threads write into the memory until they are done. If they fail, the memory is not reused.
    for (const { batch, checked } of this.#inFlight.splice(0))
      checked.then(
        () => this.#freeBatches.push(batch),
        () => {},
      );
  }

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
    // Avoids an unhandled rejection until `checked` is awaited.
    checked.catch(() => {});
    return { batch, blocks, checked };
  }

  /** Returns the next available block; undefined at the end, or while the source waits. */
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
      throw new BlockSourceError(block.height, `Invalid block bytes: ${error.message}`);
    }
  }

  #end(error: unknown): void {
    this.#ended = true;
    if (!(error instanceof BlockSourceError)) this.#fault = error;
    else this.failure = { height: error.height, reason: error.message };
  }
}

/**
 * Creates a batch for one large block, in place of the usual one, and reuses it: threads seldom collect shared
 * memory, so new batches would pile up.
 */
function roomFor({ bytes, scan }: ReadBlock): VerificationBatch {
  return VerificationBatch.create({
    bytes: Math.max(BATCH_ROOM.bytes, 2 ** Math.ceil(Math.log2(bytes.length))),
    blocks: BATCH_ROOM.blocks,
    transactions: Math.max(BATCH_ROOM.transactions, scan.offsets.length / 2),
  });
}
