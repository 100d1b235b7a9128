/** Page 04 §15.2. */
import { bytesEqual } from "../bytes/compare.ts";
import { cacheVerdicts, hasVerdicts } from "../ledger/verdicts.ts";
import {
  bodyBytes,
  cacheTransactionId,
  definitionOf,
  hasOneSignature,
  isCanonical,
  type NetworkRules,
  reparseTransaction,
  type Transaction,
  TransactionParseError,
  transactionBytes,
} from "../transactions/index.ts";
import { type BatchChecker, CheckerEndedError, ThreadChecker, type ThreadOptions } from "./batch-checker.ts";
import { hasCommonForm } from "./checked-block.ts";
import { ScriptQueue, type ScriptRequest, type SourceId } from "./script-queue.ts";
import { type BatchCapacity, VerificationBatch } from "./verification-batch.ts";

/** Answers the requests of one source in order, except `runScripts`. */
export interface Verifier {
  /**
   * Computes ids, checks the proofs that the rules need, and stores ids and verdicts with the transactions.
   * @throws VerifierBusyError, CheckerError (as rejections)
   */
  verifyTransactions(source: SourceId, transactions: readonly Transaction[]): Promise<void>;
  /**
   * Checks block signatures, not transactions.
   * @param blocks canonical bytes of blocks or micro blocks
   * @throws VerifierBusyError, CheckerError (as rejections)
   */
  verifySignatures(source: SourceId, blocks: readonly Uint8Array[]): Promise<readonly boolean[]>;
  /**
   * Checks signatures of bytes that do not contain the key.
   * @param messages each: the signed bytes, the Ed25519 key (32 bytes), the signature (64 bytes)
   * @throws VerifierBusyError, CheckerError (as rejections)
   */
  verifyMessages(source: SourceId, messages: readonly Uint8Array[]): Promise<readonly boolean[]>;
  /**
   * Runs scripts, and stores the reports with the transactions (`cacheReport`).
   * @throws VerifierBusyError, CheckerError (as rejections)
   */
  runScripts(source: SourceId, runs: readonly ScriptRequest[]): Promise<void>;
  /** Runs one queued script in the caller's thread. @returns false if none is queued */
  runNextScript(source: SourceId): boolean;
  /** Returns a stream with its own lane (`VerificationBatch.lane`). */
  stream(): BatchStream;
  close(): Promise<void>;
}

/** Batches start in the order of the calls. */
export interface BatchStream {
  check(batch: VerificationBatch): Promise<void>;
  /** See `BatchChecker`. */
  assist(batch: VerificationBatch, shouldStop?: () => boolean): boolean;
}

export class VerifierBusyError extends Error {
  override readonly name = "VerifierBusyError";
  readonly isExpected = true;
  constructor() {
    super("The queue of signature checks is full: try again later");
  }
}

/** Limits of queues. An item is a transaction, a block, a message, or a script run. */
export interface VerifierLimits {
  readonly itemsOfSource: number;
  readonly bytesOfSource: number;
  readonly items: number;
  readonly bytes: number;
}

export const defaultVerifierLimits: VerifierLimits = {
  itemsOfSource: 4_096,
  bytesOfSource: 8 * 2 ** 20,
  items: 16_384,
  bytes: 32 * 2 ** 20,
};

/** Threads check one batch while the next one waits. */
const MAX_BATCHES_IN_FLIGHT = 2;
const BATCH_CAPACITY: BatchCapacity = { bytes: 256 * 1024, blocks: 64, transactions: 256 };
/** Requests share this lane; each stream has its own. */
const REQUEST_LANE = 0;

type Item =
  | { readonly kind: "transaction"; readonly transaction: Transaction; readonly bytes: Uint8Array }
  | { readonly kind: "block" | "message"; readonly bytes: Uint8Array };

interface Request {
  readonly source: Source;
  readonly items: readonly Item[];
  readonly bytes: number;
  readonly signatureResults: boolean[];
  batchedCount: number;
  remaining: number;
  failure: Error | undefined;
  readonly resolve: (signed: readonly boolean[]) => void;
  readonly reject: (error: Error) => void;
}

interface Source {
  readonly id: SourceId;
  /** Requests with items to put in a batch. */
  readonly waiting: Request[];
  /** Requests without an answer, oldest first. */
  readonly open: Request[];
  items: number;
  bytes: number;
}

interface BatchedItem {
  readonly request: Request;
  readonly indexInRequest: number;
  readonly indexInBatch: number;
}

export class QueueVerifier implements Verifier {
  readonly #checker: BatchChecker;
  readonly #network: NetworkRules;
  readonly #limits: VerifierLimits;
  readonly #sources = new Map<SourceId, Source>();
  /** Sources with items to batch, the next one first. */
  readonly #nextSources: Source[] = [];
  readonly #freeBatches: VerificationBatch[] = [];
  #inFlight = 0;
  #items = 0;
  #bytes = 0;
  #isScheduled = false;
  #lastLane = REQUEST_LANE;
  readonly #scripts: ScriptQueue;

  constructor(checker: BatchChecker, network: NetworkRules, limits: VerifierLimits = defaultVerifierLimits) {
    this.#checker = checker;
    this.#network = network;
    this.#limits = limits;
    this.#scripts = new ScriptQueue(checker.scriptRunner, network.chainId);
  }

  async verifyTransactions(source: SourceId, transactions: readonly Transaction[]): Promise<void> {
    const items: Item[] = [];
    for (const transaction of transactions)
      if (definitionOf(transaction).hasSender && !hasVerdicts(transaction) && this.#parsesToSame(transaction))
        items.push({ kind: "transaction", transaction, bytes: transactionBytes(transaction) });
    await this.#enqueue(source, items);
  }

  verifySignatures(source: SourceId, blocks: readonly Uint8Array[]): Promise<readonly boolean[]> {
    return this.#enqueue(
      source,
      blocks.map((bytes) => ({ kind: "block", bytes })),
    );
  }

  verifyMessages(source: SourceId, messages: readonly Uint8Array[]): Promise<readonly boolean[]> {
    return this.#enqueue(
      source,
      messages.map((bytes) => ({ kind: "message", bytes })),
    );
  }

  runScripts(source: SourceId, runs: readonly ScriptRequest[]): Promise<void> {
    const { items, itemsOfSource } = this.#limits;
    const scripts = this.#scripts;
    if (scripts.waiting + runs.length > items || scripts.waitingOf(source) + runs.length > itemsOfSource)
      return Promise.reject(new VerifierBusyError());
    // The ledger rejects one-signature transactions of scripted accounts without running the script.
    const needsThread = ({ run: { transaction } }: ScriptRequest) =>
      !hasOneSignature(transaction) && this.#parsesToSame(transaction);
    return scripts.enqueue(source, runs.filter(needsThread));
  }

  runNextScript(source: SourceId): boolean {
    return this.#scripts.assist(source);
  }

  stream(): BatchStream {
    const lane = ++this.#lastLane;
    return {
      check: (batch) => this.#checker.check(batch, lane),
      assist: (batch, shouldStop) => this.#checker.assist(batch, shouldStop),
    };
  }

  async close(): Promise<void> {
    await this.#checker.close();
    const closed = new CheckerEndedError();
    this.#scripts.close(closed);
    for (const { open } of [...this.#sources.values()])
      for (const request of [...open]) this.#fail(request, closed);
  }

  /** Returns true if another thread gets the same transaction by parsing its bytes. */
  #parsesToSame(transaction: Transaction): boolean {
    if (isCanonical(transaction) || hasCommonForm(transaction)) return true;
    try {
      const again = reparseTransaction(transactionBytes(transaction), this.#network);
      return isCanonical(again) && bytesEqual(bodyBytes(again), bodyBytes(transaction));
    } catch (error) {
      if (error instanceof TransactionParseError) return false;
      throw error;
    }
  }

  #enqueue(id: SourceId, items: readonly Item[]): Promise<readonly boolean[]> {
    const source = this.#sources.get(id) ?? { id, waiting: [], open: [], items: 0, bytes: 0 };
    let bytes = 0;
    for (const item of items) bytes += item.bytes.length;
    const limits = this.#limits;
    if (
      source.items + items.length > limits.itemsOfSource ||
      source.bytes + bytes > limits.bytesOfSource ||
      this.#items + items.length > limits.items ||
      this.#bytes + bytes > limits.bytes
    )
      return Promise.reject(new VerifierBusyError());
    return new Promise((resolve, reject) => {
      const remaining = items.length;
      const signatureResults: boolean[] = [];
      const request = {
        source,
        items,
        bytes,
        signatureResults,
        batchedCount: 0,
        remaining,
        failure: undefined,
        resolve,
        reject,
      };
      this.#sources.set(id, source);
      source.open.push(request);
      this.#addToTotals(source, remaining, bytes);
      if (remaining === 0) this.#answerInOrder(source);
      else {
        if (source.waiting.push(request) === 1) this.#nextSources.push(source);
        this.#schedule();
      }
    });
  }

  #addToTotals(source: Source, items: number, bytes: number): void {
    source.items += items;
    source.bytes += bytes;
    this.#items += items;
    this.#bytes += bytes;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#inFlight >= MAX_BATCHES_IN_FLIGHT) return;
    this.#isScheduled = true;
    this.#checker.schedule(() => {
      this.#isScheduled = false;
      while (this.#inFlight < MAX_BATCHES_IN_FLIGHT && this.#nextSources.length > 0) this.#send();
    });
  }

  #send(): void {
    const reusableBatch = this.#freeBatches.pop() ?? VerificationBatch.create(BATCH_CAPACITY);
    let batch = reusableBatch;
    batch.clear();
    let batchedItems = this.#fill(batch);
    if (batchedItems.length === 0) {
      // An item that does not fit a batch gets a larger one.
      const [request] = this.#nextSources[0].waiting;
      const { bytes } = request.items[request.batchedCount];
      batch = VerificationBatch.create({ bytes: bytes.length, blocks: 1, transactions: 1 });
      batch.clear();
      batchedItems = this.#fill(batch);
    }
    const checked = batch;
    this.#inFlight++;
    this.#checker.check(checked, REQUEST_LANE).then(
      () => {
        this.#freeBatches.push(reusableBatch);
        this.#storeResults(checked, batchedItems);
        this.#batchDone();
      },
      (error: Error) => {
        // Do not reuse the batch: threads may still write to it.
        for (const { request } of batchedItems) this.#fail(request, error);
        this.#batchDone();
      },
    );
  }

  #batchDone(): void {
    this.#inFlight--;
    if (this.#nextSources.length > 0) this.#schedule();
  }

  #fill(batch: VerificationBatch): readonly BatchedItem[] {
    const batchedItems: BatchedItem[] = [];
    for (let source = this.#nextSources[0]; source !== undefined; source = this.#nextSources[0]) {
      const [request] = source.waiting;
      const indexInRequest = request.batchedCount;
      const indexInBatch = addItem(batch, request.items[indexInRequest]);
      if (indexInBatch === undefined) break;
      batchedItems.push({ request, indexInRequest, indexInBatch });
      if (++request.batchedCount === request.items.length) source.waiting.shift();
      this.#nextSources.shift();
      if (source.waiting.length > 0) this.#nextSources.push(source);
    }
    return batchedItems;
  }

  #storeResults(batch: VerificationBatch, batchedItems: readonly BatchedItem[]): void {
    for (const { request, indexInRequest, indexInBatch } of batchedItems) {
      const item = request.items[indexInRequest];
      if (item.kind !== "transaction")
        request.signatureResults[indexInRequest] = batch.isSigned(indexInBatch);
      else if (!batch.hasGuessedForm(indexInBatch) || hasCommonForm(item.transaction)) {
        const id = batch.id(indexInBatch);
        if (id !== undefined) cacheTransactionId(item.transaction, id);
        cacheVerdicts(item.transaction, batch.verdictBits(indexInBatch));
      }
      if (--request.remaining === 0) this.#answerInOrder(request.source);
    }
  }

  #fail(request: Request, failure: Error): void {
    const { source } = request;
    if (!source.open.includes(request)) return;
    request.failure = failure;
    request.remaining = 0;
    const at = source.waiting.indexOf(request);
    if (at >= 0) {
      source.waiting.splice(at, 1);
      if (source.waiting.length === 0) this.#nextSources.splice(this.#nextSources.indexOf(source), 1);
    }
    this.#answerInOrder(source);
  }

  #answerInOrder(source: Source): void {
    for (let [request] = source.open; request?.remaining === 0; [request] = source.open) {
      source.open.shift();
      this.#addToTotals(source, -request.items.length, -request.bytes);
      if (request.failure === undefined) request.resolve(request.signatureResults);
      else request.reject(request.failure);
    }
    if (source.open.length === 0) this.#sources.delete(source.id);
  }
}

function addItem(batch: VerificationBatch, item: Item): number | undefined {
  if (item.kind === "transaction")
    return batch.addTransaction(item.bytes) ? batch.transactionCount - 1 : undefined;
  const isAdded = item.kind === "message" ? batch.addMessage(item.bytes) : batch.addBlock(item.bytes);
  return isAdded ? batch.blockCount - 1 : undefined;
}

export function threadVerifier(
  network: NetworkRules,
  maxThreads: number,
  options: ThreadOptions = {},
): Verifier {
  return new QueueVerifier(new ThreadChecker(network, maxThreads, options), network);
}
