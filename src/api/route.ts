/**
 * What a route is: defined once, with the schemas of what it takes and answers. The server is built from the list of
 * all routes, and so is the OpenAPI document.
 */
import type { FastifyRequest, HTTPMethods } from "fastify";
import type { TSchema } from "typebox";
import type { JsonOut, JsonValue } from "../bytes/json.ts";
import type { NodeControl, Outcome } from "../control/index.ts";
import { tryParseAddress } from "../crypto/addresses.ts";
import { keyFailure } from "../http/access/auth.ts";
import type { Sender } from "../http/access/proxies.ts";
import { ApiError, type ApiFailure, apiError, failure } from "../http/errors.ts";
import { jsonBody, textBody } from "../http/requests/body.ts";
import { header } from "../http/requests/headers.ts";
import { pathInteger } from "../http/requests/path-matcher.ts";
import type { Reply } from "../http/responses/reply.ts";
import type { ChainEvents, ChainReader, ChainSnapshot, Clock, IndexName, Log } from "../interfaces.ts";
import type { Transaction } from "../transactions/index.ts";
import { type CommitWaits, MAX_WAIT_MS } from "./events/commit-waits.ts";
import type { EventStreams } from "./events/subscriptions.ts";
import type { ApiInfo } from "./info.ts";
import { withoutChanges } from "./ports/control-port.ts";
import { controlFailure } from "./refusals.ts";
import type { ResponseDescription } from "./schemas/failures.ts";

export interface Api {
  readonly reader: ChainReader;
  readonly control: NodeControl;
  readonly events: ChainEvents;
  readonly eventStreams: EventStreams;
  readonly commitWaits: CommitWaits;
  readonly info: ApiInfo;
  readonly clock: Clock;
  readonly log: Log;
  /** Who sends a request, also through proxies. */
  readonly senderOf: (request: FastifyRequest) => Sender;
  /** Milliseconds since 1970, later than what any earlier call gave. Page 06 §6.1. */
  uniqueTime(): bigint;
  /** To be awaited between two slices of long work: only one slice is done in a turn of the event loop. */
  yieldToEventLoop(): Promise<void>;
}

/** A JSON value is answered with status 200. */
export type Answer = JsonOut | Reply;

type Access =
  | "open"
  /** The API key; asked for before the body is read. */
  | "key"
  /** The API key; asked for by the handler itself (`call.requireKey()`). Page 06 §3, order of the checks. */
  | "key-in-handler"
  /** The token of the indexer where one is configured; asked for by the handler itself (`tokenFailure`). */
  | "token";

/** A request that works on a fresh node of the network `dev`, as far as one can that knows nothing but the genesis. */
export interface RouteExample {
  /** Where the `examples` of the schema will not do. */
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** JSON, or a text; made of the time (ms) where it is good for a while only. */
  readonly body?: unknown | ((now: number) => unknown);
}

export interface RouteRequest {
  /** Schema of each path parameter; integers match decimal digits up to 2^31 - 1 only. */
  readonly params?: Readonly<Record<string, TSchema>>;
  readonly query?: Readonly<Record<string, TSchema>>;
  /** Parameters of the query without which the route is not found. */
  readonly required?: readonly string[];
  readonly body?: { readonly kind: "json" | "text"; readonly schema: TSchema };
  /** Shown in the description and sent by its page, next to the examples of the schemas. */
  readonly example?: RouteExample;
}

export interface HeaderDescription {
  readonly description: string;
  /** Whether every such answer has it. */
  readonly required?: true;
  readonly schema: TSchema;
}

interface RouteAnswers {
  /** Schema of the answer with status 200; `Nothing` when there is none. */
  readonly ok: TSchema;
  /** Media type of that answer; JSON by default. */
  readonly type?: string;
  /** Schemas by media type, where the request decides which of them is sent. */
  readonly forms?: Readonly<Record<string, TSchema>>;
  readonly headers?: Readonly<Record<string, HeaderDescription>>;
  /** Its answers have an entity tag, as those of all routes of the indexer that only read. */
  readonly hasEntityTag?: true;
  /** It leads elsewhere, with status 308. */
  readonly redirects?: true;
  /**
   * Other statuses of its own with what they mean: a text where the answer has the common form of failures, else one of
   * `schemas/failures.ts`. What any route may answer is not repeated (`openapi/answers.ts`).
   */
  readonly failures?: Readonly<Record<number, string | ResponseDescription>>;
  /** Answer when `Accept` excludes what the route sends; 404 by default. Page 06 §2.3. */
  readonly notAcceptable?: ApiFailure;
}

/** What it takes to answer, and what that depends on. */
interface RouteCost {
  /** Indexes that it reads: as long as one of them is being built, it answers 503 with the progress. */
  readonly indexes?: readonly IndexName[];
  /**
   * The answer follows from path, query and chain alone, from nothing of the node, the clock or the headers: it is
   * cached while the chain stays as it is. An answer that is a promise, or not `cacheable` itself, is not cached.
   */
  readonly cacheable?: true;
  /**
   * Names the form of a cacheable answer, where a header decides it: answers of different forms have different names.
   * Undefined for a form that is not cacheable.
   */
  cacheKey?(call: ReadCall): string | undefined;
  /** It answers with the cost of the script in its body, and is asked so ahead of requests that set one. */
  readonly estimatesScripts?: true;
}

interface RouteBase {
  readonly method: "GET" | "POST" | "DELETE";
  /** Further methods that are answered alike. */
  readonly alsoMethods?: readonly ("GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "HEAD")[];
  /** Path with `:name` for parameters, e.g. `/blocks/at/:height`. */
  readonly path: string;
  /** What may follow the path: a slash, further segments, or anything at all; nothing by default. Page 06 §2.6. */
  readonly tail?: "slash" | "segments" | "anything";
  /** `index`: a route of the indexer, served under `/index` too, in the manner of page 07 §3. */
  readonly family?: "index";
  /** Tag of the description; that of its list by default. */
  readonly tag?: string;
  readonly summary: string;
  /** `open` by default. */
  readonly access?: Access;
  readonly request?: RouteRequest;
  readonly answers: RouteAnswers;
}

/** A route that may ask the node. It runs in the thread that serves HTTP and takes little of it. */
interface LightRoute extends RouteBase {
  readonly cost?: RouteCost & { readonly isExpensive?: undefined };
  readonly runsInReader?: undefined;
  handle(call: Call): Answer | Promise<Answer>;
}

/**
 * A route whose answer may be long, or long in the making: it only reads, and is answered by a reading thread
 * (`reading/reader-queue.ts`).
 */
interface ReaderRouteDefinition extends RouteBase {
  readonly cost?: RouteCost & {
    /** Returns true if this request needs a reader, at little cost; others are answered at once. All do by default. */
    isExpensive?(call: ReadCall): boolean;
  };
  readonly runsInReader: true;
  readonly handle: (call: ReadCall) => Answer;
}

export type RouteDefinition = LightRoute | ReaderRouteDefinition;

/** What a route has by its place in the lists. */
interface RouteIdentity {
  readonly tag: string;
  /** Position in the list of all routes, by which threads name it to each other. */
  readonly id: number;
}

export type Route = RouteDefinition & RouteIdentity;

/** A route that a reading thread may answer. */
export type ReaderRoute = ReaderRouteDefinition & RouteIdentity;

export function isReaderRoute(route: Route): route is ReaderRoute {
  return route.runsInReader === true;
}

/** Routes that share a tag of the description. */
export interface RouteList<Routes extends readonly RouteDefinition[] = readonly RouteDefinition[]> {
  readonly tag: string;
  readonly routes: Routes;
}

/** Lists routes under a tag, with the types of their members. */
export function routesOf<const Routes extends readonly RouteDefinition[]>(
  tag: string,
  routes: Routes,
): RouteList<Routes> {
  return { tag, routes };
}

/** Whether HEAD is answered as GET without its body. Page 07 §3.4; the node's own routes do not know HEAD (page 06 §2.7). */
export function answersHead(route: RouteDefinition): boolean {
  return route.family === "index" && route.method === "GET";
}

export function isKeyRoute({ access }: RouteDefinition): boolean {
  return access === "key" || access === "key-in-handler";
}

/** Whether answers of a route have an entity tag: those of the indexer that only read (page 07 §3.4), and as it says. */
export function hasEntityTag(route: RouteDefinition): boolean {
  return route.method === "GET" && (route.answers.hasEntityTag === true || route.family === "index");
}

/** The paths under which a route is served. */
export function pathsOf(route: RouteDefinition): string[] {
  const { path } = route;
  const own =
    route.tail === "anything"
      ? [`${path}*`]
      : route.tail === "segments"
        ? [path, `${path}/*`]
        : route.tail === "slash" || route.family === "index"
          ? [path, `${path}/`]
          : [path];
  return route.family === "index" ? [...own, ...own.map((one) => `/index${one}`)] : own;
}

export function methodsOf(route: RouteDefinition): HTTPMethods[] {
  return [route.method, ...(route.alsoMethods ?? [])];
}

/** Longest path parameter, in characters. Page 06 §2.1. */
export const MAX_PARAMETER_LENGTH = 2_048;

export type ReadApi = Pick<Api, "reader" | "info">;

/** What a request asks for: the parameters of path and query, what it carries, and what else an answer may depend on. */
export interface ReadRequest {
  /** By name, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body?: Uint8Array | undefined;
  /** `Content-Type` as the client sent it. */
  readonly contentTypeSent?: string | undefined;
  /** `Accept`, if there is one. */
  readonly accept: string | undefined;
  /** The node's time when it came, whole ms since 1970. */
  readonly now: number;
}

export class ReadCall {
  readonly #api: ReadApi;
  /** As it goes to a reading thread. */
  readonly readRequest: ReadRequest;

  constructor(api: ReadApi, asked: ReadRequest) {
    this.#api = api;
    this.readRequest = asked;
  }

  /** What is known of node and network. */
  get info(): ApiInfo {
    return this.#api.info;
  }

  /** A path parameter, percent-decoded. */
  param(name: string): string {
    return this.readRequest.params[name];
  }

  /** A path parameter whose schema is an integer. */
  int(name: string): number {
    const value = pathInteger(this.param(name));
    if (value === undefined) throw apiError("notFound");
    return value;
  }

  /** A path parameter that is an address, prefix `address:` accepted. @throws ApiError 102 */
  address(name = "address"): Uint8Array {
    const bytes = tryParseAddress(this.param(name), this.info.network.chainId);
    if (bytes === undefined) throw apiError("invalidAddress");
    return bytes;
  }

  /** First value of a query parameter. */
  query(name: string): string | undefined {
    return this.readRequest.query.get(name) ?? undefined;
  }

  /** All values of a query parameter. */
  queryAll(name: string): string[] {
    return this.readRequest.query.getAll(name);
  }

  /** All parameters of the query, in order. */
  queryParameters(): [name: string, value: string][] {
    return [...this.readRequest.query];
  }

  /** The body as it came; empty when there is none. */
  bytes(): Uint8Array {
    return this.readRequest.body ?? new Uint8Array(0);
  }

  /** `Content-Type` as the client sent it. */
  contentType(): string | undefined {
    return this.readRequest.contentTypeSent;
  }

  text(): string {
    return textBody(this.bytes(), this.contentType());
  }

  /** Reads the chain, in one snapshot. */
  read<T>(reading: (chain: ChainSnapshot) => T): T {
    return this.#api.reader.read(reading);
  }
}

export class Call extends ReadCall {
  readonly api: Api;
  readonly request: FastifyRequest;

  readonly #refusal: ApiFailure | undefined;

  /** @param refusal what is answered in place of a success: the client takes nothing that the route sends */
  constructor(api: Api, request: FastifyRequest, refusal?: ApiFailure) {
    super(api, readRequestOf(request, api.clock));
    this.api =
      refusal === undefined ? api : { ...api, control: withoutChanges(api.control, new ApiError(refusal)) };
    this.request = request;
    this.#refusal = refusal;
  }

  /**
   * Asked before a handler does anything but read. What it asks of `control` is held to the same without it.
   * @throws ApiError when the answer would be refused by the client. Page 06 §2.3
   */
  requireAcceptable(): void {
    if (this.#refusal !== undefined) throw new ApiError(this.#refusal);
  }

  /** First value of a header. */
  header(name: string): string | undefined {
    return header(this.request.headers, name);
  }

  /**
   * What `look` finds on the chain: at once, or when it comes there within the time that the query gives as `wait`;
   * undefined where it does not.
   * @throws ApiError 400 for another `wait` than 0 to 20,000; 503 when too many wait; what `look` throws
   */
  waitFor<T>(look: () => T | undefined): T | undefined | Promise<T | undefined> {
    const text = this.query("wait");
    if (text === undefined) return look();
    const ms = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (!(ms <= MAX_WAIT_MS))
      throw new ApiError(failure(400, 400, `wait: must be a number of milliseconds, at most ${MAX_WAIT_MS}`));
    // Nothing is waited for by a client that takes no answer.
    this.requireAcceptable();
    return this.api.commitWaits.until(ms, this.request.raw.socket, look, this.api.senderOf(this.request));
  }

  /** The body as JSON. @throws ApiError error 1; 404 for an empty body */
  json(): JsonValue {
    return jsonBody(this.bytes());
  }

  /** @throws ApiError 403 when the request may not use key routes */
  requireKey(): void {
    const failure = keyFailure(this.request, this.api.info);
    if (failure !== undefined) throw new ApiError(failure);
  }
}

/** What a request asks for, as the server's router and parsers have read it. */
function readRequestOf(request: FastifyRequest, clock: Clock): ReadRequest {
  return {
    params: request.params as Readonly<Record<string, string>>,
    query: request.query as URLSearchParams,
    body: request.body as Uint8Array | undefined,
    contentTypeSent: request.contentTypeSent,
    accept: request.headers.accept,
    now: Math.floor(clock.now()),
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** `Content-Type` of the request, which the server takes away before Fastify judges it. */
    contentTypeSent: string | undefined;
  }
}

/**
 * What the node answered.
 * @param sent as that of `controlFailure`
 * @throws ApiError when it did not do what it was asked
 */
export function unwrap<T>(outcome: Outcome<T>, sent?: () => Transaction): T {
  if (!outcome.ok) throw new ApiError(controlFailure(outcome.error, sent));
  return outcome.value;
}
