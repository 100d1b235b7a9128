import { concatBytes } from "../bytes/compare.ts";
import { JsonError, parseJson } from "../bytes/json.ts";
import { decodeUtf8 } from "../bytes/utf8.ts";
import type { Clock } from "../interfaces.ts";
import type { Fetch, FetchedAnswer } from "./client.ts";
import { type Decoded, decode } from "./decode.ts";

export interface BoundedAnswer {
  readonly status: number;
  readonly body: ReadableStream<Uint8Array> | null;
}

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

export interface BoundedFetchOptions<A extends BoundedAnswer = BoundedAnswer> {
  readonly fetch: BoundedFetch<A>;
  readonly after?: Clock["after"] | undefined;
  /** For one request; default: 20 s. */
  readonly timeoutMs?: number | undefined;
}

/** The connection fails, breaks or times out, or the node reports that it cannot answer. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/** The node cannot have received the request. */
export class NotConnectedError extends NoAnswerError {}

export class TimeoutError extends NoAnswerError {}

/** The node sent an answer that a correct node does not send. */
export class InvalidAnswerError extends Error {
  override readonly name = "InvalidAnswerError";
}

const RESPONSE_TIMEOUT_MS = 20_000;
/** Maximum nesting of JSON. Only user data can nest deeply. */
const MAX_DEPTH = 1_000;

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
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return concatBytes(...chunks);
    length += value.length;
    if (length > limit) throw new InvalidAnswerError(`its answer has more than ${limit} bytes`);
    chunks.push(value);
  }
}

function failureReason(error: unknown): string {
  const { message = "", cause } = error instanceof Error ? error : {};
  const inner = cause instanceof Error ? cause.message : "";
  return (
    `${message}${inner === "" ? "" : `: ${inner}`}`.replace(/\s+/g, " ").slice(0, 200) || "no connection"
  );
}

/** Errors of Node.js before a connection exists. */
const CONNECT_FAILURES = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Returns false in browsers, which do not report the reason. */
function isConnectFailure(error: unknown): boolean {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  const { code, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  // Node.js refuses some ports.
  return CONNECT_FAILURES.has(String(code)) || message === "bad port";
}

/**
 * @param limit maximum size of the answer after decompression, bytes
 * @throws NoAnswerError, InvalidAnswerError
 */
export function fetchBounded(options: BoundedFetchOptions, url: string, limit: number): Promise<Fetched> {
  return exchange(options, url, { headers: { accept: "*/*" } }, limit, (status) => {
    if (status >= 500 || status === 429) throw new NoAnswerError(`it answers ${status}`);
  });
}

/** Like `fetchBounded`, but posts JSON and accepts any status. */
export function postBounded(
  options: BoundedFetchOptions,
  url: string,
  json: string,
  limit: number,
): Promise<Fetched> {
  const headers = { accept: "*/*", "content-type": "application/json" };
  return exchange(options, url, { method: "POST", body: json, headers }, limit);
}

/** Returns a `fetch` for an API client. It limits time and size, and throws NoAnswerError and InvalidAnswerError. */
export function limitedFetch(
  options: BoundedFetchOptions<BoundedAnswer & { readonly headers: Pick<FetchedAnswer["headers"], "get"> }>,
  limit: number,
): Fetch {
  return async (url, request) => {
    const { status, bytes, answer } = await exchange(options, url, request, limit);
    return {
      status,
      headers: answer.headers,
      text: async () => decodeUtf8(bytes),
      // Copy the bytes, which may be part of a larger buffer.
      arrayBuffer: async () => Uint8Array.from(bytes).buffer,
    };
  };
}

async function exchange<A extends BoundedAnswer>(
  options: BoundedFetchOptions<A>,
  url: string,
  request: Pick<Parameters<BoundedFetch>[1], "method" | "body" | "headers">,
  limit: number,
  checkStatus: (status: number) => void = () => {},
): Promise<Fetched & { readonly answer: A }> {
  const { fetch, after = setTimer, timeoutMs = RESPONSE_TIMEOUT_MS } = options;
  const connection = new AbortController();
  let cancel: () => void = () => {};
  // A connection or stream may ignore the abort signal.
  const timeout = new Promise<never>((_, reject) => {
    cancel = after(timeoutMs, () => reject(new TimeoutError(`no answer within ${timeoutMs} ms`)));
  });
  const fetchAnswer = async (): Promise<Fetched & { readonly answer: A }> => {
    const { signal } = connection;
    const answer = await fetch(url, { ...request, signal, redirect: "error" });
    const { status, body } = answer;
    checkStatus(status);
    return { status, bytes: await readAll(body, limit), answer };
  };
  const answer = fetchAnswer();
  // Avoid an unhandled rejection of the promise that settles last.
  for (const promise of [timeout, answer]) promise.catch(() => {});
  try {
    return await Promise.race([answer, timeout]);
  } catch (error) {
    if (error instanceof NoAnswerError || error instanceof InvalidAnswerError) throw error;
    // Any other error: no complete answer arrived.
    throw isConnectFailure(error)
      ? new NotConnectedError(failureReason(error))
      : new NoAnswerError(failureReason(error));
  } finally {
    cancel();
    connection.abort();
  }
}

/** @throws InvalidAnswerError */
export function parseAnswer(bytes: Uint8Array): Decoded {
  try {
    return decode(parseJson(decodeUtf8(bytes), { maxDepth: MAX_DEPTH }));
  } catch (error) {
    if (error instanceof JsonError || error instanceof RangeError)
      throw new InvalidAnswerError("its answer is not JSON");
    throw error;
  }
}
