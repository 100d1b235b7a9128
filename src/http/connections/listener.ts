import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../interfaces.ts";
import type { HttpCounters } from "../metrics.ts";
import { refuseConnection } from "../responses/respond.ts";
import type { HttpSettings } from "../settings.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import { paceInput } from "./paced-input.ts";
import { RequestPipeline } from "./pipelining.ts";

const IDLE_TIMEOUT_MS = 60_000;
/** Timeout for a request's headers, ms. For the first request it starts with the connection. */
const HEADERS_TIMEOUT_MS = 15_000;
/** Interval at which Node.js checks these timeouts, ms. */
const CHECK_INTERVAL_MS = 5_000;

/**
 * Creates a server with the limits of page 06 §2.1. A later check refuses requests without `Host`, with an explanation.
 */
export function httpServer(
  handle: RequestListener,
  limit: ConnectionLimit,
  clock: Clock,
  counters?: HttpCounters,
): Server {
  const pipeline = new RequestPipeline(handle, counters);
  const http = createServer(
    {
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      requestTimeout: IDLE_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      requireHostHeader: false,
    },
    pipeline.listener,
  );
  paceInput(http, pipeline, clock);
  limit.watch(http, pipeline);
  return http;
}

const onAdminPort = new WeakSet<IncomingMessage>();

export function isOnAdminPort(request: IncomingMessage): boolean {
  return onAdminPort.has(request);
}

declare module "fastify" {
  interface FastifyInstance {
    adminServer: Server | undefined;
  }
}

export function addAdminServer(
  server: FastifyInstance,
  handle: RequestListener,
  info: HttpSettings,
  limit: ConnectionLimit,
  clock: Clock,
  counters: HttpCounters,
): void {
  const http = httpServer(
    (request, response) => {
      onAdminPort.add(request);
      handle(request, response);
    },
    limit,
    clock,
    counters,
  );
  http.on("clientError", refuseConnection(info, counters.limitReached));
  server.adminServer = http;
  server.addHook("preClose", (done) => {
    if (!http.listening) return done();
    http.close(() => done());
    http.closeIdleConnections();
  });
}
