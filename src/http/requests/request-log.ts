import type { FastifyInstance } from "fastify";
import type { Clock, Log } from "../../interfaces.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Arrival of the request (monotonic, ms), and bytes sent earlier on its connection. */
    arrival: { readonly at: number; readonly bytesWritten: number } | undefined;
  }
}

/**
 * Logs only method, route pattern, status, duration in ms, and bytes sent with headers: other parts can contain
 * secrets.
 */
export function logRequests(server: FastifyInstance, log: Log, clock: Clock): void {
  server.decorateRequest("arrival", undefined);
  server.addHook("onRequest", (request, _reply, done) => {
    request.arrival = { at: clock.monotonic(), bytesWritten: request.socket.bytesWritten };
    done();
  });
  server.addHook("onResponse", (request, reply, done) => {
    const { at, bytesWritten } = request.arrival ?? { at: clock.monotonic(), bytesWritten: 0 };
    log.info("request", {
      method: request.method,
      route: request.routeOptions.url ?? "none",
      status: reply.statusCode,
      ms: Math.round((clock.monotonic() - at) * 10) / 10,
      bytes: request.socket.bytesWritten - bytesWritten,
      ...(reply.raw.writableFinished ? {} : { complete: false }),
    });
    done();
  });
}
