import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../interfaces.ts";
import type { HttpCounters } from "../metrics.ts";
import { createClientErrorHandler } from "../responses/respond.ts";
import type { HttpSettings } from "../settings.ts";
import type { ConnectionBalance } from "./connection-balance.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import { paceInput } from "./paced-input.ts";
import { RequestPipeline } from "./pipelining.ts";

const IDLE_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** Interval at which Node.js checks these timeouts, ms. */
const CHECK_INTERVAL_MS = 5_000;

/**
 * Creates a server with the limits of page 06 §2.1. It accepts requests without `Host`: `checkConnectionHeaders`
 * refuses them.
 */
export function httpServer(
  handle: RequestListener,
  limit: ConnectionLimit,
  clock: Clock,
  counters?: HttpCounters,
  balance?: ConnectionBalance,
): Server {
  const pipeline = new RequestPipeline(handle, counters, balance);
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

const adminRequests = new WeakSet<IncomingMessage>();

export function isOnAdminPort(request: IncomingMessage): boolean {
  return adminRequests.has(request);
}

declare module "fastify" {
  interface FastifyInstance {
    adminServer: Server | undefined;
  }
}

/** Adds a server for the admin port, which the caller starts. */
export function addAdminServer(
  server: FastifyInstance,
  handle: RequestListener,
  settings: HttpSettings,
  limit: ConnectionLimit,
  clock: Clock,
  counters: HttpCounters,
): void {
  const http = httpServer(
    (request, response) => {
      adminRequests.add(request);
      handle(request, response);
    },
    limit,
    clock,
    counters,
  );
  http.on("clientError", createClientErrorHandler(settings, counters.limitReached));
  server.adminServer = http;
  server.addHook("preClose", (done) => {
    if (!http.listening) return done();
    http.close(() => done());
    http.closeIdleConnections();
  });
}
