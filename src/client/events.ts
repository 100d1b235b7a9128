/** Reads `/events`, and resumes after a lost connection. */
import type { EventData } from "../api/schemas/events.ts";
import { JsonError, parseJson } from "../bytes/json.ts";
import type { Clock } from "../interfaces.ts";
import { setTimer } from "./bounded-fetch.ts";
import { FailedRequestError } from "./client.ts";
import { decode } from "./decode.ts";
import { type EventMessage, EventMessages, EventStreamError } from "./event-messages.ts";
import { shapes } from "./shapes.ts";

type EventName = keyof EventData;

/** `id` is the event's position, which `since` accepts; pool events have none. */
export type ChainEvent = {
  readonly [N in EventName]: {
    readonly event: N;
    readonly id: string | undefined;
    readonly data: EventData[N];
  };
}[EventName];

export type StreamFetch = (
  url: string,
  init: { readonly headers: Record<string, string>; readonly signal: AbortSignal },
) => Promise<{
  readonly status: number;
  readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}>;

export interface EventsOptions {
  /** Base URL of the node: `http://127.0.0.1:6869`. A trailing slash is optional. */
  readonly url: string;
  readonly fetch: StreamFetch;
  /** Default: blocks, micro blocks and transactions. */
  readonly events?: readonly ("block" | "microblock" | "transaction" | "pool")[];
  /** `type`, `address` and `id` filter transactions only. */
  readonly type?: readonly string[];
  readonly address?: readonly string[];
  readonly id?: readonly string[];
  /** Id after which to start; `0`: the whole chain. Default: only new events. */
  readonly since?: string | undefined;
  /** Receives ids that the node sends without an event. `since` accepts these ids too. */
  readonly onId?: ((id: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly after?: Clock["after"];
}

const RETRY_DELAY_MS = 2_000;
const MAX_RETRY_DELAY_MS = 30_000;
/** Avoids a busy loop if a node closes every connection and sends `retry: 0`. */
const MIN_RETRY_DELAY_MS = 100;
/** Nodes send data at least every 15 seconds. */
const IDLE_TIMEOUT_MS = 45_000;
const MAX_JSON_DEPTH = 1_000;

function streamUrl({ url, events, type, address, id }: EventsOptions, since: string | undefined): string {
  const query = new URLSearchParams(since === undefined ? [] : [["since", since]]);
  for (const [name, values] of Object.entries({ events, type, address, id }))
    if (values !== undefined && values.length > 0) query.append(name, values.join(","));
  return `${url.replace(/\/$/, "")}/events${query.size === 0 ? "" : `?${query}`}`;
}

function parseEvent({ event, id, data }: EventMessage): ChainEvent | undefined {
  if (event === undefined || data === "") return undefined;
  const value = decode(parseJson(data, { maxDepth: MAX_JSON_DEPTH }), shapes["GET /events"]);
  // Tests check events against the schemas of these types.
  return { event, id, data: value } as unknown as ChainEvent;
}

async function* readMessages(
  options: EventsOptions,
  lastId: string | undefined,
): AsyncGenerator<EventMessage> {
  const { fetch, signal, after = setTimer } = options;
  const connection = new AbortController();
  const abort = (): void => connection.abort();
  signal?.addEventListener("abort", abort);
  let cancelTimeout = after(IDLE_TIMEOUT_MS, abort);
  try {
    const answer = await fetch(streamUrl(options, lastId), {
      headers: { accept: "text/event-stream" },
      signal: connection.signal,
    });
    if (answer.status !== 200)
      throw new FailedRequestError("GET /events", answer.status, await answer.text());
    if (answer.body === null) throw new EventStreamError("this platform does not support streams");
    const chunks = answer.body.getReader();
    const parser = new EventMessages();
    for (;;) {
      const { value, done } = await chunks.read();
      if (done) return;
      cancelTimeout();
      cancelTimeout = after(IDLE_TIMEOUT_MS, abort);
      yield* parser.add(value);
    }
  } finally {
    cancelTimeout();
    signal?.removeEventListener("abort", abort);
    abort();
  }
}

function isPermanent(error: unknown): boolean {
  if (error instanceof EventStreamError || error instanceof JsonError) return true;
  return error instanceof FailedRequestError && error.status < 500 && error.status !== 429;
}

/**
 * Yields events until `signal` aborts or the caller leaves the loop. Reconnects without losing or repeating events,
 * except pool events. The event `gap` means that the node no longer has the next events.
 * @throws FailedRequestError if the node rejects the request; EventStreamError; JsonError
 */
export async function* readEvents(options: EventsOptions): AsyncGenerator<ChainEvent, void> {
  const { signal, onId, after = setTimer } = options;
  const isAborted = (): boolean => signal?.aborted === true;
  let lastId = options.since;
  let retryMs = RETRY_DELAY_MS;
  let failures = 0;
  while (!isAborted()) {
    try {
      for await (const message of readMessages(options, lastId)) {
        failures = 0;
        retryMs = Math.max(message.retry ?? retryMs, MIN_RETRY_DELAY_MS);
        if (message.id !== undefined) lastId = message.id;
        const event = parseEvent(message);
        if (event !== undefined) yield event;
        else if (message.id !== undefined) onId?.(message.id);
        if (isAborted()) return;
      }
    } catch (error) {
      if (isPermanent(error)) throw error;
      failures++;
    }
    if (isAborted()) return;
    await new Promise<void>((resolve) => {
      const resume = (): void => {
        signal?.removeEventListener("abort", resume);
        cancel();
        resolve();
      };
      const cancel = after(Math.min(retryMs * 2 ** Math.min(failures, 10), MAX_RETRY_DELAY_MS), resume);
      signal?.addEventListener("abort", resume);
    });
  }
}
