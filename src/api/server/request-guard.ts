import type { FastifyReply, FastifyRequest } from "fastify";
import { checkKey } from "../../http/access/auth.ts";
import { EXPOSED_HEADERS } from "../../http/access/cors.ts";
import type { KeyGuesses } from "../../http/access/key-guesses.ts";
import { isOnAdminPort } from "../../http/connections/listener.ts";
import { ApiError, apiError } from "../../http/errors.ts";
import type { AnswerCounter } from "../../http/metrics.ts";
import { pathInteger } from "../../http/requests/path-matcher.ts";
import { contain } from "../../runtime/contain.ts";
import type { FollowerAnswers } from "../following/follower-answers.ts";
import { type Api, type Route, scopeOf } from "../route.ts";
import { targetFailure } from "./not-found.ts";

export interface Guards {
  readonly guesses: KeyGuesses;
  readonly follower: FollowerAnswers | undefined;
}

/** Returns the hook that checks target, port and key before the body is read. */
export function createRequestGuard(
  api: Api,
  route: Route,
  { guesses, follower }: Guards,
  counter: AnswerCounter | undefined,
): (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void {
  const { info } = api;
  const params = Object.entries(route.request?.params ?? {}).map(([name, schema]) => {
    return { name, integer: (schema as { type?: string }).type === "integer" };
  });
  const scope = scopeOf(route);
  const needsAdminPort = scope !== undefined && info.hasAdminPort === true;
  const isCheckedByHandler = route.access?.startsWith("key-in-handler") === true;
  const hasBody = route.request?.body !== undefined;
  const isIndex = route.family === "index";
  const exposesHeaders = info.cors && isIndex;
  const checkBody = (request: FastifyRequest, done: (error?: Error) => void): void => {
    const { headers } = request;
    const encoding = headers["content-encoding"];
    if (hasBody && encoding !== undefined && encoding.toLowerCase() !== "identity") {
      done(apiError("contentEncoding"));
      return;
    }
    // Fastify would reject an invalid media type.
    if (headers["content-type"] !== undefined) {
      request.originalContentType = headers["content-type"];
      headers["content-type"] = undefined;
    }
    done();
  };
  return (request, reply, done) => {
    if (counter !== undefined) request.raw.answerCounter = counter;
    const invalidTarget = isIndex ? undefined : targetFailure(request.raw.url ?? "");
    if (invalidTarget !== undefined) return done(new ApiError(invalidTarget));
    for (const { name, integer } of params) {
      const value = (request.params as Record<string, string>)[name];
      if (value === "" || (integer && pathInteger(value) === undefined)) return done(apiError("notFound"));
    }
    if (exposesHeaders) reply.headers(EXPOSED_HEADERS);
    if (needsAdminPort && !isOnAdminPort(request.raw)) return done(apiError("notFound"));
    const refusal = follower?.check(route, reply);
    if (refusal !== undefined) return done(new ApiError(refusal));
    if (scope === undefined || follower?.forwards(route) === true) return checkBody(request, done);
    const keyCheck = checkKey(request, info, scope, api.namedKeys, api.clock.now());
    request.keyCheck = keyCheck;
    const { failure } = keyCheck;
    if (failure === undefined) return checkBody(request, done);
    const delay = keyCheck.isGuess
      ? guesses.countWrongKey(api.senderOf(request), request.raw.socket)
      : undefined;
    const proceed = (): void => (isCheckedByHandler ? checkBody(request, done) : done(new ApiError(failure)));
    if (delay === undefined) return proceed();
    const onFailure = (): void => {
      request.raw.socket.destroy();
    };
    contain({ log: api.log, message: "Cannot answer a request with a wrong key", onFailure }, () =>
      delay.then((isAnswered) => {
        if (isAnswered) return proceed();
        reply.headers({ connection: "close", "retry-after": 1 });
        done(apiError("tooManyRequests", "wrong_keys"));
      }),
    );
  };
}
