/**
 * The HTTP server: Fastify around the routes. It knows the node only through `ChainReader` and `NodeControl`.
 *
 * Nothing about a request is logged: paths of derived identities and wallet routes would give secrets away.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import rateLimit from "@fastify/rate-limit";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  type RouteHandlerMethod,
} from "fastify";
import { printJson } from "../bytes/json.ts";
import type { ApiFailure, ChainReader, Clock, Log, NodeControl } from "../interfaces.ts";
import { accepts, acceptsUtf8 } from "./accept.ts";
import { header, keyFailure } from "./auth.ts";
import { readBody } from "./body.ts";
import { registerDocumentation } from "./documentation.ts";
import { ApiError, failures, refuse, TextError } from "./errors.ts";
import type { ApiInfo } from "./info.ts";
import { pathMatcher } from "./path-matcher.ts";
import { PLAIN_TEXT, Reply } from "./reply.ts";
import { type Answer, type Api, Call, pathInteger, type Route } from "./route.ts";
import { routes } from "./routes.ts";

/** What the HTTP layer is given. */
export interface ApiOptions {
  readonly reader: ChainReader;
  readonly control: NodeControl;
  readonly info: ApiInfo;
  readonly clock: Clock;
  readonly log: Log;
}

/** Page 06 §2.1. */
const MAX_URL = 2_048;
const MAX_CONNECTIONS = 1_024;
const IDLE_MS = 60_000;

const NODE_JSON = "application/json";
const INDEX_JSON = "application/json; charset=utf-8";

/** Page 06 §2.9. */
const PREFLIGHT = {
  "access-control-allow-credentials": "true",
  "access-control-allow-headers": "Authorization, Content-Type, X-Requested-With, Timestamp, Signature",
  "access-control-allow-methods": "OPTIONS, POST, PUT, GET, DELETE",
};

/** Printed text goes out as it is: Fastify would add a charset to the type of JSON. */
const asIs = (payload: unknown): string => payload as string;

function sendFailure(reply: FastifyReply, { status, body }: ApiFailure): FastifyReply {
  return reply.code(status).header("content-type", NODE_JSON).serializer(asIs).send(printJson(body));
}

/** The node time in whole ms, made to grow with each call. */
function growingTime(clock: Clock): () => bigint {
  let last = 0n;
  return () => {
    const now = BigInt(Math.floor(clock.now()));
    last = now > last ? now : last + 1n;
    return last;
  };
}

/** `.` and `..` segments of a path resolved, the query left alone. Page 06 §2.6. */
function withoutDots(url: string): string {
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") {
      if (segments.length > 1) segments.pop();
    } else if (segment !== ".") segments.push(segment);
  }
  return segments.join("/") + (query < 0 ? "" : url.slice(query));
}

/** What keeps the connection itself from making sense. The socket is closed behind the answer. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const byCode: Readonly<Record<string, ApiFailure>> = {
    HPE_INVALID_METHOD: failures.unknownMethod,
    HPE_HEADER_OVERFLOW: failures.headersTooLarge,
    ERR_HTTP_REQUEST_TIMEOUT: failures.timeout,
  };
  const { status, body } = byCode[error.code ?? ""] ?? failures.badRequest;
  const text = printJson(body);
  socket.end(
    `HTTP/1.1 ${status} ${body.message}\r\nContent-Type: ${NODE_JSON}\r\nContent-Length: ${text.length}\r\n` +
      `Connection: close\r\n\r\n${text}`,
  );
}

/** Sends what a handler answered. */
function send(reply: FastifyReply, route: Route, answer: Answer): void {
  const isReply = answer instanceof Reply;
  const json = route.family === "index" ? INDEX_JSON : NODE_JSON;
  const type = isReply ? (answer.type ?? json) : json;
  const status = isReply ? answer.status : 200;
  if (route.family === undefined && status === 200) {
    const { headers } = reply.request;
    const semicolon = type.indexOf(";");
    const mediaType = semicolon < 0 ? type : type.slice(0, semicolon);
    if (!accepts(headers.accept, mediaType) || !acceptsUtf8(header(headers, "accept-charset"))) {
      sendFailure(reply, route.unacceptable ?? failures.notFound);
      return;
    }
  }
  if (isReply) {
    if (answer.headers !== undefined) reply.headers(answer.headers);
    if (answer.sent !== undefined) reply.raw.once("finish", answer.sent);
  }
  reply
    .code(status)
    .header("content-type", type)
    .serializer(asIs)
    .send(isReply ? answer.body : printJson(answer));
}

/** What is asked before a route's body is read: path, origin of the caller, key, encoding. */
function guard(
  api: Api,
  route: Route,
): (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void {
  const { info } = api;
  const integers = Object.entries(route.params ?? {})
    .filter(([, schema]) => (schema as { type?: string }).type === "integer")
    .map(([name]) => name);
  const key = route.access === "key";
  const hasBody = route.body !== undefined;
  return (request, reply, done) => {
    const { headers } = request;
    for (const name of integers) {
      if (pathInteger((request.params as Record<string, string>)[name]) === undefined) {
        return done(refuse("notFound"));
      }
    }
    if (info.cors) {
      reply.header("access-control-allow-origin", "*");
      if (route.family === "index") reply.header("access-control-expose-headers", "X-Total");
    }
    if (key) {
      const failure = keyFailure(headers, info);
      if (failure !== undefined) return done(new ApiError(failure));
    }
    const encoding = headers["content-encoding"];
    if (hasBody && encoding !== undefined && encoding.toLowerCase() !== "identity") {
      return done(refuse("contentEncoding"));
    }
    // Fastify would refuse what is no media type; here a body is read whatever its type says.
    if (headers["content-type"] !== undefined) {
      request.contentTypeSent = headers["content-type"];
      headers["content-type"] = undefined;
    }
    done();
  };
}

/** The paths under which a route is served. */
function pathsOf(route: Route): string[] {
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

function registerRoute(server: FastifyInstance, api: Api, route: Route): void {
  const handler: RouteHandlerMethod = (request, reply) => {
    const answer = route.handle(new Call(api, request));
    if (!(answer instanceof Promise)) {
      send(reply, route, answer);
      return undefined;
    }
    return answer.then((value) => {
      send(reply, route, value);
      return reply;
    });
  };
  const methods: HTTPMethods[] = [route.method, ...(route.alsoMethods ?? [])];
  for (const url of pathsOf(route)) {
    server.route({
      method: methods,
      url,
      // Page 07 §3.4; the node's own routes do not know HEAD (page 06 §2.7).
      exposeHeadRoute: route.family === "index",
      config: { hasBody: route.body !== undefined },
      onRequest: guard(api, route),
      handler,
    });
  }
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the route reads a body; otherwise it is thrown away, whatever its size. */
    hasBody?: boolean;
  }
}

/** Answers errors: those that the protocol knows as they say, all others as a failure of the node. */
function handleError(api: Api): (error: Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (error, request, reply) => {
    if (error instanceof ApiError) return sendFailure(reply, error.failure);
    if (error instanceof TextError) {
      return reply.code(error.status).header("content-type", PLAIN_TEXT).send(error.message);
    }
    const status = (error as FastifyError).statusCode;
    if (status === 429) return sendFailure(reply, failures.tooManyRequests);
    if (status !== undefined && status >= 400 && status < 500) return sendFailure(reply, failures.badRequest);
    api.log.error("a request failed", {
      route: request.routeOptions.url,
      error: error.stack ?? String(error),
    });
    return sendFailure(reply, failures.unknown);
  };
}

/** Characters that no request target has. Page 06 §2.8. */
const ILLEGAL_IN_URL = /["<>\\^`{|}]|%(?![0-9a-fA-F]{2})/;

/** What no route took: pre-flight requests, wrong methods, unknown paths. Page 06 §2.7, §2.9; page 00, part B, 7. */
function handleUnknown(info: ApiInfo): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const methodsAt = pathMatcher(
    routes.flatMap((route) =>
      pathsOf(route).map((path) => ({
        path,
        params: route.params,
        methods: [route.method, ...(route.alsoMethods ?? []), ...(route.family === "index" ? ["HEAD"] : [])],
      })),
    ),
  );
  return (request, reply) => {
    const url = request.raw.url ?? "";
    if (request.method === "OPTIONS") {
      const more = info.apiKeyDifferentHost ? ", X-API-Key" : "";
      if (info.cors) reply.header("access-control-allow-origin", "*");
      return reply
        .headers({
          ...PREFLIGHT,
          "access-control-allow-headers": PREFLIGHT["access-control-allow-headers"] + more,
        })
        .header("content-type", PLAIN_TEXT)
        .send("OK");
    }
    if (url.length > MAX_URL) return sendFailure(reply, failures.uriTooLong);
    if (ILLEGAL_IN_URL.test(url)) return sendFailure(reply, failures.badRequest);
    const allowed = methodsAt(url);
    if (allowed.length === 0) return sendFailure(reply, failures.notFound);
    return sendFailure(reply.header("allow", allowed.join(", ")), failures.methodNotAllowed);
  };
}

/** A server with all routes; `listen({ host, port })` of the result opens it (port 0: any free one). */
export async function createServer(options: ApiOptions): Promise<FastifyInstance> {
  const { info, clock } = options;
  const api: Api = { ...options, uniqueTime: growingTime(clock) };
  const server = Fastify({
    logger: false,
    bodyLimit: info.bodyLimit,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    keepAliveTimeout: IDLE_MS,
    requestTimeout: IDLE_MS,
    routerOptions: {
      maxParamLength: MAX_URL,
      querystringParser: (text) => new URLSearchParams(text) as unknown as Record<string, unknown>,
    },
    rewriteUrl: (request) => {
      const url = request.url ?? "/";
      return url.includes("/.") ? withoutDots(url) : url;
    },
    frameworkErrors: (_error, request, reply) => {
      // Percent-encoded bytes that are no text match no path; a percent sign alone is no request target.
      const malformed = ILLEGAL_IN_URL.test(request.raw.url ?? "");
      sendFailure(reply as FastifyReply, malformed ? failures.badRequest : failures.notFound);
    },
    clientErrorHandler: refuseConnection,
  });
  server.server.maxConnections = MAX_CONNECTIONS;
  server.decorateRequest("contentTypeSent", undefined);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (request: FastifyRequest, payload: IncomingMessage, done) => {
    if (request.routeOptions.config.hasBody !== true) {
      payload.resume();
      done(null, undefined);
      return;
    }
    readBody(payload, info.bodyLimit).then(
      (bytes) => done(null, bytes),
      (error: Error) => done(error, undefined),
    );
  });
  server.setErrorHandler(handleError(api));
  if (info.rateLimit !== undefined) {
    await server.register(rateLimit, {
      max: info.rateLimit.requests,
      timeWindow: info.rateLimit.windowMs,
      allowList: (request) => isLoopbackAddress(request.ip),
    });
    server.setNotFoundHandler({ preHandler: server.rateLimit() }, handleUnknown(info));
  } else {
    server.setNotFoundHandler(handleUnknown(info));
  }
  for (const route of routes) registerRoute(server, api, route);
  await registerDocumentation(server, info);
  await server.ready();
  return server;
}

/** Whether a peer address of a socket is this machine. */
function isLoopbackAddress(address: string): boolean {
  return address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.");
}
