/** Requests that no route took: pre-flight requests, wrong methods, unknown paths. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { failures } from "./errors.ts";
import type { ApiInfo } from "./info.ts";
import { pathMatcher } from "./path-matcher.ts";
import { PLAIN_TEXT } from "./reply.ts";
import { hasHead, methodsOf, pathsOf, type Route } from "./route.ts";
import { sendFailure } from "./send.ts";

/** Longest request target. Page 06 §2.1. */
const MAX_URL = 2_048;

/** Page 06 §2.9. */
const PREFLIGHT = {
  "access-control-allow-credentials": "true",
  "access-control-allow-headers": "Authorization, Content-Type, X-Requested-With, Timestamp, Signature",
  "access-control-allow-methods": "OPTIONS, POST, PUT, GET, DELETE",
};

/** Characters that no request target has. Page 06 §2.8. */
export const ILLEGAL_IN_URL = /["<>\\^`{|}]|%(?![0-9a-fA-F]{2})/;

/** What no route took: pre-flight requests, wrong methods, unknown paths. Page 06 §2.7, §2.9; page 00, part B, 7. */
export function handleUnknown(
  info: ApiInfo,
  routes: readonly Route[],
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const methodsAt = pathMatcher(
    routes.flatMap((route) =>
      pathsOf(route).map((path) => ({
        path,
        params: route.params,
        methods: [...methodsOf(route), ...(hasHead(route) ? ["HEAD"] : [])],
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
