import type { ServerResponse } from "node:http";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import type { Clock } from "../../interfaces.ts";
import { ChainStream } from "../stream-set.ts";
import type { EventFilter } from "./filter.ts";
import { formatEvent } from "./pages.ts";
import { type EventPosition, formatPosition } from "./position.ts";

/** A stream with at least this backlog misses pool events. */
const MAX_POOL_BACKLOG_BYTES = 512 * 1024;
const RECONNECT_DELAY_MS = 2_000;

export class EventStream extends ChainStream {
  readonly filter: EventFilter;
  position: EventPosition;
  /** The newest position whose id the client has. */
  #sentPosition: EventPosition;
  /** Pool events dropped since the last `missed` event. */
  #missedCount = 0;

  constructor(
    response: ServerResponse,
    filter: EventFilter,
    position: EventPosition,
    clock: Clock,
    backpressure: ResponseBackpressure,
  ) {
    super(response, clock, backpressure);
    this.filter = filter;
    this.position = position;
    this.#sentPosition = position;
    this.write(`retry: ${RECONNECT_DELAY_MS}\nid: ${formatPosition(position)}\n\n`);
  }

  sendPage(bytes: Uint8Array | undefined, next: EventPosition): void {
    this.position = next;
    if (bytes === undefined) return;
    this.#sentPosition = next;
    this.write(bytes);
  }

  sendPool(bytes: Uint8Array, count: number): void {
    if (this.unreadBytes >= MAX_POOL_BACKLOG_BYTES) {
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

  /** Sends the position as an id if all events since the last id were filtered out. */
  protected sendHeartbeat(): void {
    const { position } = this;
    this.write(position === this.#sentPosition ? ":\n\n" : `:\nid: ${formatPosition(position)}\n\n`);
    this.#sentPosition = position;
  }
}
