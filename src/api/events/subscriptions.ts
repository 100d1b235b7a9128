/** Streams store only their position; they read events when their connection has room. */
import type { NodeControl } from "../../control/index.ts";
import type { Sender } from "../../http/access/proxies.ts";
import type { ConnectionLimit } from "../../http/connections/connection-limit.ts";
import type { HttpCounts } from "../../http/counts.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import type { StreamingBody } from "../../http/responses/reply.ts";
import type { ChainEvents, ChainReader, Clock, Log } from "../../interfaces.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { StreamSet } from "../stream-set.ts";
import type { EventFilter } from "./filter.ts";
import { EventPages } from "./pages.ts";
import { PoolFeed } from "./pool-feed.ts";
import type { EventPosition } from "./position.ts";
import { EventStream } from "./stream.ts";

/** Maximum if the connection limit is 1,024; the other connections serve requests. */
export const MAX_STREAMS = 600;
export const MAX_STREAMS_PER_ORIGIN = 100;

export class EventStreams {
  readonly #clock: Clock;
  readonly #backpressure: ResponseBackpressure;
  readonly #pages: EventPages;
  readonly #set: StreamSet<EventStream>;
  readonly #poolFeed: PoolFeed;
  readonly #unsubscribe: () => void;

  constructor(options: {
    readonly reader: ChainReader;
    readonly events: ChainEvents;
    readonly clock: Clock;
    readonly backpressure: ResponseBackpressure;
    readonly control: Pick<NodeControl, "pool">;
    readonly network: NetworkRules;
    readonly log: Log;
    readonly connections: ConnectionLimit;
    readonly counts: Pick<HttpCounts, "streams" | "runExclusively">;
  }) {
    const { reader, events, counts } = options;
    this.#clock = options.clock;
    this.#backpressure = options.backpressure;
    this.#pages = new EventPages(reader);
    this.#set = new StreamSet({
      ...options,
      name: "an event stream",
      max: MAX_STREAMS,
      maxPerOrigin: MAX_STREAMS_PER_ORIGIN,
      limit: "event_streams",
      originCounts: counts.streams,
      runExclusively: counts.runExclusively,
      serve: (stream) => {
        const { bytes, next, isComplete } = this.#pages.page(stream.filter, stream.position);
        stream.sendPage(bytes, next);
        return !isComplete;
      },
      onOpen: ({ filter }) => {
        if (filter.events.has("pool")) this.#poolFeed.start();
      },
    });
    this.#poolFeed = new PoolFeed({ ...options, streams: this.#set.streams });
    this.#unsubscribe = events.onCommit(() => {
      this.#pages.clear();
      this.#set.wake();
    });
  }

  get count(): number {
    return this.#set.streams.size;
  }

  /** Blocks between the slowest stream and the tip; 0 without streams. */
  lag(tipHeight: number): number {
    let lag = 0;
    for (const { position } of this.#set.streams) lag = Math.max(lag, tipHeight - position.unit.height);
    return lag;
  }

  /**
   * Opens a stream, by default from the tip.
   * @throws ApiError 503 if there are too many streams, or at shutdown
   */
  open(filter: EventFilter, since: EventPosition | undefined, sender: Sender): StreamingBody {
    return this.#set.open(
      sender,
      (response) =>
        new EventStream(response, filter, since ?? this.#pages.tip(), this.#clock, this.#backpressure),
    );
  }

  close(): void {
    this.#unsubscribe();
    this.#poolFeed.close();
    this.#set.close();
  }
}
