import type { ServerResponse } from "node:http";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import type { Clock } from "../../interfaces.ts";
import { HEARTBEAT_INTERVAL_MS, type PagedStream } from "../stream-set.ts";
import type { EventFilter } from "./filter.ts";
import { formatEvent } from "./pages.ts";
import { type EventPosition, formatPosition } from "./position.ts";

/** A stream with this backlog gets no further page. */
const MAX_BACKLOG_BYTES = 64 * 1024;
/** A stream with this backlog misses pool events. */
const MAX_POOL_BACKLOG_BYTES = 512 * 1024;
const RECONNECT_DELAY_MS = 2_000;

export class EventStream implements PagedStream {
  readonly filter: EventFilter;
  position: EventPosition;
  isQueued = false;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #reportUnread: (unread: number) => void;
  /** Position of the last id that was sent, and monotonic time of the last write, ms. */
  #sentPosition: EventPosition;
  #sentAt: number;
  #missedCount = 0;

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
    this.#reportUnread = backpressure.trackStream(response);
    this.#sentPosition = position;
    this.#sentAt = clock.monotonic();
    this.write(`retry: ${RECONNECT_DELAY_MS}\nid: ${formatPosition(position)}\n\n`);
    response.on("drain", () => this.#reportUnread(response.writableLength));
  }

  get hasRoom(): boolean {
    return this.#response.writableLength < MAX_BACKLOG_BYTES;
  }

  /** @param bytes undefined if there is nothing to send */
  sendPage(bytes: Uint8Array | undefined, next: EventPosition): void {
    this.position = next;
    if (bytes === undefined) return;
    this.#sentPosition = next;
    this.write(bytes);
  }

  write(bytes: Uint8Array | string): void {
    this.#sentAt = this.#clock.monotonic();
    this.#response.write(bytes);
    this.#reportUnread(this.#response.writableLength);
  }

  /** Counts the events as missed if the backlog is too long. */
  sendPool(bytes: Uint8Array, count: number): void {
    if (this.#response.writableLength >= MAX_POOL_BACKLOG_BYTES) {
      this.#missedCount += count;
      return;
    }
    if (this.#missedCount > 0) this.write(formatEvent("missed", undefined, `{"pool":${this.#missedCount}}`));
    this.#missedCount = 0;
    this.write(bytes);
  }

  addMissed(count: number): void {
    this.#missedCount += count;
  }

  /** Includes the position's id if the filter excluded all events since the last id. */
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
