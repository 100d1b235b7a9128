/** Streams store only their position, and read events when their connection has room. */
import type { ServerResponse } from "node:http";
import type { NodeControl } from "../../control/index.ts";
import { isLocal, type Sender } from "../../http/access/proxies.ts";
import type { ConnectionLimit } from "../../http/connections/connection-limit.ts";
import type { HttpCounts } from "../../http/counts.ts";
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

/** Leaves the rest of 1,024 connections for requests. */
export const MAX_STREAMS = 600;
/** Programs on this machine have no limit. */
export const MAX_STREAMS_PER_ORIGIN = 100;
const HEARTBEAT_CHECK_INTERVAL_MS = HEARTBEAT_INTERVAL_MS / 3;
const SLICE_MS = 10;

export class EventStreams {
  readonly #clock: Clock;
  readonly #backpressure: ResponseBackpressure;
  readonly #log: Log;
  readonly #connections: ConnectionLimit;
  readonly #pages: EventPages;
  readonly #streams = new Set<EventStream>();
  readonly #slots: OriginSlots;
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
    readonly connections: ConnectionLimit;
    readonly counts: Pick<HttpCounts, "streams" | "exclusive">;
  }) {
    const { reader, events, clock, backpressure, connections, log } = options;
    const { streams, exclusive } = options.counts;
    this.#slots = new OriginSlots(
      connections.scaled(MAX_STREAMS),
      MAX_STREAMS_PER_ORIGIN,
      streams,
      exclusive,
    );
    this.#connections = connections;
    this.#log = log;
    this.#clock = clock;
    this.#backpressure = backpressure;
    this.#pages = new EventPages(reader);
    this.#poolFeed = new PoolFeed({ ...options, streams: this.#streams });
    this.#queue = new TimeSlicedQueue(clock, 1, ([stream]) => this.#serve(stream), SLICE_MS);
    this.#unsubscribe = events.onCommit(() => {
      this.#pages.clear();
      for (const stream of this.#streams) this.#enqueue(stream);
    });
  }

  get count(): number {
    return this.#streams.size;
  }

  /** Number of blocks between the slowest stream and the tip; 0 without streams. */
  lag(tipHeight: number): number {
    let lag = 0;
    for (const { position } of this.#streams) lag = Math.max(lag, tipHeight - position.unit.height);
    return lag;
  }

  /**
   * Opens a stream, by default from the tip.
   * @throws ApiError 503 if there are too many streams or the server is closing
   */
  open(filter: EventFilter, since: EventPosition | undefined, sender: Sender): StreamingBody {
    if (this.#isClosed) throw apiError("closing");
    const host = isLocal(sender) ? undefined : sender.address;
    const isFull = this.#slots.isFull || (host !== undefined && this.#slots.isFullFor(host));
    if (isFull || !this.#connections.hasLongLivedRoom) throw apiError("busy", "event_streams");
    return new StreamingBody((response) => {
      const releaseSlot = this.#slots.take(host);
      if (releaseSlot === undefined) {
        // Another thread has taken the last slot meanwhile.
        response.destroy();
        return;
      }
      response.once("close", releaseSlot);
      response.once("close", this.#connections.addLongLived(response.req.socket));
      this.#startStream(response, filter, since ?? this.#pages.tip());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#cancelHeartbeats?.();
    this.#queue.clear();
    this.#poolFeed.close();
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  #startStream(response: ServerResponse, filter: EventFilter, position: EventPosition): void {
    const stream = new EventStream(response, filter, position, this.#clock, this.#backpressure);
    this.#streams.add(stream);
    response.on("drain", () => this.#enqueue(stream));
    response.once("close", () => this.#streams.delete(stream));
    response.on("error", () => this.#streams.delete(stream));
    this.#cancelHeartbeats ??= this.#clock.after(HEARTBEAT_CHECK_INTERVAL_MS, () => this.#sendHeartbeats());
    this.#enqueue(stream);
    if (filter.events.has("pool")) this.#poolFeed.start();
  }

  #enqueue(stream: EventStream): void {
    if (stream.isQueued || !stream.hasRoom) return;
    stream.isQueued = true;
    this.#queue.add(stream);
  }

  #serve(stream: EventStream): void {
    stream.isQueued = false;
    if (!this.#streams.has(stream) || !stream.hasRoom) return;
    try {
      const { bytes, next, isComplete } = this.#pages.page(stream.filter, stream.position);
      stream.sendPage(bytes, next);
      if (!isComplete) this.#enqueue(stream);
    } catch (error) {
      this.#log.error("Cannot read events of the chain for an event stream", {
        error: error instanceof Error ? error.stack : error,
      });
      this.#streams.delete(stream);
      stream.end();
    }
  }

  #sendHeartbeats(): void {
    this.#cancelHeartbeats = undefined;
    for (const stream of this.#streams) stream.sendHeartbeat();
    this.#cancelHeartbeats =
      this.#streams.size === 0
        ? undefined
        : this.#clock.after(HEARTBEAT_CHECK_INTERVAL_MS, () => this.#sendHeartbeats());
  }
}
