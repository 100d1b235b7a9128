import type { FastifyRequest, HTTPMethods } from "fastify";
import type { TSchema } from "typebox";
import type { JsonOut, JsonValue } from "../bytes/json.ts";
import type { NodeControl, Outcome } from "../control/index.ts";
import { tryParseAddress } from "../crypto/addresses.ts";
import type { KeyCheck } from "../http/access/auth.ts";
import type { NamedKeys, Scope } from "../http/access/named-keys.ts";
import type { senderOf } from "../http/access/proxies.ts";
import { ApiError, type ApiFailure, apiError, failure } from "../http/errors.ts";
import { jsonBody, textBody } from "../http/requests/body.ts";
import { header } from "../http/requests/headers.ts";
import { pathInteger } from "../http/requests/path-matcher.ts";
import type { Reply } from "../http/responses/reply.ts";
import type {
  ChainCursor,
  ChainEvents,
  ChainReader,
  ChainSnapshot,
  Clock,
  IndexName,
  Log,
} from "../interfaces.ts";
import type { Transaction } from "../transactions/index.ts";
import { type CommitWaits, MAX_WAIT_MS } from "./events/commit-waits.ts";
import type { EventStreams } from "./events/subscriptions.ts";
import type { ApiInfo } from "./info.ts";
import { withoutChanges } from "./ports/control-port.ts";
import type { HealthCheck } from "./ports/health-check.ts";
import { controlFailure, exceededLimit } from "./refusals.ts";
import type { ResponseDescription } from "./schemas/failures.ts";
import type { UnitStreams } from "./units/subscriptions.ts";

export interface Api {
  readonly reader: ChainReader;
  readonly control: NodeControl;
  readonly healthCheck: HealthCheck;
  readonly events: ChainEvents;
  readonly eventStreams: EventStreams;
  readonly unitStreams: UnitStreams;
  readonly commitWaits: CommitWaits;
  readonly info: ApiInfo;
  readonly namedKeys: NamedKeys;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the client of a request, not a trusted proxy. */
  readonly senderOf: ReturnType<typeof senderOf>;
  /** Returns the time in ms since 1970, larger at each call. Page 06 §6.1. */
  uniqueTime(): bigint;
  restarts(): number;
  yieldToEventLoop(): Promise<void>;
}

/** A JSON value is sent with status 200. */
export type Answer = JsonOut | Reply;

type Access =
  | "open"
  /** The server checks the key before it reads the body. */
  | `key:${Scope}`
  /** The handler checks the key by `call.requireKey()`, after other parts of the request. Page 06 §3. */
  | `key-in-handler:${Scope}`
  /** The handler checks the indexer's token, if configured (`tokenFailure`). */
  | "token";

/** A request that succeeds on a new `dev` node. */
export interface RouteExample {
  /** Overrides the `examples` of the schema. */
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** A function of the time (ms since 1970) if the body expires. */
  readonly body?: unknown | ((now: number) => unknown);
}

export interface RouteRequest {
  /** Integers match only decimal digits up to 2^31 - 1. */
  readonly params?: Readonly<Record<string, TSchema>>;
  readonly query?: Readonly<Record<string, TSchema>>;
  /** The server answers 404 if one of these query parameters is missing. */
  readonly required?: readonly string[];
  readonly body?: { readonly kind: "json" | "text"; readonly schema: TSchema };
  readonly example?: RouteExample;
}

export interface HeaderDescription {
  readonly description: string;
  readonly required?: true;
  readonly schema: TSchema;
}

interface RouteAnswers {
  /** Schema for status 200; `Nothing` if the route never sends this status. */
  readonly ok: TSchema;
  /** Media type for status 200; default: JSON. */
  readonly type?: string;
  /** Schemas for status 200 by media type, if the request selects the type. */
  readonly forms?: Readonly<Record<string, TSchema>>;
  readonly headers?: Readonly<Record<string, HeaderDescription>>;
  /** Default: only GET routes of the indexer have entity tags. */
  readonly hasEntityTag?: true;
  readonly redirects?: true;
  /** By status: a text for the common error format, or a result of `schemas/failures.ts`. */
  readonly failures?: Readonly<Record<number, string | ResponseDescription>>;
  /** Answer if `Accept` excludes the media type; default: 404. Page 06 §2.3. */
  readonly notAcceptable?: ApiFailure;
}

interface RouteCost {
  /** While one of these is being built, the route answers 503 with the progress. */
  readonly indexes?: readonly IndexName[];
  /**
   * Answers depend only on path, query and chain, and are cached until the chain changes, except promises and replies
   * that are not `cacheable`.
   */
  readonly cacheable?: true;
  /** Distinguishes answers that depend on a header; undefined if the answer must not be cached. */
  cacheKey?(call: ReadCall): string | undefined;
  /** Before the server handles a request that sets a script, it estimates the script with this route. */
  readonly estimatesScripts?: true;
}

interface RouteBase {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly alsoMethods?: readonly ("GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "HEAD")[];
  readonly path: string;
  /** What may follow the path: a slash, more segments, or any text. Page 06 §2.6. */
  readonly tail?: "slash" | "segments" | "anything";
  /** Set if the route is also served under `/index`. Page 07 §3. */
  readonly family?: "index";
  /** Default: the tag of the `RouteList`. */
  readonly tag?: string;
  readonly summary: string;
  /** Default: `open`. */
  readonly access?: Access;
  readonly request?: RouteRequest;
  readonly answers: RouteAnswers;
  /**
   * How a follower answers. `own`: from its own data, with its own keys; `source-http`: it forwards the request;
   * `source`: it forwards the request, but a gateway calls a node's control. Default: see `FollowerAnswers`.
   */
  readonly onFollower?: "source" | "source-http" | "own";
  /** True if two sources may receive the same request; default: true for GET routes. */
  readonly isRepeatable?: true;
}

/** The handler runs in the HTTP thread, and must be quick. */
interface LightRoute extends RouteBase {
  readonly cost?: RouteCost & { readonly isExpensive?: undefined };
  readonly runsInReader?: undefined;
  readonly prepare?: undefined;
  handle(call: Call): Answer | Promise<Answer>;
}

/** The handler runs in a reader thread, and only reads the chain. */
interface ReaderRouteDefinition extends RouteBase {
  readonly cost?: RouteCost & {
    /** Returns false if the HTTP thread may handle the call; default: true. */
    isExpensive?(call: ReadCall): boolean;
  };
  readonly runsInReader: true;
  /**
   * Runs in the HTTP thread before the read, and asks the node for data that is not on the chain. The handler gets it
   * as `readRequest.prepared`.
   */
  prepare?(call: Call): Promise<unknown> | undefined;
  readonly handle: (call: ReadCall) => Answer;
}

export type RouteDefinition = LightRoute | ReaderRouteDefinition;

interface RouteIdentity {
  readonly tag: string;
  /** Index in the list of routes, the same in all threads. */
  readonly id: number;
}

export type Route = RouteDefinition & RouteIdentity;

export type ReaderRoute = ReaderRouteDefinition & RouteIdentity;

export function isReaderRoute(route: Route): route is ReaderRoute {
  return route.runsInReader === true;
}

type RouteOptions = Omit<LightRoute, "method" | "path"> | Omit<ReaderRouteDefinition, "method" | "path">;

function declareWith<Method extends RouteDefinition["method"]>(method: Method) {
  return <const Path extends string, const Options extends RouteOptions>(
    path: Path,
    options: Options,
  ): { readonly method: Method; readonly path: Path } & NoInfer<Options> => ({ method, path, ...options });
}

export const get = declareWith("GET");
export const post = declareWith("POST");
export const put = declareWith("PUT");
export const del = declareWith("DELETE");

export interface RouteList<Routes extends readonly RouteDefinition[] = readonly RouteDefinition[]> {
  readonly tag: string;
  readonly family?: "index";
  readonly routes: Routes;
}

export function routesOf<const Routes extends readonly RouteDefinition[]>(
  tag: string,
  routes: Routes,
): RouteList<Routes> {
  return { tag, routes };
}

export function indexRoutesOf<const Routes extends readonly RouteDefinition[]>(
  tag: string,
  routes: Routes,
): RouteList<Routes> {
  return { tag, family: "index", routes };
}

/** Only the indexer answers HEAD like GET. Page 06 §2.7, page 07 §3.4. */
function answersHead(route: RouteDefinition): boolean {
  return route.family === "index" && route.method === "GET";
}

export function scopeOf({ access }: Pick<RouteDefinition, "access">): Scope | undefined {
  // Only a scope can follow the colon.
  return access?.startsWith("key") === true ? (access.slice(access.indexOf(":") + 1) as Scope) : undefined;
}

export function isKeyRoute(route: Pick<RouteDefinition, "access">): boolean {
  return scopeOf(route) !== undefined;
}

/** Page 07 §3.4. */
export function hasEntityTag(route: RouteDefinition): boolean {
  return route.method === "GET" && (route.answers.hasEntityTag === true || route.family === "index");
}

export function pathsOf(route: RouteDefinition): string[] {
  const { path } = route;
  const paths =
    route.tail === "anything"
      ? [`${path}*`]
      : route.tail === "segments"
        ? [path, `${path}/*`]
        : route.tail === "slash" || route.family === "index"
          ? [path, `${path}/`]
          : [path];
  return route.family === "index" ? [...paths, ...paths.map((path) => `/index${path}`)] : paths;
}

/** Returns the methods that a route declares. */
export function methodsOf(route: RouteDefinition): HTTPMethods[] {
  return [route.method, ...(route.alsoMethods ?? [])];
}

/** Returns the methods that the server accepts for a route: also HEAD if the route answers it like GET. */
export function acceptedMethodsOf(route: RouteDefinition): HTTPMethods[] {
  return answersHead(route) ? [...methodsOf(route), "HEAD"] : methodsOf(route);
}

/** In UTF-16 units. Page 06 §2.1. */
export const MAX_PARAMETER_LENGTH = 2_048;

export type ReadApi = Pick<Api, "reader" | "info">;

export interface ReadRequest {
  /** Percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body?: Uint8Array | undefined;
  readonly originalContentType?: string | undefined;
  readonly accept: string | undefined;
  /** Start of the request, whole ms since 1970. */
  readonly now: number;
  readonly prepared?: unknown;
}

export class ReadCall {
  readonly #api: ReadApi;
  /** Plain data: a reader thread gets a copy. */
  readRequest: ReadRequest;
  /** Newest unit of the first snapshot that the call read. */
  tip: ChainCursor | undefined;

  constructor(api: ReadApi, readRequest: ReadRequest) {
    this.#api = api;
    this.readRequest = readRequest;
  }

  get info(): ApiInfo {
    return this.#api.info;
  }

  param(name: string): string {
    return this.readRequest.params[name];
  }

  /** @throws ApiError 404 if the integer is invalid */
  int(name: string): number {
    const value = pathInteger(this.param(name));
    if (value === undefined) throw apiError("notFound");
    return value;
  }

  /** Accepts the prefix `address:`. @throws ApiError 102 */
  address(name = "address"): Uint8Array {
    const bytes = tryParseAddress(this.param(name), this.info.network.chainId);
    if (bytes === undefined) throw apiError("invalidAddress");
    return bytes;
  }

  query(name: string): string | undefined {
    return this.readRequest.query.get(name) ?? undefined;
  }

  queryAll(name: string): string[] {
    return this.readRequest.query.getAll(name);
  }

  queryParameters(): [name: string, value: string][] {
    return [...this.readRequest.query];
  }

  bytes(): Uint8Array {
    return this.readRequest.body ?? new Uint8Array(0);
  }

  contentType(): string | undefined {
    return this.readRequest.originalContentType;
  }

  text(): string {
    return textBody(this.bytes(), this.contentType());
  }

  read<T>(reading: (chain: ChainSnapshot) => T): T {
    return this.#api.reader.read((chain) => {
      this.tip ??= chain.tip();
      return reading(chain);
    });
  }
}

/** Thrown if a follower must forward the request. */
export class AskSourceError extends Error {
  override readonly name = "AskSourceError";
}

export class Call extends ReadCall {
  readonly api: Api;
  readonly request: FastifyRequest;

  readonly #refusal: ApiFailure | undefined;

  /** @param refusal sent instead of a successful answer because `Accept` excludes its media type */
  constructor(api: Api, request: FastifyRequest, refusal?: ApiFailure) {
    super(api, readRequestOf(request, api.clock));
    this.api =
      refusal === undefined ? api : { ...api, control: withoutChanges(api.control, new ApiError(refusal)) };
    this.request = request;
    this.#refusal = refusal;
  }

  /**
   * Call this before any side effect, except calls to `control`. Page 06 §2.3.
   * @throws ApiError if the client would not accept the answer
   */
  requireAcceptable(): void {
    if (this.#refusal !== undefined) throw new ApiError(this.#refusal);
  }

  header(name: string): string | undefined {
    return header(this.request.headers, name);
  }

  /** Returns the query parameter `wait`, ms. @throws ApiError 400 if the parameter is not 0 to 20,000 */
  requestedWait(): number | undefined {
    const text = this.query("wait");
    if (text === undefined) return undefined;
    const ms = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (ms <= MAX_WAIT_MS) return ms;
    throw new ApiError(failure(400, 400, `wait: must be a number of milliseconds, at most ${MAX_WAIT_MS}`));
  }

  /**
   * Calls `find` now, and after each commit until it returns a value or the query parameter `wait` (ms) has passed.
   * @throws ApiError 400 if `wait` is not 0 to 20,000; 503 if too many requests wait; any error of `find`
   */
  waitFor<T>(find: () => T | undefined): T | undefined | Promise<T | undefined> {
    const ms = this.requestedWait();
    if (ms === undefined) return find();
    this.requireAcceptable();
    const { raw } = this.request;
    // The measured duration would include the wait.
    raw.answerCounter = raw.answerCounter?.untimed;
    const findNow = (): T | undefined => {
      this.tip = undefined;
      return find();
    };
    return this.api.commitWaits.waitFor(ms, raw.socket, findNow, this.api.senderOf(this.request));
  }

  /** Call this if only a node with a pool can answer. @throws AskSourceError on a follower without a node's control */
  requirePool(): void {
    const { following } = this.info;
    if (following !== undefined && following.hasNodeControl !== true) throw new AskSourceError();
  }

  /** @throws ApiError error 1 for invalid JSON; 404 for an empty body */
  json(): JsonValue {
    return jsonBody(this.bytes());
  }

  /** @throws ApiError 403 */
  requireKey(): void {
    const { keyCheck } = this.request;
    if (keyCheck === undefined) throw new Error("A route without a declared key cannot require one");
    if (keyCheck.failure !== undefined) throw new ApiError(keyCheck.failure);
  }
}

function readRequestOf(request: FastifyRequest, clock: Clock): ReadRequest {
  return {
    params: request.params as Readonly<Record<string, string>>,
    query: request.query as URLSearchParams,
    body: request.body as Uint8Array | undefined,
    originalContentType: request.originalContentType,
    accept: request.headers.accept,
    now: Math.floor(clock.now()),
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** The `Content-Type`, removed from the headers because Fastify rejects invalid media types. */
    originalContentType: string | undefined;
    /** Undefined if the route needs no key. */
    keyCheck: KeyCheck | undefined;
    /** Undefined until a route's handler is called. */
    call: Call | undefined;
  }
}

/** @throws ApiError if the node refused the call */
export function unwrap<T>(outcome: Outcome<T>, getTransaction?: () => Transaction): T {
  if (!outcome.ok)
    throw new ApiError(controlFailure(outcome.error, getTransaction), exceededLimit(outcome.error.kind));
  return outcome.value;
}
