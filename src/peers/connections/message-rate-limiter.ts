/** What one peer may send. */
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { Clock } from "../../interfaces.ts";
import { TokenBucket } from "../../runtime/token-bucket.ts";
import { contentLength } from "../wire/content-length.ts";
import type { Message, MessageType, ReceivedMessage } from "../wire/messages.ts";
import {
  BYTES_BUDGET,
  MAX_AWAITED,
  MESSAGE_BUDGETS,
  RESPONSE_TYPES,
  TOTAL_MESSAGE_BUDGET,
} from "./limits.ts";

/**
 * Counts what a peer sends against its budgets. What is too much is not refused, as the peer may be honest and fast: it
 * waits, and with it everything behind it on the connection.
 */
export class MessageRateLimiter {
  readonly #clock: Clock;
  readonly #bytes: TokenBucket;
  readonly #total: TokenBucket;
  readonly #messages = new Map<MessageType, TokenBucket>();
  readonly #awaited = new Map<MessageType, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#bytes = new TokenBucket(clock, BYTES_BUDGET);
    this.#total = new TokenBucket(clock, TOTAL_MESSAGE_BUDGET);
  }

  /** A message goes to the peer: its answer is welcome. */
  expectResponse({ type }: Message): void {
    const answer = RESPONSE_TYPES[type];
    if (answer === undefined) return;
    this.#awaited.set(answer, Math.min(MAX_AWAITED, (this.#awaited.get(answer) ?? 0) + 1));
  }

  /** Bytes came: they are paid for (`pauseMs`) once what is in them was looked at. */
  chargeBytes(length: number): void {
    this.#bytes.charge(length);
  }

  /** So many messages were looked at, or frames without any, whatever became of them. */
  chargeMessages(count: number): void {
    this.#total.charge(count);
  }

  /** How long nothing more is to be read for what came so far, ms. */
  get pauseMs(): number {
    return Math.max(this.#bytes.charge(0), this.#total.charge(0));
  }

  /**
   * Charges a message.
   * @returns how long nothing more is read before it is handled, ms; undefined: the message is dropped
   */
  admit(message: ReceivedMessage): number | undefined {
    const { type } = message;
    const awaited = this.#awaited.get(type) ?? 0;
    if (awaited > 0) {
      this.#awaited.set(type, awaited - 1);
      this.#bytes.refund(contentLength(message));
      this.#total.refund(1);
      return 0;
    }
    const budget = MESSAGE_BUDGETS[type];
    const bucket = getOrInsert(this.#messages, type, () => new TokenBucket(this.#clock, budget));
    if (budget.surplus === "wait") return bucket.charge(1);
    return bucket.take() ? 0 : undefined;
  }
}
