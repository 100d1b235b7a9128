/**
 * Who reads events, and what is written to whom. A reader is a position on the chain: what it is sent is read when it has
 * room for it, so that nothing waits here for one that is slow or was away.
 */

import type { ServerResponse } from "node:http";
import type { NodeControl } from "../../control/index.ts";
import { isLocal, type Sender } from "../../http/access/proxies.ts";
import type { ConnectionLimit } from "../../http/connections/connection-limit.ts";
import { refuse } from "../../http/errors.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import { StreamingBody } from "../../http/responses/reply.ts";
import type { Cancel, ChainEvents, ChainReader, Clock, Log } from "../../interfaces.ts";
import { OriginSlots } from "../../runtime/origin-slots.ts";
import { TimeSlicedQueue } from "../../runtime/time-sliced-queue.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { EventFilter } from "./filter.ts";
import { EventPages } from "./pages.ts";
import { PoolReaders } from "./pool-news.ts";
import type { EventPosition } from "./position.ts";
import { EventStream, HEARTBEAT_MS } from "./stream.ts";

/** Readers at a time if there are 1,024 connections: the other connections are for requests. */
export const MAX_READERS = 600;
/** The same of one sender that is not this machine. */
export const MAX_READERS_OF_A_SENDER = 100;
/** How often is looked for readers that nothing was said to, ms. */
const LOOK_MS = HEARTBEAT_MS / 3;
/** Between two turns of writing all else has its turn, ms. */
const TURN_MS = 10;

export class EventReaders {
  readonly #clock: Clock;
  readonly #backpressure: ResponseBackpressure;
  readonly #log: Log;
  readonly #maxReaders: number;
  readonly #connections: ConnectionLimit;
  readonly #pages: EventPages;
  readonly #readers = new Set<EventStream>();
  readonly #senders = new OriginSlots(Number.POSITIVE_INFINITY, MAX_READERS_OF_A_SENDER);
  readonly #news: PoolReaders;
  readonly #turns: TimeSlicedQueue<EventStream>;
  readonly #stopHearing: () => void;
  #cancelLook: Cancel | undefined;
  #isClosed = false;

  constructor(options: {
    readonly reader: ChainReader;
    readonly events: ChainEvents;
    readonly clock: Clock;
    readonly backpressure: ResponseBackpressure;
    readonly control: Pick<NodeControl, "pool">;
    readonly network: NetworkRules;
    readonly log: Log;
    /** Connections of the server; `MAX_READERS` is scaled to them. */
    readonly connections: ConnectionLimit;
  }) {
    const { reader, events, clock, backpressure, connections, log } = options;
    this.#maxReaders = connections.scaled(MAX_READERS);
    this.#connections = connections;
    this.#log = log;
    this.#clock = clock;
    this.#backpressure = backpressure;
    this.#pages = new EventPages(reader);
    this.#news = new PoolReaders({ ...options, readers: this.#readers });
    this.#turns = new TimeSlicedQueue(clock, 1, ([one]) => this.#serve(one), TURN_MS);
    this.#stopHearing = events.onCommit(() => {
      this.#pages.renew();
      for (const one of this.#readers) this.#due(one);
    });
  }

  get count(): number {
    return this.#readers.size;
  }

  /**
   * The answer to somebody who is to read from a position on; from the tip on unless given.
   * @param sender of the request
   * @throws ApiError 503 when there are too many, of this sender or of all, or the server ends
   */
  answer(filter: EventFilter, since: EventPosition | undefined, sender: Sender): StreamingBody {
    if (this.#isClosed) throw refuse("closing");
    if (this.#readers.size >= this.#maxReaders || !this.#connections.hasLongLivedRoom) throw refuse("busy");
    const { address } = sender;
    const isCounted = !isLocal(sender);
    if (isCounted && this.#senders.isFullFor(address)) throw refuse("busy");
    return new StreamingBody((response) => {
      const leave = isCounted ? this.#senders.take(address) : undefined;
      if (leave !== undefined) response.once("close", leave);
      response.once("close", this.#connections.takeLongLived(response.req.socket));
      this.#enter(response, filter, since ?? this.#pages.tip());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#stopHearing();
    this.#cancelLook?.();
    this.#turns.clear();
    this.#news.close();
    for (const one of this.#readers) one.end();
    this.#readers.clear();
  }

  #enter(response: ServerResponse, filter: EventFilter, position: EventPosition): void {
    const one = new EventStream(response, filter, position, this.#clock, this.#backpressure);
    this.#readers.add(one);
    response.on("drain", () => this.#due(one));
    response.once("close", () => this.#readers.delete(one));
    // A client that breaks off while it is written to.
    response.on("error", () => this.#readers.delete(one));
    this.#cancelLook ??= this.#clock.after(LOOK_MS, () => this.#look());
    this.#due(one);
    if (filter.events.has("pool")) this.#news.follow();
  }

  #due(one: EventStream): void {
    if (one.isDue || !one.hasRoom) return;
    one.isDue = true;
    this.#turns.add(one);
  }

  /** One page for one reader; then it is the next one's turn. */
  #serve(one: EventStream): void {
    one.isDue = false;
    if (!this.#readers.has(one) || !one.hasRoom) return;
    try {
      const { bytes, next, isComplete } = this.#pages.page(one.filter, one.position);
      one.tell(bytes, next);
      if (!isComplete) this.#due(one);
    } catch (error) {
      // Whatever it was: this reader can come again, and others go on.
      this.#log.error("reading for events failed", { error: error instanceof Error ? error.stack : error });
      this.#readers.delete(one);
      one.end();
    }
  }

  #look(): void {
    this.#cancelLook = undefined;
    for (const one of this.#readers) one.beat();
    this.#cancelLook = this.#readers.size === 0 ? undefined : this.#clock.after(LOOK_MS, () => this.#look());
  }
}
