import type { FastifyReply, FastifyRequest } from "fastify";
import { isOnAdminPort } from "../../http/connections/listener.ts";
import { type ApiFailure, failures } from "../../http/errors.ts";
import { pathMatcher } from "../../http/requests/path-matcher.ts";
import { sendFailure } from "../../http/responses/respond.ts";
import type { ApiInfo } from "../info.ts";
import { acceptedMethodsOf, isKeyRoute, pathsOf, type Route } from "../route.ts";
import { createPreflightHandler } from "./preflights.ts";

/** Page 06 §2.1. */
const MAX_URL_LENGTH = 2_048;

/** Page 06 §2.8. */
const ILLEGAL_IN_URL = /["<>\\^`{|}]|%(?![0-9a-fA-F]{2})/;

/** Page 06 §2.1, §2.8. */
export function targetFailure(url: string): ApiFailure | undefined {
  if (url.length > MAX_URL_LENGTH) return failures.uriTooLong;
  return ILLEGAL_IN_URL.test(url) ? failures.badRequest : undefined;
}

function methodMatcher(routes: readonly Route[]): (url: string) => string[] {
  return pathMatcher(
    routes.flatMap((route) =>
      pathsOf(route).map((path) => ({
        path,
        params: route.request?.params,
        methods: acceptedMethodsOf(route),
      })),
    ),
  );
}

/** Page 06 §2.7, §2.9; page 00, part B, 7. */
export function createNotFoundHandler(
  info: ApiInfo,
  routes: readonly Route[],
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const methodsOfAllRoutes = methodMatcher(routes);
  const methodsOfOpenRoutes = methodMatcher(routes.filter((route) => !isKeyRoute(route)));
  const preflight = createPreflightHandler(info, routes);
  return (request, reply) => {
    const url = request.raw.url ?? "";
    if (request.method === "OPTIONS") return preflight(request, reply);
    const failure = targetFailure(url);
    if (failure !== undefined) return sendFailure(reply, failure);
    const showsKeyRoutes = info.hasAdminPort !== true || isOnAdminPort(request.raw);
    const allowed = showsKeyRoutes ? methodsOfAllRoutes(url) : methodsOfOpenRoutes(url);
    if (allowed.length === 0) return sendFailure(reply, failures.notFound);
    return sendFailure(reply.header("allow", allowed.join(", ")), failures.methodNotAllowed);
  };
}
