/**
 * Event streams. A stream is a position on the chain: its events are read when its connection has room, so nothing
 * queues up for a slow client.
 */

import type { ServerResponse } from "node:http";
import type { NodeControl } from "../../control/index.ts";
import { isLocal, type Sender } from "../../http/access/proxies.ts";
import type { ConnectionLimit } from "../../http/connections/connection-limit.ts";
import { apiError } from "../../http/errors.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import { StreamingBody } from "../../http/responses/reply.ts";
import type { Cancel, ChainEvents, ChainReader, Clock, Log } from "../../interfaces.ts";
import { OriginSlots } from "../../runtime/origin-slots.ts";
import { TimeSlicedQueue } from "../../runtime/time-sliced-queue.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { EventFilter } from "./filter.ts";
import { EventPages } from "./pages.ts";
import { PoolFeed } from "./pool-feed.ts";
import type { EventPosition } from "./position.ts";
import { EventStream, HEARTBEAT_INTERVAL_MS } from "./stream.ts";

/** If there are 1,024 connections. The others are for requests. */
export const MAX_STREAMS = 600;
/** For one origin that is not this machine. */
export const MAX_STREAMS_PER_ORIGIN = 100;
const HEARTBEAT_CHECK_INTERVAL_MS = HEARTBEAT_INTERVAL_MS / 3;
/** Time slice for writing, ms. */
const SLICE_MS = 10;

export class EventStreams {
  readonly #clock: Clock;
  readonly #backpressure: ResponseBackpressure;
  readonly #log: Log;
  readonly #maxStreams: number;
  readonly #connections: ConnectionLimit;
  readonly #pages: EventPages;
  readonly #streams = new Set<EventStream>();
  readonly #origins = new OriginSlots(Number.POSITIVE_INFINITY, MAX_STREAMS_PER_ORIGIN);
  readonly #poolFeed: PoolFeed;
  readonly #queue: TimeSlicedQueue<EventStream>;
  readonly #unsubscribe: () => void;
  #cancelHeartbeats: Cancel | undefined;
  #isClosed = false;

  constructor(options: {
    readonly reader: ChainReader;
    readonly events: ChainEvents;
    readonly clock: Clock;
    readonly backpressure: ResponseBackpressure;
    readonly control: Pick<NodeControl, "pool">;
    readonly network: NetworkRules;
    readonly log: Log;
    /** `MAX_STREAMS` is scaled to their number. */
    readonly connections: ConnectionLimit;
  }) {
    const { reader, events, clock, backpressure, connections, log } = options;
    this.#maxStreams = connections.scaled(MAX_STREAMS);
    this.#connections = connections;
    this.#log = log;
    this.#clock = clock;
    this.#backpressure = backpressure;
    this.#pages = new EventPages(reader);
    this.#poolFeed = new PoolFeed({ ...options, streams: this.#streams });
    this.#queue = new TimeSlicedQueue(clock, 1, ([one]) => this.#serve(one), SLICE_MS);
    this.#unsubscribe = events.onCommit(() => {
      this.#pages.clear();
      for (const one of this.#streams) this.#enqueue(one);
    });
  }

  get count(): number {
    return this.#streams.size;
  }

  /**
   * Opens a stream, by default from the tip.
   * @throws ApiError 503 when there are too many streams or the server closes
   */
  open(filter: EventFilter, since: EventPosition | undefined, sender: Sender): StreamingBody {
    if (this.#isClosed) throw apiError("closing");
    if (this.#streams.size >= this.#maxStreams || !this.#connections.hasLongLivedRoom) throw apiError("busy");
    const { address } = sender;
    const isCounted = !isLocal(sender);
    if (isCounted && this.#origins.isFullFor(address)) throw apiError("busy");
    return new StreamingBody((response) => {
      const leave = isCounted ? this.#origins.take(address) : undefined;
      if (leave !== undefined) response.once("close", leave);
      response.once("close", this.#connections.takeLongLived(response.req.socket));
      this.#enter(response, filter, since ?? this.#pages.tip());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#cancelHeartbeats?.();
    this.#queue.clear();
    this.#poolFeed.close();
    for (const one of this.#streams) one.end();
    this.#streams.clear();
  }

  #enter(response: ServerResponse, filter: EventFilter, position: EventPosition): void {
    const one = new EventStream(response, filter, position, this.#clock, this.#backpressure);
    this.#streams.add(one);
    response.on("drain", () => this.#enqueue(one));
    response.once("close", () => this.#streams.delete(one));
    // The client disconnected during a write.
    response.on("error", () => this.#streams.delete(one));
    this.#cancelHeartbeats ??= this.#clock.after(HEARTBEAT_CHECK_INTERVAL_MS, () => this.#sendHeartbeats());
    this.#enqueue(one);
    if (filter.events.has("pool")) this.#poolFeed.follow();
  }

  #enqueue(one: EventStream): void {
    if (one.isQueued || !one.hasRoom) return;
    one.isQueued = true;
    this.#queue.add(one);
  }

  /** Sends one page, then yields to the next stream. */
  #serve(one: EventStream): void {
    one.isQueued = false;
    if (!this.#streams.has(one) || !one.hasRoom) return;
    try {
      const { bytes, next, isComplete } = this.#pages.page(one.filter, one.position);
      one.sendPage(bytes, next);
      if (!isComplete) this.#enqueue(one);
    } catch (error) {
      // The client can reconnect, and the other streams continue.
      this.#log.error("Cannot read events of the chain for an event stream", {
        error: error instanceof Error ? error.stack : error,
      });
      this.#streams.delete(one);
      one.end();
    }
  }

  #sendHeartbeats(): void {
    this.#cancelHeartbeats = undefined;
    for (const one of this.#streams) one.sendHeartbeat();
    this.#cancelHeartbeats =
      this.#streams.size === 0
        ? undefined
        : this.#clock.after(HEARTBEAT_CHECK_INTERVAL_MS, () => this.#sendHeartbeats());
  }
}
