/** The server logs no paths: some contain secrets. */
import { type IncomingMessage, METHODS, type RequestListener } from "node:http";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onResponseHookHandler,
  type RouteHandlerMethod,
} from "fastify";
import type { NodeControl } from "../../control/index.ts";
import { ALLOW_ORIGIN_HEADER } from "../../http/access/cors.ts";
import { KeyGuesses } from "../../http/access/key-guesses.ts";
import { type NamedKeys, noNamedKeys } from "../../http/access/named-keys.ts";
import { senderOf } from "../../http/access/proxies.ts";
import { RateLimiter } from "../../http/access/rate-limit.ts";
import { ConnectionBalance } from "../../http/connections/connection-balance.ts";
import { ConnectionLimit } from "../../http/connections/connection-limit.ts";
import { addAdminServer, httpServer } from "../../http/connections/listener.ts";
import { type HttpCounts, localHttpCounts } from "../../http/counts.ts";
import { ApiError, type ApiFailure, apiError, failures } from "../../http/errors.ts";
import { type AnswerCounter, HttpCounters } from "../../http/metrics.ts";
import { readBody } from "../../http/requests/body.ts";
import { checkConnectionHeaders, hasPlainConnection } from "../../http/requests/connection-headers.ts";
import { type Headers, header } from "../../http/requests/headers.ts";
import { prefixRemover } from "../../http/requests/prefix.ts";
import { logRequests } from "../../http/requests/request-log.ts";
import { normalizeTarget } from "../../http/requests/request-target.ts";
import { accepts, acceptsUtf8 } from "../../http/responses/accept.ts";
import { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import { Compression } from "../../http/responses/compression.ts";
import { DirectAnswers } from "../../http/responses/direct-answers.ts";
import { Reply, toReply } from "../../http/responses/reply.ts";
import { createClientErrorHandler, JSON_TYPE, respond, sendFailure } from "../../http/responses/respond.ts";
import { ResponseCache } from "../../http/responses/response-cache.ts";
import { sendResponses } from "../../http/responses/send-responses.ts";
import type { ChainCursor, ChainEvents, ChainReader, Clock, Log } from "../../interfaces.ts";
import { type Metrics, noMetrics } from "../../runtime/metrics.ts";
import { createIncreasingTime } from "../../runtime/time/increasing-time.ts";
import { yieldBetween } from "../../runtime/time-sliced-queue.ts";
import { namedClock } from "../../runtime/timers.ts";
import { CommitWaits } from "../events/commit-waits.ts";
import { EventStreams } from "../events/subscriptions.ts";
import { FollowerAnswers } from "../following/follower-answers.ts";
import type { ApiInfo } from "../info.ts";
import { registerDocumentation } from "../openapi/documentation.ts";
import { afterAnswers } from "../ports/control-port.ts";
import { HealthCheck } from "../ports/health-check.ts";
import { inlineReaderThread } from "../reading/read-jobs.ts";
import { type QueuedRead, ReaderQueue, type ReaderThread } from "../reading/reader-queue.ts";
import { estimateAhead } from "../reading/script-estimates.ts";
import { indexNotReadyFailure } from "../refusals.ts";
import {
  type Answer,
  type Api,
  acceptedMethodsOf,
  Call,
  hasEntityTag,
  isKeyRoute,
  isReaderRoute,
  MAX_PARAMETER_LENGTH,
  pathsOf,
  type Route,
} from "../route.ts";
import { routes } from "../routes/all.ts";
import { describeSource } from "../units/source.ts";
import { UnitStreams } from "../units/subscriptions.ts";
import { createErrorHandler } from "./error-handler.ts";
import { registerExplorer } from "./explorer.ts";
import { FileLimit } from "./file-limit.ts";
import { indexCaseNormalizer } from "./index-paths.ts";
import { keyUseLogger } from "./key-audit.ts";
import { createNotFoundHandler, targetFailure } from "./not-found.ts";
import { PositionHeaders, requestedPosition, waitForPosition } from "./position-headers.ts";
import { createRequestGuard, type Guards } from "./request-guard.ts";
import { countRequests, observeApi } from "./request-metrics.ts";

export interface ApiOptions {
  readonly reader: ChainReader;
  readonly control: NodeControl;
  readonly events: ChainEvents;
  readonly info: ApiInfo;
  /** Keys in addition to the single key of `info`; default: none. */
  readonly namedKeys?: NamedKeys | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: none. */
  readonly metrics?: Metrics | undefined;
  /** Default: requests are not logged. */
  readonly requestLog?: Log | undefined;
  readonly backpressure?: ResponseBackpressure;
  /** Default: expensive reads run in this thread. */
  readonly readerThreads?: readonly ReaderThread[] | undefined;
  /** Shared with the other HTTP threads; default: no other threads. */
  readonly counts?: HttpCounts | undefined;
}

const INDEX_JSON = "application/json; charset=utf-8";

/** Larger bodies get their own turn of the event loop. */
const LARGE_BODY_BYTES = 16_384;

/**
 * Returns undefined if the client accepts the route's media type, and for all indexer routes. Failures and
 * redirects are not checked. Page 06 §2.3.
 */
function acceptFailure(route: Route, headers: Headers): ApiFailure | undefined {
  if (route.family !== undefined) return undefined;
  const isAccepted =
    accepts(header(headers, "accept"), route.answers.type ?? JSON_TYPE) &&
    acceptsUtf8(header(headers, "accept-charset"));
  return isAccepted ? undefined : (route.answers.notAcceptable ?? failures.notFound);
}

const stateOf = (reader: ChainReader): string => reader.state?.() ?? reader.read((chain) => chain.state());

const estimateRoute = routes.filter(isReaderRoute).find(({ cost }) => cost?.estimatesScripts === true);

function registerRoute(
  server: FastifyInstance,
  api: Api,
  readerQueue: ReaderQueue,
  cache: ResponseCache,
  direct: DirectAnswers | undefined,
  positions: PositionHeaders,
  guards: Guards,
  files: FileLimit,
  onKeyUse: onResponseHookHandler,
  counter: AnswerCounter | undefined,
  route: Route,
): void {
  const { cacheable, cacheKey, indexes } = route.cost ?? {};
  const runHandler = (call: Call, reply: FastifyReply): Answer | Promise<Answer> => {
    const estimate =
      route.request?.body?.kind === "json" && estimateRoute !== undefined
        ? estimateAhead(call, readerQueue, estimateRoute, (cancel) => reply.raw.once("close", cancel))
        : undefined;
    return estimate === undefined ? route.handle(call) : estimate.then(() => route.handle(call));
  };
  const answerOf = (
    call: Call,
    reply: FastifyReply,
    findCached: QueuedRead["findCached"],
  ): Answer | Promise<Answer> => {
    if (indexes !== undefined)
      call.read((chain) => {
        const unready = chain.indexes.unready(indexes);
        if (unready !== undefined) throw new ApiError(indexNotReadyFailure(unready, chain.height()));
      });
    const prepared = route.prepare?.(call);
    if (prepared === undefined) return answerPrepared(call, reply, findCached);
    return prepared.then((value) => {
      call.readRequest = { ...call.readRequest, prepared: value };
      return answerPrepared(call, reply, findCached);
    });
  };
  const answerPrepared: typeof answerOf = (call, reply, findCached) => {
    if (isReaderRoute(route) && route.cost?.isExpensive?.(call) !== false) {
      call.requireAcceptable();
      const onTip = (tip: ChainCursor): void => {
        call.tip = tip;
      };
      return readerQueue.enqueue({ ...call.readRequest, route, findCached, onTip }, (cancel) =>
        reply.raw.once("close", cancel),
      );
    }
    if (call.bytes().length <= LARGE_BODY_BYTES) return runHandler(call, reply);
    return api.yieldToEventLoop().then(() => runHandler(call, reply));
  };
  const isDirect = cacheable === true && cacheKey === undefined && !isKeyRoute(route);
  const isAcceptable = (headers: Headers): boolean => acceptFailure(route, headers) === undefined;
  const handler: RouteHandlerMethod = (request, reply) => {
    const refusal = acceptFailure(route, request.headers);
    const call = new Call(api, request, refusal);
    request.call = call;
    const position = requestedPosition(call);
    if (position === undefined) return answerCall(call, reply, refusal, cacheable === true);
    // Caches would skip the wait.
    reply.header("cache-control", "no-store");
    const wait = waitForPosition(call, position);
    if (wait === undefined) return answerCall(call, reply, refusal, false);
    return wait.then(() => answerCall(call, reply, refusal, false) ?? reply);
  };
  /** Returns undefined if the answer has been sent. */
  const answerCall = (
    call: Call,
    reply: FastifyReply,
    refusal: ApiFailure | undefined,
    mayCache: boolean,
  ): Promise<FastifyReply> | undefined => {
    const { request } = call;
    const variant = cacheKey === undefined ? "" : cacheKey(call);
    const isCacheable = mayCache && variant !== undefined;
    // No URL contains a space.
    const key = variant === undefined || variant === "" ? request.url : `${request.url} ${variant}`;
    const find = (): Reply | undefined => cache.find(stateOf(api.reader), key);
    const cached = isCacheable ? find() : undefined;
    if (cached === undefined) files.check(route, call, api.senderOf(request), reply);
    const answer = cached ?? answerOf(call, reply, isCacheable ? find : undefined);
    if (!(answer instanceof Promise)) {
      const position = cached === undefined ? positions.positionOf(call, answer) : cached.position;
      let sent = toReply(answer);
      const isStored = isCacheable && (cached !== undefined || cache.admits(key, sent));
      if (isStored && cached === undefined) sent = cache.store(key, sent.with({ position }));
      positions.set(reply, position);
      respond(reply, sent, refusal);
      if (isStored && isDirect && !reply.hasHeader("warning"))
        direct?.remember(reply, sent, { counter, isAcceptable });
      return undefined;
    }
    return answer.then((value) => {
      const isFromCache = value instanceof Reply && value.position !== undefined;
      const position = isFromCache ? value.position : positions.positionOf(call, value);
      // Only reader threads report a state.
      if (isCacheable && value instanceof Reply && value.state !== undefined)
        cache.store(key, value.with({ position }), value.state);
      positions.set(reply, position);
      respond(reply, value, refusal);
      return reply;
    });
  };
  for (const url of pathsOf(route)) {
    server.route({
      method: acceptedMethodsOf(route),
      url,
      config: {
        hasBody: route.request?.body !== undefined,
        jsonType: route.family === "index" ? INDEX_JSON : undefined,
        hasEntityTag: hasEntityTag(route),
        needsKey: isKeyRoute(route),
      },
      onRequest: createRequestGuard(api, route, guards, counter),
      handler: guards.follower?.handlerOf(api, route, handler) ?? handler,
      // A hook on all routes would cost each request a listener.
      ...(isKeyRoute(route) && { onResponse: onKeyUse }),
    });
  }
}

function refuseSchema(): never {
  throw new Error("Schemas of routes only describe them");
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Unless true, bodies of any size are discarded. */
    hasBody?: boolean;
  }
}

/** Call `listen({ host, port })` on the result; port 0: any free port. */
export async function createServer(options: ApiOptions): Promise<FastifyInstance> {
  const { info, clock, reader } = options;
  const control = afterAnswers(options.control, () => reader.renew());
  const { metrics = noMetrics, counts = localHttpCounts() } = options;
  const counters = new HttpCounters(metrics, metrics === noMetrics ? undefined : clock);
  const backpressure =
    options.backpressure ??
    new ResponseBackpressure(namedClock(clock, "response backpressure"), undefined, counters, counts);
  const { events, log } = options;
  const { network } = info;
  const connections = new ConnectionLimit(info.maxConnections, info.trustedProxies, counters, counts);
  const eventStreams = new EventStreams({
    reader,
    events,
    control,
    network,
    clock: namedClock(clock, "event streams"),
    backpressure,
    log,
    connections,
    counts,
  });
  const unitStreams = new UnitStreams({
    reader,
    events,
    clock: namedClock(clock, "unit streams"),
    backpressure,
    log,
    connections,
    counts,
    description: describeSource(info),
  });
  const follower = info.following && new FollowerAnswers(info.following, clock, backpressure);
  const commitWaits = new CommitWaits(events, namedClock(clock, "commit waits"), connections, counts);
  const api: Api = {
    ...options,
    namedKeys: options.namedKeys ?? noNamedKeys,
    control,
    healthCheck: new HealthCheck(control, namedClock(clock, "health probe")),
    eventStreams,
    unitStreams,
    commitWaits,
    senderOf: senderOf(info),
    uniqueTime: createIncreasingTime(clock, counts.lastTimestamp),
    restarts: () => Math.max(info.restarts ?? 0, Atomics.load(counts.restarts, 0)),
    yieldToEventLoop: yieldBetween(),
  };
  const normalizeCase = indexCaseNormalizer(routes);
  const removePrefix = prefixRemover(info.prefix ?? "");
  const limiter = info.rateLimit === undefined ? undefined : new RateLimiter(info.rateLimit, clock, counts);
  const cache = new ResponseCache();
  const positions = new PositionHeaders(reader, info.cors);
  // Direct answers skip Fastify's hooks, and so the request log.
  const direct =
    options.requestLog === undefined
      ? new DirectAnswers({
          cache,
          backpressure,
          state: () => stateOf(reader),
          // A request refused here is counted twice: the rate limit hook counts it too.
          isAllowed: (request) =>
            follower?.isStale !== true &&
            hasPlainConnection(request) &&
            limiter?.count(api.senderOf(request)) === undefined,
        })
      : undefined;
  let handleRequest: RequestListener = () => {};
  const server = Fastify({
    logger: false,
    bodyLimit: info.maxBodyBytes,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // By default, Fastify would start two timers for each route.
    pluginTimeout: 0,
    // No route has a schema for Fastify. By default, it would load its compilers.
    schemaController: {
      compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
    },
    serverFactory: (handle) => {
      handleRequest = (request, response) => {
        if (direct?.answer(request, response) !== true) handle(request, response);
      };
      const balance = counts.threads === 1 ? undefined : new ConnectionBalance(counts);
      return httpServer(handleRequest, connections, clock, counters, balance);
    },
    routerOptions: {
      maxParamLength: MAX_PARAMETER_LENGTH,
      querystringParser: (text) => new URLSearchParams(text) as unknown as Record<string, unknown>,
    },
    rewriteUrl: (request) => {
      return normalizeCase(removePrefix(normalizeTarget(request.url ?? "/")));
    },
    frameworkErrors: (_error, request, reply) => {
      // No hook runs for these errors.
      if (info.cors) reply.header(ALLOW_ORIGIN_HEADER, "*");
      sendFailure(reply as FastifyReply, targetFailure(request.raw.url ?? "") ?? failures.notFound);
    },
    clientErrorHandler: createClientErrorHandler(info, counters.limitReached),
  });
  server.decorateRequest("originalContentType", undefined);
  server.decorateRequest("keyCheck", undefined);
  server.decorateRequest("call", undefined);
  server.decorate("adminServer", undefined);
  if (info.hasAdminPort === true) addAdminServer(server, handleRequest, info, connections, clock, counters);
  // `/addresses/verify` reads the body of GET requests.
  server.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
  // The answer is 405. By default, Fastify would check the content type first.
  if (METHODS.includes("QUERY")) server.addHttpMethod("QUERY", { overrideExisting: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (request: FastifyRequest, payload: IncomingMessage, done) => {
    if (request.routeOptions.config.hasBody !== true) {
      payload.resume();
      done(null, undefined);
      return;
    }
    readBody(payload, info.maxBodyBytes).then(
      (bytes) => done(null, bytes),
      (error: Error) => done(error, undefined),
    );
  });
  sendResponses(
    server,
    backpressure,
    info.compressFrom === undefined ? undefined : new Compression(info.compressFrom),
  );
  const guesses = new KeyGuesses(clock, connections, counts);
  const readerThreads = options.readerThreads ?? [inlineReaderThread({ reader, info })];
  const readerQueue = new ReaderQueue(readerThreads, backpressure, namedClock(clock, "reader queue"));
  server.addHook("preClose", (done) => {
    direct?.close();
    eventStreams.close();
    unitStreams.close();
    commitWaits.close();
    readerQueue.close();
    guesses.close();
    follower?.close();
    done();
  });
  server.setErrorHandler(createErrorHandler(api, positions, counters));
  const counterOf = countRequests(server, metrics, counters);
  observeApi(server, metrics, {
    connections,
    backpressure,
    eventStreams,
    unitStreams,
    commitWaits,
    readerQueue,
    reader,
  });
  if (options.requestLog !== undefined) logRequests(server, options.requestLog, clock);
  server.addHook("onRequest", checkConnectionHeaders(info));
  if (limiter !== undefined) {
    server.addHook("onRequest", (request, reply, done) => {
      const seconds = limiter.count(api.senderOf(request));
      if (seconds === undefined) return done();
      reply.header("retry-after", seconds);
      done(apiError("tooManyRequests", "rate"));
    });
  }
  server.setNotFoundHandler(createNotFoundHandler(info, routes));
  const files = new FileLimit(counts);
  const onKeyUse = keyUseLogger(log, clock);
  for (const route of routes)
    registerRoute(
      server,
      api,
      readerQueue,
      cache,
      direct,
      positions,
      { guesses, follower },
      files,
      onKeyUse,
      counterOf(route),
      route,
    );
  await registerDocumentation(server, info, routes, clock);
  registerExplorer(server, info, namedClock(clock, "explorer pages"));
  await server.ready();
  return server;
}
