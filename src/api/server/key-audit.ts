import type { FastifyInstance } from "fastify";
import type { Log } from "../../interfaces.ts";

/**
 * Logs the key's name, method, route pattern and status of each use of a key route, and nothing else, because keys,
 * paths, queries and bodies are secret. A request with a wrong key is not logged: it must not be able to fill the log.
 * A use without a key, on a node with open key routes, is logged at level `debug`.
 */
export function logKeyUses(server: FastifyInstance, log: Log): void {
  server.addHook("onResponse", (request, reply, done) => {
    const { keyCheck } = request;
    const isRefused = keyCheck?.failure !== undefined && keyCheck.key === undefined;
    if (keyCheck !== undefined && !isRefused)
      log[keyCheck.key === undefined ? "debug" : "info"]("API key used", {
        key: keyCheck.key ?? "none",
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
      });
    done();
  });
}
