import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { Clock } from "../../interfaces.ts";
import { TokenBucket } from "../../runtime/token-bucket.ts";
import { contentLength } from "../wire/content-length.ts";
import type { Message, MessageType, ReceivedMessage } from "../wire/messages.ts";
import {
  BYTES_BUDGET,
  MAX_AWAITED_RESPONSES,
  MESSAGE_BUDGETS,
  RESPONSE_TYPES,
  TOTAL_MESSAGE_BUDGET,
} from "./limits.ts";

/** Limits one peer's messages, except requested responses. */
export class MessageRateLimiter {
  readonly #clock: Clock;
  readonly #bytes: TokenBucket;
  readonly #total: TokenBucket;
  readonly #messages = new Map<MessageType, TokenBucket>();
  readonly #awaitedCounts = new Map<MessageType, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#bytes = new TokenBucket(clock, BYTES_BUDGET);
    this.#total = new TokenBucket(clock, TOTAL_MESSAGE_BUDGET);
  }

  expectResponse({ type }: Message): void {
    const response = RESPONSE_TYPES[type];
    if (response === undefined) return;
    this.#awaitedCounts.set(
      response,
      Math.min(MAX_AWAITED_RESPONSES, (this.#awaitedCounts.get(response) ?? 0) + 1),
    );
  }

  /** The caller must handle the messages in the bytes, and then pause for `pauseMs`. */
  chargeBytes(length: number): void {
    this.#bytes.charge(length);
  }

  /** Charges messages, including dropped ones and empty frames. */
  chargeMessages(count: number): void {
    this.#total.charge(count);
  }

  get pauseMs(): number {
    return Math.max(this.#bytes.charge(0), this.#total.charge(0));
  }

  /** @returns the pause before handling the message, ms; undefined: drop it */
  admit(message: ReceivedMessage): number | undefined {
    const { type } = message;
    const awaitedCount = this.#awaitedCounts.get(type) ?? 0;
    if (awaitedCount > 0) {
      this.#awaitedCounts.set(type, awaitedCount - 1);
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
