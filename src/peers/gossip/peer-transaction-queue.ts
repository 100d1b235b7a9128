import type { Clock } from "../../interfaces.ts";
import { TokenBucket } from "../../runtime/token-bucket.ts";

/** Reading from a peer pauses at this number of queued transactions. */
const MAX_QUEUED = 1_000;
const MAX_QUEUED_BYTES = 1024 * 1024;
/** Ten times the rate of a busy network. */
const RATE = { perSecond: 1_000, burst: 2_000 };
/** Minimum verdicts before a peer counts as unreliable. */
const MIN_VERDICTS = 32;
/** At this number, counts are halved, so that newer verdicts weigh more. */
const MAX_VERDICTS = 256;

/** A peer's queued transactions, and verdicts on earlier ones. Page 04 §15, §25. */
export class PeerTransactionQueue {
  readonly #rate: TokenBucket;
  #waiting: Uint8Array[] = [];
  #nextIndex = 0;
  #queuedBytes = 0;
  #verdictCount = 0;
  #refusedCount = 0;
  #resumeListeners: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#rate = new TokenBucket(clock, RATE);
  }

  get size(): number {
    return this.#waiting.length - this.#nextIndex;
  }

  get isFull(): boolean {
    return this.size >= MAX_QUEUED || this.#queuedBytes >= MAX_QUEUED_BYTES;
  }

  get isUnreliable(): boolean {
    return this.#verdictCount >= MIN_VERDICTS && 2 * this.#refusedCount > this.#verdictCount;
  }

  /** @returns how long to pause reading from the peer, ms */
  add(transaction: Uint8Array): number {
    this.#waiting.push(transaction);
    this.#queuedBytes += transaction.length;
    return this.#rate.charge(1);
  }

  take(): Uint8Array | undefined {
    const transaction = this.#waiting[this.#nextIndex];
    if (transaction === undefined) return undefined;
    this.#queuedBytes -= transaction.length;
    if (++this.#nextIndex >= MAX_QUEUED || this.#nextIndex === this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#nextIndex);
      this.#nextIndex = 0;
    }
    if (!this.isFull) this.#resume();
    return transaction;
  }

  clear(): void {
    this.#waiting = [];
    this.#nextIndex = 0;
    this.#queuedBytes = 0;
    this.#resume();
  }

  whenNotFull(): Promise<void> {
    return new Promise((resolve) => this.#resumeListeners.push(resolve));
  }

  recordVerdict(isRefused: boolean): void {
    if (this.#verdictCount >= MAX_VERDICTS) {
      this.#verdictCount /= 2;
      this.#refusedCount /= 2;
    }
    this.#verdictCount++;
    if (isRefused) this.#refusedCount++;
  }

  #resume(): void {
    for (const resolve of this.#resumeListeners.splice(0)) resolve();
  }
}
