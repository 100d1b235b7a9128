/**
 * What happens on the chain of a node, one event after another, for programs and browsers. It connects again by itself and
 * goes on behind the last event.
 */
import type { EventData } from "../api/schemas/events.ts";
import { JsonError, parseJson } from "../bytes/json.ts";
import type { Clock } from "../interfaces.ts";
import { setTimer } from "./bounded-fetch.ts";
import { FailedRequestError } from "./client.ts";
import { decode } from "./decode.ts";
import { type EventMessage, EventMessages, EventStreamError } from "./event-messages.ts";
import { shapes } from "./shapes.ts";

type Name = keyof EventData;

/** An event: its name, what it tells, and the id behind which `since` goes on; what comes to the pool has none. */
export type ChainEvent = {
  readonly [N in Name]: { readonly event: N; readonly id: string | undefined; readonly data: EventData[N] };
}[Name];

/** What is used of `fetch` for a stream: that of the platform will do. */
export type StreamFetch = (
  url: string,
  init: { readonly headers: Record<string, string>; readonly signal: AbortSignal },
) => Promise<{
  readonly status: number;
  readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}>;

export interface EventsOptions {
  /** `http://127.0.0.1:6869`, with or without a slash at its end. */
  readonly url: string;
  readonly fetch: StreamFetch;
  /** Which events; blocks, micro blocks and transactions unless given. */
  readonly events?: readonly ("block" | "microblock" | "transaction" | "pool")[];
  /** Only transactions of these types, accounts and ids. */
  readonly type?: readonly string[];
  readonly address?: readonly string[];
  readonly id?: readonly string[];
  /** The id to go on behind, `0` for the whole chain; from now on unless given. */
  readonly since?: string | undefined;
  /** Told the ids that come without an event: `since` goes on behind them too. The first tells where it begins. */
  readonly onId?: ((id: string) => void) | undefined;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
  /** How time passes; that of the platform unless given. */
  readonly after?: Clock["after"];
}

const RETRY_DELAY_MS = 2_000;
const MAX_RETRY_DELAY_MS = 30_000;
/** Whatever a node says: one that ends each connection at once is not to be asked without a pause. */
const MIN_RETRY_DELAY_MS = 100;
/** A node says something every 15 seconds: a connection that is silent for longer is none. */
const IDLE_TIMEOUT_MS = 45_000;
const MAX_DEPTH = 1_000;

/** Where to go on stands in the URL: for a header, browsers would ask for leave first. */
function pathOf({ url, events, type, address, id }: EventsOptions, since: string | undefined): string {
  const query = new URLSearchParams(since === undefined ? [] : [["since", since]]);
  for (const [name, values] of Object.entries({ events, type, address, id }))
    if (values !== undefined && values.length > 0) query.append(name, values.join(","));
  return `${url.replace(/\/$/, "")}/events${query.size === 0 ? "" : `?${query}`}`;
}

/** The event of a message; undefined where it tells none. */
function parseEvent({ event, id, data }: EventMessage): ChainEvent | undefined {
  if (event === undefined || data === "") return undefined;
  const value = decode(parseJson(data, { depth: MAX_DEPTH }), shapes["GET /events"]);
  // A test holds what is decoded here to the schemas that the types come from.
  return { event, id, data: value } as unknown as ChainEvent;
}

/** One connection: its messages, until it breaks. */
async function* messages(options: EventsOptions, lastId: string | undefined): AsyncGenerator<EventMessage> {
  const { fetch, signal, after = setTimer } = options;
  const connection = new AbortController();
  const end = (): void => connection.abort();
  signal?.addEventListener("abort", end);
  let cancel = after(IDLE_TIMEOUT_MS, end);
  try {
    const answer = await fetch(pathOf(options, lastId), {
      headers: { accept: "text/event-stream" },
      signal: connection.signal,
    });
    if (answer.status !== 200)
      throw new FailedRequestError("GET /events", answer.status, await answer.text());
    if (answer.body === null) throw new EventStreamError("this platform reads no streams");
    const pieces = answer.body.getReader();
    const parts = new EventMessages();
    for (;;) {
      const { value, done } = await pieces.read();
      if (done) return;
      cancel();
      cancel = after(IDLE_TIMEOUT_MS, end);
      yield* parts.add(value);
    }
  } finally {
    cancel();
    signal?.removeEventListener("abort", end);
    end();
  }
}

/** Whether the same request will be refused again, whenever it comes. */
function isPermanent(error: unknown): boolean {
  if (error instanceof EventStreamError || error instanceof JsonError) return true;
  return error instanceof FailedRequestError && error.status < 500 && error.status !== 429;
}

/**
 * Events as they come, until `signal` ends it or the loop that takes them is left. Where the connection breaks or the
 * node is away, it connects again and goes on: no event is missed and none comes twice, but for those of the pool. Where
 * the node does not remember the way from the last one, the event `gap` says so.
 * @throws FailedRequestError when the node refuses what is asked for
 */
export async function* readEvents(options: EventsOptions): AsyncGenerator<ChainEvent, void> {
  const { signal, onId, after = setTimer } = options;
  const isOver = (): boolean => signal?.aborted === true;
  let lastId = options.since;
  let retryMs = RETRY_DELAY_MS;
  let failures = 0;
  while (!isOver()) {
    try {
      for await (const message of messages(options, lastId)) {
        failures = 0;
        retryMs = Math.max(message.retry ?? retryMs, MIN_RETRY_DELAY_MS);
        if (message.id !== undefined) lastId = message.id;
        const event = parseEvent(message);
        if (event !== undefined) yield event;
        else if (message.id !== undefined) onId?.(message.id);
        if (isOver()) return;
      }
    } catch (error) {
      if (isPermanent(error)) throw error;
      // The node is away or too busy, or the connection broke: whatever it was, it is tried again.
      failures++;
    }
    if (isOver()) return;
    await new Promise<void>((resolve) => {
      const stop = (): void => {
        signal?.removeEventListener("abort", stop);
        cancel();
        resolve();
      };
      const cancel = after(Math.min(retryMs * 2 ** Math.min(failures, 10), MAX_RETRY_DELAY_MS), stop);
      signal?.addEventListener("abort", stop);
    });
  }
}
