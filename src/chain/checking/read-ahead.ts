import { type BlockScan, scanBlock } from "../../blocks/block.ts";
import { BlockParseError } from "../../blocks/errors.ts";
import type { Result } from "../../errors/result.ts";
import type { Log } from "../../interfaces.ts";
import type { ScriptRun } from "../../ledger/scripts/script-verdicts.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { Preverifier } from "../../verification/ahead.ts";
import { type CheckedBlock, checkedBlock, trustedBlock } from "../../verification/checked-block.ts";
import { VerificationBatch } from "../../verification/verification-batch.ts";
import type { BatchStream, Verifier } from "../../verification/verifier.ts";
import { type TimeSlice, yieldToEventLoop } from "../writing/time-slice.ts";
import { type BlockSource, BlockSourceError, type SourceBlock } from "./block-source.ts";

const MAX_BATCHES = 8;
const BATCH_CAPACITY = { bytes: 512 * 1024, blocks: 512, transactions: 8_192 };

export interface ScannedBlock extends SourceBlock {
  readonly scan: BlockScan;
}

export interface BatchInFlight {
  /** Undefined if the blocks are trusted. */
  readonly batch: VerificationBatch | undefined;
  readonly blocks: readonly ScannedBlock[];
  readonly checked: Promise<void>;
}

export interface SourceFailure {
  readonly height: number;
  readonly reason: string;
}

export interface ReadAheadOptions {
  readonly maxBatches?: number | undefined;
  /** Batches to reuse; `ReadAhead` adds released ones. */
  readonly freeBatches?: VerificationBatch[] | undefined;
  readonly log?: Log | undefined;
}

/** An error says why the bytes are not a block. */
export function decodeBlock(
  { batch, blocks }: BatchInFlight,
  index: number,
  network: NetworkRules,
): Result<CheckedBlock, string> {
  const block = blocks[index];
  return batch === undefined ? trustedBlock(block, network) : checkedBlock(batch, index, block, network);
}

/** All blocks share this source id, so that their scripts run in order. */
const SCRIPT_SOURCE = "blocks";

/** Reads blocks and checks their signatures in threads, ahead of the writer. */
export class ReadAhead {
  readonly #source: BlockSource;
  readonly #verifier: Verifier;
  readonly #preverifier: Preverifier;
  readonly #stream: BatchStream;
  readonly #freeBatches: VerificationBatch[];
  #freeSlots: number;
  readonly #inFlight: BatchInFlight[] = [];
  /** A block that was read but is not in a batch yet. */
  #nextBlock: ScannedBlock | undefined;
  #arrivalOfNext: Promise<void> | undefined;
  #ended = false;
  /** An unexpected error of the source; `next` throws it. */
  #fault: unknown;
  /** Why the source ended early. */
  failure: SourceFailure | undefined;

  constructor(
    source: BlockSource,
    verifier: Verifier,
    { maxBatches = MAX_BATCHES, freeBatches = [], log }: ReadAheadOptions = {},
  ) {
    this.#source = source;
    this.#verifier = verifier;
    this.#preverifier = new Preverifier(verifier, log);
    this.#stream = verifier.stream();
    this.#freeBatches = freeBatches;
    this.#freeSlots = maxBatches;
  }

  async next(): Promise<BatchInFlight | undefined> {
    for (;;) {
      this.prefetch();
      const first = this.#inFlight.shift();
      if (first !== undefined) return first;
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#arrivalOfNext === undefined) return undefined;
      await this.#arrivalOfNext;
    }
  }

  /** Waits for a batch. This thread helps with the checks. */
  async waitUntilChecked({ batch, checked }: BatchInFlight, slice?: TimeSlice): Promise<void> {
    if (batch === undefined) return;
    while (!this.#stream.assist(batch, () => slice?.isOver === true)) await slice?.yield();
    await checked;
  }

  /** @throws what `slice` throws */
  async runScripts(runs: readonly ScriptRun[], slice?: TimeSlice): Promise<void> {
    await this.#preverifier.runBlockScripts(SCRIPT_SOURCE, runs, async () => {
      if (!this.#verifier.runNextScript(SCRIPT_SOURCE)) return false;
      await yieldToEventLoop();
      slice?.restart();
      return true;
    });
    slice?.restart();
  }

  /** Frees a batch of applied blocks. */
  release({ batch }: BatchInFlight): void {
    if (batch !== undefined) this.#freeBatches.push(batch);
    this.#freeSlots++;
  }

  cancel(): void {
    this.#ended = true;
    this.#nextBlock = undefined;
    // Threads write to a batch until it is checked.
    for (const { batch, checked } of this.#inFlight.splice(0))
      checked.then(
        () => batch && this.#freeBatches.push(batch),
        () => {},
      );
  }

  prefetch(): void {
    for (; this.#freeSlots > 0; this.#freeSlots--) {
      const first = this.#read();
      if (first === undefined) return;
      this.#inFlight.push(first.isTrusted === true ? this.#collectTrusted(first) : this.#startCheck(first));
    }
  }

  #collectTrusted(first: ScannedBlock): BatchInFlight {
    const blocks: ScannedBlock[] = [];
    let bytes = 0;
    for (let block: ScannedBlock | undefined = first; block !== undefined; block = this.#read()) {
      bytes += block.bytes.length;
      const isFull = bytes > BATCH_CAPACITY.bytes || blocks.length === BATCH_CAPACITY.blocks;
      if (blocks.length > 0 && (isFull || block.isTrusted !== true)) {
        this.#nextBlock = block;
        break;
      }
      blocks.push(block);
    }
    return { batch: undefined, blocks, checked: Promise.resolve() };
  }

  #startCheck(first: ScannedBlock): BatchInFlight {
    let batch = this.#freeBatches.pop() ?? VerificationBatch.create(BATCH_CAPACITY);
    const blocks: ScannedBlock[] = [];
    batch.clear();
    for (let block: ScannedBlock | undefined = first; block !== undefined; block = this.#read()) {
      if (block.isTrusted === true) {
        this.#nextBlock = block;
        break;
      }
      if (!batch.addBlock(block.bytes, block.scan, block.isSigned)) {
        if (blocks.length > 0) {
          this.#nextBlock = block;
          break;
        }
        batch = largeBatchFor(block);
        batch.clear();
        batch.addBlock(block.bytes, block.scan, block.isSigned);
      }
      blocks.push(block);
    }
    const checked = this.#stream.check(batch);
    // Avoids an unhandled rejection until `checked` is awaited.
    checked.catch(() => {});
    return { batch, blocks, checked };
  }

  #read(): ScannedBlock | undefined {
    const waiting = this.#nextBlock;
    if (waiting !== undefined) {
      this.#nextBlock = undefined;
      return waiting;
    }
    if (this.#ended || this.#arrivalOfNext !== undefined) return undefined;
    try {
      const next = this.#source.next();
      if (!(next instanceof Promise)) return this.#scan(next);
      this.#arrivalOfNext = this.#awaitNext(next);
    } catch (error) {
      this.#endWith(error);
    }
    return undefined;
  }

  async #awaitNext(next: Promise<SourceBlock | undefined>): Promise<void> {
    try {
      this.#nextBlock = this.#scan(await next);
    } catch (error) {
      this.#endWith(error);
    } finally {
      this.#arrivalOfNext = undefined;
    }
  }

  #scan(block: SourceBlock | undefined): ScannedBlock | undefined {
    if (block === undefined) {
      this.#ended = true;
      return undefined;
    }
    try {
      const { height, bytes, end, scan = scanBlock(bytes), isSigned, isTrusted } = block;
      return { height, bytes, end, scan, isSigned, isTrusted };
    } catch (error) {
      if (!(error instanceof BlockParseError)) throw error;
      throw new BlockSourceError(block.height, `Invalid block bytes: ${error.message}`);
    }
  }

  #endWith(error: unknown): void {
    this.#ended = true;
    if (!(error instanceof BlockSourceError)) this.#fault = error;
    else this.failure = { height: error.height, reason: error.message };
  }
}

function largeBatchFor({ bytes, scan }: ScannedBlock): VerificationBatch {
  return VerificationBatch.create({
    bytes: Math.max(BATCH_CAPACITY.bytes, 2 ** Math.ceil(Math.log2(bytes.length))),
    blocks: BATCH_CAPACITY.blocks,
    transactions: Math.max(BATCH_CAPACITY.transactions, scan.offsets.length / 2),
  });
}
