/** What listens for requests: one port for all, and perhaps another one for whoever has the key. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../interfaces.ts";
import { refuseConnection } from "../responses/respond.ts";
import type { HttpSettings } from "../settings.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import { paceInput } from "./paced-input.ts";
import { RequestPipeline } from "./pipelining.ts";

const IDLE_TIMEOUT_MS = 60_000;
/** How long a client may take to send the head of a request, counted from the connection for the first one, ms. */
const HEADERS_TIMEOUT_MS = 15_000;
/** How often Node.js ends connections that took longer, ms. */
const CHECK_INTERVAL_MS = 5_000;

/** An HTTP server within the bounds of page 06 §2.1. A missing host is judged later, with an answer that says why. */
export function httpServer(handle: RequestListener, limit: ConnectionLimit, clock: Clock): Server {
  const lines = new RequestPipeline(handle);
  const http = createServer(
    {
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      requestTimeout: IDLE_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      requireHostHeader: false,
    },
    lines.listener,
  );
  paceInput(http, lines, clock);
  limit.watch(http, lines);
  return http;
}

const onAdminPort = new WeakSet<IncomingMessage>();

/** Whether a request came by the port of its own that key routes have. */
export function isOnAdminPort(request: IncomingMessage): boolean {
  return onAdminPort.has(request);
}

declare module "fastify" {
  interface FastifyInstance {
    /** Serves the same routes, key routes among them; to be listened with. Undefined where one port has all. */
    adminServer: Server | undefined;
  }
}

/**
 * Gives a server its second HTTP server.
 * @param handle what the first one calls for each request
 */
export function addAdminServer(
  server: FastifyInstance,
  handle: RequestListener,
  info: HttpSettings,
  limit: ConnectionLimit,
  clock: Clock,
): void {
  const http = httpServer(
    (request, response) => {
      onAdminPort.add(request);
      handle(request, response);
    },
    limit,
    clock,
  );
  http.on("clientError", refuseConnection(info));
  server.adminServer = http;
  server.addHook("preClose", (done) => {
    if (!http.listening) return done();
    http.close(() => done());
    http.closeIdleConnections();
  });
}
