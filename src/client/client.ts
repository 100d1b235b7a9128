/** Typed API client for programs and browsers. */
import { type JsonOut, parseJson, printJson } from "../bytes/json.ts";
import { type Decoded, decode, membersOf, type Shape } from "./decode.ts";
import type { ReadPosition } from "./read-position.ts";
import { shapes } from "./shapes.ts";
import type { Answer, Arguments, RouteKey } from "./types.ts";

const MAX_JSON_DEPTH = 1_000;

const ACCEPTED = 202;

export interface FetchedAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The part of `fetch` that the client uses. The function must follow redirects. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
  },
) => Promise<FetchedAnswer>;

export interface ClientOptions {
  /** Base URL of the node: `http://127.0.0.1:6869`. A trailing slash is optional. */
  readonly url: string;
  readonly fetch: Fetch;
  readonly apiKey?: string | undefined;
  /**
   * The client sends this position as `atLeast`: the node answers only after reaching it. The client then stores
   * the answer's position here.
   */
  readonly position?: ReadPosition | undefined;
}

export class FailedRequestError extends Error {
  override readonly name = "FailedRequestError";
  readonly status: number;
  readonly answer: Decoded;

  constructor(route: string, status: number, answer: Decoded) {
    super(`${route}: ${status} ${typeof answer === "string" ? answer : messageOf(answer)}`);
    this.status = status;
    this.answer = answer;
  }
}

export interface Client {
  /**
   * Resolves to undefined if the node processes the request later (202).
   * @throws FailedRequestError for any status other than 200 and 202
   * @throws RangeError for a path parameter that is empty or `.` or `..`
   */
  call<Key extends RouteKey>(key: Key, ...request: Arguments<Key>): Promise<Answer<Key>>;
  callWithHeaders<Key extends RouteKey>(
    key: Key,
    ...request: Arguments<Key>
  ): Promise<AnswerWithHeaders<Key>>;
}

export interface AnswerWithHeaders<Key extends RouteKey> {
  readonly value: Answer<Key>;
  header(name: string): string | null;
}

function messageOf(answer: Decoded): string {
  const { message, error, details } = membersOf(answer);
  return String(message ?? error ?? details ?? "");
}

interface RequestParts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function pathOf(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name]);
    if (value === "" || value === "." || value === "..")
      throw new RangeError(`Invalid path parameter ${name}: '${value}'`);
    return encodeURIComponent(value);
  });
}

/** Omits undefined values; repeats the name for each element of a list. */
function queryOf(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const item of values) if (item !== undefined) parameters.append(name, String(item));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}

async function readAnswer(answer: FetchedAnswer, shape: Shape | undefined): Promise<Decoded | Uint8Array> {
  const type = answer.headers.get("content-type") ?? "";
  // Some media types of DID answers, such as `application/did`, lack `json`.
  if (/json|^application\/did\b/.test(type))
    return decode(parseJson(await answer.text(), { maxDepth: MAX_JSON_DEPTH }), shape);
  return /^text\//.test(type) ? await answer.text() : new Uint8Array(await answer.arrayBuffer());
}

export function createClient({ url, fetch, apiKey, position }: ClientOptions): Client {
  const base = url.replace(/\/$/, "");
  const keyHeader: Record<string, string> = apiKey === undefined ? {} : { "x-api-key": apiKey };
  const callWithHeaders = async <Key extends RouteKey>(
    key: Key,
    ...[request]: Arguments<Key>
  ): Promise<AnswerWithHeaders<Key>> => {
    // `Arguments` has only these members.
    const { params = {}, query = {}, body, headers = {} } = (request ?? {}) as RequestParts;
    const [method, path] = key.split(" ") as [string, string];
    const isText = typeof body === "string";
    const contentType = isText ? "text/plain; charset=utf-8" : "application/json";
    // `atLeast` is in the query, because a header would cause a CORS preflight.
    const atLeast = position?.text;
    const answer = await fetch(base + pathOf(path, params) + queryOf({ ...query, atLeast }), {
      method,
      headers: { ...keyHeader, ...(body === undefined ? {} : { "content-type": contentType }), ...headers },
      // The types of JSON bodies allow only JSON values and bigints.
      ...(body === undefined ? {} : { body: isText ? body : printJson(body as JsonOut) }),
    });
    const header = (headerName: string): string | null => answer.headers.get(headerName);
    position?.remember(header("x-chain") ?? "");
    if (answer.status === ACCEPTED) {
      // `Answer<Key>` includes `undefined` for routes that answer 202.
      await answer.text();
      return { value: undefined as Answer<Key>, header };
    }
    if (answer.status !== 200) {
      const failure = await readAnswer(answer, undefined);
      throw new FailedRequestError(key, answer.status, failure instanceof Uint8Array ? null : failure);
    }
    // Tests check answers against the schemas of these types.
    const value = (await readAnswer(answer, shapes[key])) as Answer<Key>;
    return { value, header };
  };
  return { callWithHeaders, call: async (...args) => (await callWithHeaders(...args)).value };
}
