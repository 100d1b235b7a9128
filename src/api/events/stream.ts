/** One who reads events, and what is written to him. */
import type { ServerResponse } from "node:http";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import type { Clock } from "../../interfaces.ts";
import type { EventFilter } from "./filter.ts";
import { formatEvent } from "./pages.ts";
import { type EventPosition, formatPosition } from "./position.ts";

/**
 * While so many bytes wait for a reader it is given no more. What waits at most is that, a page and an event; a
 * connection that takes nothing of it is ended (`backpressure.ts`).
 */
const MAX_BACKLOG_BYTES = 64 * 1024;
/** What comes to the pool cannot be read later: while so much waits for a reader, it misses that. */
const MAX_POOL_BACKLOG_BYTES = 512 * 1024;
/** A reader hears something this often at least, so that both ends know that the other one is there, ms. */
export const HEARTBEAT_INTERVAL_MS = 15_000;
/** How long a client is to wait before it connects again, ms. */
const RECONNECT_DELAY_MS = 2_000;
export class EventStream {
  readonly filter: EventFilter;
  position: EventPosition;
  isQueued = false;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #count: (waiting: number) => void;
  /** What the last id said, and when anything was said, ms. */
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

  /** Writes what leads to a position; undefined: nothing that is to be said. */
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

  /** Writes what came to the pool, which has no id; one that has no room is told how many that were. */
  sendPool(bytes: Uint8Array, count: number): void {
    if (this.#response.writableLength >= MAX_POOL_BACKLOG_BYTES) {
      this.#missed += count;
      return;
    }
    if (this.#missed > 0) this.write(formatEvent("missed", undefined, `{"pool":${this.#missed}}`));
    this.#missed = 0;
    this.write(bytes);
  }

  /** The next time it has room it is told that it missed so many of the pool. */
  addMissed(count: number): void {
    this.#missed += count;
  }

  /** Says where it stands if nothing was said for a while: what it need not be told leads on as well. */
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
