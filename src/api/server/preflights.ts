import type { FastifyReply, FastifyRequest } from "fastify";
import { EXPOSED_HEADERS } from "../../http/access/cors.ts";
import { header } from "../../http/requests/headers.ts";
import { pathMatcher } from "../../http/requests/path-matcher.ts";
import { PLAIN_TEXT } from "../../http/responses/reply.ts";
import type { ApiInfo } from "../info.ts";
import { pathsOf, type Route } from "../route.ts";

/** Page 06 §2.9. */
const NODE_HEADERS = {
  "access-control-allow-credentials": "true",
  "access-control-allow-headers": "Authorization, Content-Type, X-Requested-With, Timestamp, Signature",
  "access-control-allow-methods": "OPTIONS, POST, PUT, GET, DELETE",
};

/** Page 07 §3.4. */
const INDEX_HEADERS = {
  "access-control-allow-methods": "GET,HEAD,PUT,PATCH,POST,DELETE",
  vary: "Access-Control-Request-Headers",
};

const BELOW_INDEX = /^\/index(?:[/?]|$)/i;

export function createPreflightHandler(
  info: ApiInfo,
  routes: readonly Route[],
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const matcherOf = (selected: readonly Route[]) =>
    pathMatcher(
      selected.flatMap((route) =>
        pathsOf(route).map((path) => ({ path, params: route.request?.params, methods: [route.method] })),
      ),
    );
  const indexMethods = matcherOf(routes.filter(({ family }) => family === "index"));
  const nodeMethods = matcherOf(routes.filter(({ family }) => family !== "index"));
  const nodeHeaders = {
    ...NODE_HEADERS,
    "access-control-allow-headers":
      NODE_HEADERS["access-control-allow-headers"] + (info.apiKeyDifferentHost ? ", X-API-Key" : ""),
  };
  return (request, reply) => {
    const url = request.raw.url ?? "";
    const isIndex = BELOW_INDEX.test(url) || (indexMethods(url).length > 0 && nodeMethods(url).length === 0);
    if (!isIndex) return reply.headers(nodeHeaders).header("content-type", PLAIN_TEXT).send("OK");
    const requestedHeaders = header(request.headers, "access-control-request-headers");
    if (info.cors) reply.headers(EXPOSED_HEADERS);
    if (requestedHeaders !== undefined) reply.header("access-control-allow-headers", requestedHeaders);
    return reply.code(204).headers(INDEX_HEADERS).header("content-length", 0).send();
  };
}
