/** A line in the log for each request, where an operator asks for it. */
import type { FastifyInstance } from "fastify";
import type { Clock, Log } from "../../interfaces.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** When it came, ms, and what its connection had been sent until then, bytes. */
    came: { readonly at: number; readonly sent: number } | undefined;
  }
}

/**
 * Logs each request when it is answered, or given up: method, pattern of the route, status, time in ms, bytes sent with
 * headers. Nothing else of it: paths, queries, headers and bodies can hold keys, seeds and what people look for.
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
      // What no route took has no pattern.
      route: request.routeOptions.url ?? "none",
      status: reply.statusCode,
      ms: Math.round((clock.monotonic() - at) * 10) / 10,
      bytes: request.socket.bytesWritten - sent,
      ...(reply.raw.writableFinished ? {} : { complete: false }),
    });
    done();
  });
}
