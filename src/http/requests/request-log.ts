import type { FastifyInstance } from "fastify";
import type { Clock, Log } from "../../interfaces.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Arrival, ms, and bytes sent on the connection before. */
    came: { readonly at: number; readonly sent: number } | undefined;
  }
}

/**
 * Logs method, route pattern, status, time in ms, and bytes sent with headers. Nothing else, because paths, queries,
 * headers and bodies can contain keys, seeds and private data.
 */
export function logRequests(server: FastifyInstance, log: Log, clock: Clock): void {
  server.decorateRequest("came", undefined);
  server.addHook("onRequest", (request, _reply, done) => {
    request.came = { at: clock.monotonic(), sent: request.socket.bytesWritten };
    done();
  });
  server.addHook("onResponse", (request, reply, done) => {
    const { at, sent } = request.came ?? { at: clock.monotonic(), sent: 0 };
    log.info("request", {
      method: request.method,
      // A request without a route has no pattern.
      route: request.routeOptions.url ?? "none",
      status: reply.statusCode,
      ms: Math.round((clock.monotonic() - at) * 10) / 10,
      bytes: request.socket.bytesWritten - sent,
      ...(reply.raw.writableFinished ? {} : { complete: false }),
    });
    done();
  });
}
