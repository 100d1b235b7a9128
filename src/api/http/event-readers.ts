/**
 * Who reads events, and what is written to whom. A reader is a position on the chain: what it is sent is read when it has
 * room for it, so that nothing waits here for one that is slow or was away.
 */
import type { ServerResponse } from "node:http";
import type { Cancel, ChainEvents, ChainReader, Clock, Log } from "../../interfaces.ts";
import { refuse } from "./errors.ts";
import type { EventFilter } from "./event-filter.ts";
import { EventPages } from "./event-pages.ts";
import { type EventPosition, positionText } from "./event-position.ts";
import type { Outgoing } from "./outgoing.ts";
import { Ongoing } from "./reply.ts";
import { Turns } from "./turns.ts";

/** Most readers at once: the other connections are for requests. */
export const MAX_READERS = 600;
/**
 * While so many bytes wait for a reader it is given no more. What waits at most is that, a page and an event; a
 * connection that takes nothing of it is ended (`outgoing.ts`).
 */
const BACKLOG_BYTES = 64 * 1024;
/** A reader hears something this often at least, so that both ends know that the other one is there, ms. */
const HEARTBEAT_MS = 15_000;
const LOOK_MS = HEARTBEAT_MS / 3;
/** How long a client is to wait before it connects again, ms. */
const RETRY_MS = 2_000;
/** Between two turns of writing all else has its turn, ms. */
const TURN_MS = 10;

/** Somebody who reads. */
export class EventReader {
  readonly filter: EventFilter;
  position: EventPosition;
  /** Whether it waits for its turn already. */
  isDue = false;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #count: (waiting: number) => void;
  /** What the last id said, and when anything was said, ms. */
  #said: EventPosition;
  #saidAt: number;

  constructor(
    response: ServerResponse,
    filter: EventFilter,
    position: EventPosition,
    clock: Clock,
    outgoing: Outgoing,
  ) {
    this.filter = filter;
    this.position = position;
    this.#response = response;
    this.#clock = clock;
    this.#count = outgoing.holdGrowing(response);
    this.#said = position;
    this.#saidAt = clock.monotonic();
    this.write(`retry: ${RETRY_MS}\nid: ${positionText(position)}\n\n`);
    response.on("drain", () => this.#count(response.writableLength));
  }

  /** Whether it takes more. */
  get hasRoom(): boolean {
    return this.#response.writableLength < BACKLOG_BYTES;
  }

  /** Writes what leads to a position; undefined: nothing that is to be said. */
  tell(bytes: Uint8Array | undefined, next: EventPosition): void {
    this.position = next;
    if (bytes === undefined) return;
    this.#said = next;
    this.write(bytes);
  }

  write(bytes: Uint8Array | string): void {
    this.#saidAt = this.#clock.monotonic();
    this.#response.write(bytes);
    this.#count(this.#response.writableLength);
  }

  /** Says where it stands if nothing was said for a while: what it need not be told leads on as well. */
  beat(): void {
    if (!this.hasRoom || this.#clock.monotonic() - this.#saidAt < HEARTBEAT_MS) return;
    const { position } = this;
    this.write(position === this.#said ? ":\n\n" : `:\nid: ${positionText(position)}\n\n`);
    this.#said = position;
  }

  end(): void {
    this.#response.end();
  }
}

/** All readers of a server. */
export class EventReaders {
  readonly #clock: Clock;
  readonly #outgoing: Outgoing;
  readonly #log: Log;
  readonly #pages: EventPages;
  readonly #readers = new Set<EventReader>();
  readonly #turns: Turns<EventReader>;
  readonly #stopHearing: () => void;
  #cancelLook: Cancel | undefined;
  #isClosed = false;

  constructor(options: {
    readonly reader: ChainReader;
    readonly events: ChainEvents;
    readonly clock: Clock;
    readonly outgoing: Outgoing;
    readonly log: Log;
  }) {
    const { reader, events, clock, outgoing, log } = options;
    this.#log = log;
    this.#clock = clock;
    this.#outgoing = outgoing;
    this.#pages = new EventPages(reader);
    this.#turns = new Turns(clock, 1, ([one]) => this.#serve(one), TURN_MS);
    this.#stopHearing = events.onCommit(() => {
      this.#pages.renew();
      for (const one of this.#readers) this.#due(one);
    });
  }

  /** How many there are. */
  get count(): number {
    return this.#readers.size;
  }

  /**
   * The answer to somebody who is to read from a position on; from the tip on unless given.
   * @throws ApiError 503 when there are too many, or the server ends
   */
  answer(filter: EventFilter, since: EventPosition | undefined): Ongoing {
    if (this.#isClosed) throw refuse("closing");
    if (this.#readers.size >= MAX_READERS) throw refuse("busy");
    return new Ongoing((response) => this.#enter(response, filter, since ?? this.#pages.tip()));
  }

  /** Ends all. */
  close(): void {
    this.#isClosed = true;
    this.#stopHearing();
    this.#cancelLook?.();
    this.#turns.clear();
    for (const one of this.#readers) one.end();
    this.#readers.clear();
  }

  #enter(response: ServerResponse, filter: EventFilter, position: EventPosition): void {
    const one = new EventReader(response, filter, position, this.#clock, this.#outgoing);
    this.#readers.add(one);
    response.on("drain", () => this.#due(one));
    response.once("close", () => this.#readers.delete(one));
    // A client that breaks off while it is written to.
    response.on("error", () => this.#readers.delete(one));
    this.#cancelLook ??= this.#clock.after(LOOK_MS, () => this.#look());
    this.#due(one);
  }

  #due(one: EventReader): void {
    if (one.isDue || !one.hasRoom) return;
    one.isDue = true;
    this.#turns.add(one);
  }

  /** One page for one reader; then it is the next one's turn. */
  #serve(one: EventReader): void {
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
    for (const one of this.#readers) one.beat();
    this.#cancelLook = this.#readers.size === 0 ? undefined : this.#clock.after(LOOK_MS, () => this.#look());
  }
}
