/** What a peer sent that is to be looked at, and how well it did with it. Page 04 §15, §25. */
import type { Clock } from "../../interfaces.ts";
import { TokenBucket } from "../../runtime/token-bucket.ts";

/** Transactions of one peer that wait: above this, nothing more is read from it. */
const MAX_QUEUED = 1_000;
const MAX_QUEUED_BYTES = 1024 * 1024;
/** Transactions of a peer: what a busy network comes to is a tenth of it. */
const RATE = { perSecond: 1_000, burst: 2_000 };
/** So many judged ones say something about a peer, and so many are remembered at most. */
const MIN_JUDGED = 32;
const MAX_JUDGED = 256;

/** The transactions of a peer that wait, oldest first. */
export class PeerTransactionQueue {
  readonly #rate: TokenBucket;
  #waiting: Uint8Array[] = [];
  #next = 0;
  #bytes = 0;
  #judged = 0;
  #refused = 0;
  #drainListeners: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#rate = new TokenBucket(clock, RATE);
  }

  get size(): number {
    return this.#waiting.length - this.#next;
  }

  /** Whether so much waits that nothing more should be read from the peer. */
  get isFull(): boolean {
    return this.size >= MAX_QUEUED || this.#bytes >= MAX_QUEUED_BYTES;
  }

  /** Whether most of what the peer sent lately was refused: then others come first, and what is too much is dropped. */
  get isUnreliable(): boolean {
    return this.#judged >= MIN_JUDGED && 2 * this.#refused > this.#judged;
  }

  /** @returns how long to read nothing more from the peer, ms, since it sends too fast */
  add(transaction: Uint8Array): number {
    this.#waiting.push(transaction);
    this.#bytes += transaction.length;
    return this.#rate.charge(1);
  }

  take(): Uint8Array | undefined {
    const transaction = this.#waiting[this.#next];
    if (transaction === undefined) return undefined;
    this.#bytes -= transaction.length;
    if (++this.#next >= MAX_QUEUED || this.#next === this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    if (!this.isFull) this.#resume();
    return transaction;
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = [];
    this.#next = 0;
    this.#bytes = 0;
    this.#resume();
  }

  /** Resolves once the line is no longer too long. */
  whenDrained(): Promise<void> {
    return new Promise((resolve) => this.#drainListeners.push(resolve));
  }

  /** What became of a transaction of the peer. */
  judged(refused: boolean): void {
    if (this.#judged >= MAX_JUDGED) {
      this.#judged /= 2;
      this.#refused /= 2;
    }
    this.#judged++;
    if (refused) this.#refused++;
  }

  #resume(): void {
    for (const resolve of this.#drainListeners.splice(0)) resolve();
  }
}
