import type { ServerResponse } from "node:http";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import type { Clock } from "../../interfaces.ts";
import type { EventFilter } from "./filter.ts";
import { formatEvent } from "./pages.ts";
import { type EventPosition, formatPosition } from "./position.ts";

/**
 * A stream with this backlog gets no more pages. A page and an event can exceed it; `backpressure.ts` ends
 * connections that read nothing.
 */
const MAX_BACKLOG_BYTES = 64 * 1024;
/** Pool events cannot be read again: a stream with this backlog misses them. */
const MAX_POOL_BACKLOG_BYTES = 512 * 1024;
/** Lets both ends notice a broken connection. */
export const HEARTBEAT_INTERVAL_MS = 15_000;
const RECONNECT_DELAY_MS = 2_000;
export class EventStream {
  readonly filter: EventFilter;
  position: EventPosition;
  isQueued = false;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #count: (waiting: number) => void;
  /** The last id sent; time of the last write, ms. */
  #sentPosition: EventPosition;
  #sentAt: number;
  #missed = 0;

  constructor(
    response: ServerResponse,
    filter: EventFilter,
    position: EventPosition,
    clock: Clock,
    backpressure: ResponseBackpressure,
  ) {
    this.filter = filter;
    this.position = position;
    this.#response = response;
    this.#clock = clock;
    this.#count = backpressure.trackStream(response);
    this.#sentPosition = position;
    this.#sentAt = clock.monotonic();
    this.write(`retry: ${RECONNECT_DELAY_MS}\nid: ${formatPosition(position)}\n\n`);
    response.on("drain", () => this.#count(response.writableLength));
  }

  get hasRoom(): boolean {
    return this.#response.writableLength < MAX_BACKLOG_BYTES;
  }

  /** Moves to a position. @param bytes undefined: there is nothing to send */
  sendPage(bytes: Uint8Array | undefined, next: EventPosition): void {
    this.position = next;
    if (bytes === undefined) return;
    this.#sentPosition = next;
    this.write(bytes);
  }

  write(bytes: Uint8Array | string): void {
    this.#sentAt = this.#clock.monotonic();
    this.#response.write(bytes);
    this.#count(this.#response.writableLength);
  }

  /** Counts events as missed if there is no room. */
  sendPool(bytes: Uint8Array, count: number): void {
    if (this.#response.writableLength >= MAX_POOL_BACKLOG_BYTES) {
      this.#missed += count;
      return;
    }
    if (this.#missed > 0) this.write(formatEvent("missed", undefined, `{"pool":${this.#missed}}`));
    this.#missed = 0;
    this.write(bytes);
  }

  /** The stream reports missed events when it has room again. */
  addMissed(count: number): void {
    this.#missed += count;
  }

  /** Has an id if the position has moved past excluded events. */
  sendHeartbeat(): void {
    if (!this.hasRoom || this.#clock.monotonic() - this.#sentAt < HEARTBEAT_INTERVAL_MS) return;
    const { position } = this;
    this.write(position === this.#sentPosition ? ":\n\n" : `:\nid: ${formatPosition(position)}\n\n`);
    this.#sentPosition = position;
  }

  end(): void {
    this.#response.end();
  }
}
