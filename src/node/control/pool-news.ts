/** Buffers new pool transactions for polling clients. */
import type { PoolNews } from "../../control/index.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { Mempool } from "../../mempool/mempool.ts";
import { type Transaction, transactionBytes } from "../../transactions/index.ts";

/** At twice this number, the buffer drops its older half. */
const MIN_BUFFERED_TRANSACTIONS = 1_000;
/** A response ends with the transaction that reaches a limit. */
const MAX_RESPONSE = { transactions: 100, bytes: 64 * 1024 };
/** Delay of a response, to collect further transactions, ms. */
const BATCH_DELAY_MS = 10;
const LONG_POLL_TIMEOUT_MS = 10_000;
/** The buffer is dropped after this time without a poll, ms. */
const IDLE_TIMEOUT_MS = 30_000;

/** `ends`: end offset of each part in `bytes`. */
export function concatParts(parts: readonly Uint8Array[]): {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
} {
  let end = 0;
  const ends = parts.map(({ length }) => (end += length));
  const bytes = new Uint8Array(end);
  for (const [i, part] of parts.entries()) bytes.set(part, ends[i] - part.length);
  return { bytes, ends };
}

export class PoolNewsBuffer {
  readonly #pool: Pick<Mempool, "onAdded">;
  readonly #clock: Pick<Clock, "after">;
  #buffer: Transaction[] = [];
  /** Number of the buffer's oldest transaction. */
  #first = 0;
  /** Functions that resume waiting polls. */
  readonly #waiting = new Set<() => void>();
  #cancelBatch: Cancel | undefined;
  #cancelIdle: Cancel | undefined;

  constructor(pool: Pick<Mempool, "onAdded">, clock: Pick<Clock, "after">) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /**
   * Returns transactions; waits if there are none.
   * @param first number of the first transaction; default: the next new one
   */
  async poll(first?: number): Promise<PoolNews> {
    this.#pool.onAdded = (transaction) => this.#add(transaction);
    this.#cancelIdle?.();
    this.#cancelIdle = this.#clock.after(IDLE_TIMEOUT_MS, () => this.#dropBuffer());
    const from = first ?? this.#end;
    if (from >= this.#end) await this.#wait();
    return this.#answer(from);
  }

  get #end(): number {
    return this.#first + this.#buffer.length;
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const resume = (): void => {
        this.#waiting.delete(resume);
        cancel();
        resolve();
      };
      const cancel = this.#clock.after(LONG_POLL_TIMEOUT_MS, resume);
      this.#waiting.add(resume);
    });
  }

  #add(transaction: Transaction): void {
    this.#buffer.push(transaction);
    if (this.#buffer.length >= 2 * MIN_BUFFERED_TRANSACTIONS) {
      this.#first += MIN_BUFFERED_TRANSACTIONS;
      this.#buffer = this.#buffer.slice(MIN_BUFFERED_TRANSACTIONS);
    }
    if (this.#waiting.size === 0) return;
    this.#cancelBatch ??= this.#clock.after(BATCH_DELAY_MS, () => {
      this.#cancelBatch = undefined;
      for (const resume of [...this.#waiting]) resume();
    });
  }

  #answer(from: number): PoolNews {
    const start = Math.max(from, this.#first);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for (
      let i = start;
      i < this.#end && parts.length < MAX_RESPONSE.transactions && bytes < MAX_RESPONSE.bytes;
      i++
    ) {
      const part = transactionBytes(this.#buffer[i - this.#first]);
      parts.push(part);
      bytes += part.length;
    }
    return { ...concatParts(parts), missed: start - from, next: start + parts.length };
  }

  #dropBuffer(): void {
    this.#pool.onAdded = undefined;
    this.#first = this.#end;
    this.#buffer = [];
  }
}
