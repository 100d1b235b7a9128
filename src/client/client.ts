/**
 * A client of a node's API, for programs and browsers: it imports nothing of the server but types. A route is called by
 * the name that it has in the documentation; what it takes and answers follows from its definition.
 */
import { type JsonOut, parseJson, printJson } from "../bytes/json.ts";
import { type Decoded, decode, membersOf, type Shape } from "./decode.ts";
import { shapes } from "./shapes.ts";
import type { Answer, Arguments, RouteKey } from "./types.ts";

/** How deep answers may nest: those that hold what users wrote are as deep as that. */
const MAX_DEPTH = 1_000;

/** Status of what was taken to be done later. */
const ACCEPTED = 202;

/** What is used of an answer of `fetch`. */
export interface FetchedAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** What is used of `fetch`: that of the platform will do. It follows where a route leads elsewhere. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
  },
) => Promise<FetchedAnswer>;

export interface ClientOptions {
  /** `http://127.0.0.1:6869`, with or without a slash at its end. */
  readonly url: string;
  readonly fetch: Fetch;
  /** For the routes that ask for it. */
  readonly apiKey?: string | undefined;
}

/** The node answered that it did not do what was asked. */
export class FailedRequestError extends Error {
  override readonly name = "FailedRequestError";
  /** HTTP status. */
  readonly status: number;
  /** The JSON of the answer, or its text. */
  readonly answer: Decoded;

  constructor(key: string, status: number, answer: Decoded) {
    super(`${key}: ${status} ${typeof answer === "string" ? answer : messageOf(answer)}`);
    this.status = status;
    this.answer = answer;
  }
}

export interface Client {
  /**
   * Calls a route; undefined where the node took the request to do it later (202).
   * @throws FailedRequestError when the answer is another than the route's own
   * @throws RangeError for a parameter that no path can hold
   */
  call<Key extends RouteKey>(key: Key, ...wanted: Arguments<Key>): Promise<Answer<Key>>;
  /** The same, and what the headers say of it, such as the cursor of the next page. */
  callWithHeaders<Key extends RouteKey>(key: Key, ...wanted: Arguments<Key>): Promise<AnswerWithHeaders<Key>>;
}

/** An answer with its headers. */
export interface AnswerWithHeaders<Key extends RouteKey> {
  readonly value: Answer<Key>;
  /** A header by its name; null where there is none. */
  header(name: string): string | null;
}

function messageOf(answer: Decoded): string {
  const { message, error, details } = membersOf(answer);
  return String(message ?? error ?? details ?? "");
}

/** What any route may be given. */
interface RequestParts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The path with its parameters in place. A URL has no segments that are empty or made of dots. */
function pathOf(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name]);
    if (value === "" || value === "." || value === "..")
      throw new RangeError(`no path can hold '${value}' as ${name}`);
    return encodeURIComponent(value);
  });
}

/** The query behind a path; what is undefined is left out, and a list is given one by one. */
function queryOf(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const one of values) if (one !== undefined) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}

async function read(answer: FetchedAnswer, shape: Shape | undefined): Promise<Decoded | Uint8Array> {
  const type = answer.headers.get("content-type") ?? "";
  // The types of DIDs name JSON without saying so.
  if (/json|^application\/did\b/.test(type))
    return decode(parseJson(await answer.text(), { depth: MAX_DEPTH }), shape);
  return /^text\//.test(type) ? await answer.text() : new Uint8Array(await answer.arrayBuffer());
}

/** A client of the node at `url`. */
export function createClient({ url, fetch, apiKey }: ClientOptions): Client {
  const base = url.replace(/\/$/, "");
  const key: Record<string, string> = apiKey === undefined ? {} : { "x-api-key": apiKey };
  const callWithHeaders = async <Key extends RouteKey>(
    name: Key,
    ...[wanted]: Arguments<Key>
  ): Promise<AnswerWithHeaders<Key>> => {
    // Whatever a route takes is made of these.
    const { params = {}, query = {}, body, headers = {} } = (wanted ?? {}) as RequestParts;
    const [method, path] = name.split(" ") as [string, string];
    const isText = typeof body === "string";
    const type = isText ? "text/plain; charset=utf-8" : "application/json";
    const answer = await fetch(base + pathOf(path, params) + queryOf(query), {
      method,
      headers: { ...key, ...(body === undefined ? {} : { "content-type": type }), ...headers },
      // The type of a JSON body is made of what JSON holds, and bigints.
      ...(body === undefined ? {} : { body: isText ? body : printJson(body as JsonOut) }),
    });
    const header = (wanted: string): string | null => answer.headers.get(wanted);
    if (answer.status === ACCEPTED) {
      // Its body says nothing. The type of the answer has `undefined` where the route may answer so.
      await answer.text();
      return { value: undefined as Answer<Key>, header };
    }
    if (answer.status !== 200) {
      const failure = await read(answer, undefined);
      throw new FailedRequestError(name, answer.status, failure instanceof Uint8Array ? null : failure);
    }
    // The tests hold what is decoded here to the schema that the type comes from.
    const value = (await read(answer, shapes[name])) as Answer<Key>;
    return { value, header };
  };
  return { callWithHeaders, call: async (...wanted) => (await callWithHeaders(...wanted)).value };
}
