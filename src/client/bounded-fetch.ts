/**
 * Answers of nodes that nobody need trust: no more bytes than there may be, no longer than they may take, and no node
 * leads to another.
 */

import { concatBytes } from "../bytes/compare.ts";
import { JsonError, parseJson } from "../bytes/json.ts";
import { decodeUtf8 } from "../bytes/utf8.ts";
import type { Clock } from "../interfaces.ts";
import type { Fetch, FetchedAnswer } from "./client.ts";
import { type Decoded, decode } from "./decode.ts";

/** What is used of an answer. */
export interface BoundedAnswer {
  readonly status: number;
  readonly body: ReadableStream<Uint8Array> | null;
}

/** What is used of `fetch`: that of the platform will do. */
export type BoundedFetch<A extends BoundedAnswer = BoundedAnswer> = (
  url: string,
  init: {
    readonly method?: string;
    readonly body?: string;
    readonly headers: Record<string, string>;
    readonly signal: AbortSignal;
    readonly redirect: "error";
  },
) => Promise<A>;

/** How nodes are asked. */
export interface BoundedFetchOptions<A extends BoundedAnswer = BoundedAnswer> {
  readonly fetch: BoundedFetch<A>;
  /** How time passes; that of the platform unless given. */
  readonly after?: Clock["after"] | undefined;
  /** What one answer may take, ms; 20 s unless given. */
  readonly timeoutMs?: number | undefined;
}

/** There was no answer: no connection, one that broke, one that took too long, or a node that says it cannot. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/** There was an answer that no node gives that is right. The message names no text of the answer. */
export class InvalidAnswerError extends Error {
  override readonly name = "WrongAnswerError";
}

const RESPONSE_TIMEOUT_MS = 20_000;
/** Answers that are read here do not nest deeper, but for transactions, which may hold what users wrote. */
const MAX_DEPTH = 1_000;

/** Timers of the platform. */
export const setTimer: Clock["after"] = (delayMs, task) => {
  const timer = setTimeout(task, delayMs);
  return () => clearTimeout(timer);
};

interface Fetched {
  readonly status: number;
  readonly bytes: Uint8Array;
}

async function readAll(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array(0);
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return concatBytes(...pieces);
    length += value.length;
    if (length > limit) throw new InvalidAnswerError(`its answer has more than ${limit} bytes`);
    pieces.push(value);
  }
}

/** What a failed `fetch` says of itself, on one line: texts of the platform, not of the node. */
function failureReason(error: unknown): string {
  const { message = "", cause } = error instanceof Error ? error : {};
  const inner = cause instanceof Error ? cause.message : "";
  return (
    `${message}${inner === "" ? "" : `: ${inner}`}`.replace(/\s+/g, " ").slice(0, 200) || "no connection"
  );
}

/**
 * The answer to GET.
 * @param limit the most bytes that it may have, once unpacked
 * @throws NoAnswerError, WrongAnswerError
 */
export function fetchBounded(asking: BoundedFetchOptions, url: string, limit: number): Promise<Fetched> {
  return exchange(asking, url, { headers: { accept: "*/*" } }, limit, (status) => {
    if (status >= 500 || status === 429) throw new NoAnswerError(`it answers ${status}`);
  });
}

/**
 * The answer to POST of a JSON text, whatever its status.
 * @param limit the most bytes that it may have, once unpacked
 * @throws NoAnswerError, WrongAnswerError
 */
export function postBounded(
  asking: BoundedFetchOptions,
  url: string,
  json: string,
  limit: number,
): Promise<Fetched> {
  const headers = { accept: "*/*", "content-type": "application/json" };
  return exchange(asking, url, { method: "POST", body: json, headers }, limit);
}

/**
 * `fetch` for a client of routes, none of whose answers has more than so many bytes or takes longer than it may.
 * Calls of it throw NoAnswerError and WrongAnswerError.
 */
export function limitedFetch(
  asking: BoundedFetchOptions<BoundedAnswer & { readonly headers: Pick<FetchedAnswer["headers"], "get"> }>,
  limit: number,
): Fetch {
  return async (url, request) => {
    const { status, bytes, answer } = await exchange(asking, url, request, limit);
    return {
      status,
      headers: answer.headers,
      text: async () => decodeUtf8(bytes),
      // A copy where the bytes stand in a longer array, which no caller asked for.
      arrayBuffer: async () => Uint8Array.from(bytes).buffer,
    };
  };
}

async function exchange<A extends BoundedAnswer>(
  asking: BoundedFetchOptions<A>,
  url: string,
  request: Pick<Parameters<BoundedFetch>[1], "method" | "body" | "headers">,
  limit: number,
  look: (status: number) => void = () => {},
): Promise<Fetched & { readonly answer: A }> {
  const { fetch, after = setTimer, timeoutMs = RESPONSE_TIMEOUT_MS } = asking;
  const connection = new AbortController();
  let cancel: () => void = () => {};
  // Raced, since nothing makes a connection or a stream heed the signal.
  const late = new Promise<never>((_, reject) => {
    cancel = after(timeoutMs, () => reject(new NoAnswerError(`no answer within ${timeoutMs} ms`)));
  });
  const answered = async (): Promise<Fetched & { readonly answer: A }> => {
    const { signal } = connection;
    const answer = await fetch(url, { ...request, signal, redirect: "error" });
    const { status, body } = answer;
    look(status);
    return { status, bytes: await readAll(body, limit), answer };
  };
  const answer = answered();
  // Whichever of the two comes second is nobody's any more.
  for (const promise of [late, answer]) promise.catch(() => {});
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    if (error instanceof NoAnswerError || error instanceof InvalidAnswerError) throw error;
    // Whatever else `fetch` and its streams throw, there was no whole answer.
    throw new NoAnswerError(failureReason(error));
  } finally {
    cancel();
    connection.abort();
  }
}

/** The value of JSON in bytes. @throws WrongAnswerError */
export function parseAnswer(bytes: Uint8Array): Decoded {
  try {
    return decode(parseJson(decodeUtf8(bytes), { depth: MAX_DEPTH }));
  } catch (error) {
    if (error instanceof JsonError || error instanceof RangeError)
      throw new InvalidAnswerError("its answer is no JSON");
    throw error;
  }
}
