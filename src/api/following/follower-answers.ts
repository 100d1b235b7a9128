import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import { type ApiFailure, apiError, failure } from "../../http/errors.ts";
import { Forwarder, MAX_FORWARDED_ANSWER_BYTES } from "../../http/forwarding/forwarder.ts";
import { answerHeaders, forwardedHeaders, MAX_VIA_ENTRIES, viaCount } from "../../http/forwarding/headers.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import type { Clock } from "../../interfaces.ts";
import type { FollowingInfo } from "../info.ts";
import { type Api, AskSourceError, isKeyRoute, type Route } from "../route.ts";
import { FollowState } from "./follow-state.ts";

/** A forwarded answer is aborted after this time without a byte, ms. */
const IDLE_TIMEOUT_MS = 30_000;

/** Value of the header `Warning`, which RFC 9111, section 5.5, made obsolete. */
const STALE_WARNING = '110 - "Response is Stale"';

/** These routes report the lag: a stale node answers them without a warning. */
const HEALTH_PATHS: readonly string[] = ["/health/live", "/health/ready", "/node/health", "/node/sync"];

const staleFailure = failure(503, 503, "this node is behind the node that it follows");
const keyRouteFailure = failure(403, 403, "this node follows another one and does not serve this route");

/** Followers answer open routes from their own store, and forward key routes if settings allow it. */
export class FollowerAnswers {
  readonly #info: FollowingInfo;
  readonly #state: FollowState;
  readonly #clock: Pick<Clock, "after" | "monotonic">;
  readonly #backpressure: ResponseBackpressure;
  readonly #forwarder: Forwarder;

  constructor(
    info: FollowingInfo,
    clock: Pick<Clock, "after" | "monotonic">,
    backpressure: ResponseBackpressure,
  ) {
    this.#backpressure = backpressure;
    this.#info = info;
    this.#clock = clock;
    this.#state = new FollowState(info.state);
    this.#forwarder = new Forwarder({
      sources: info.sources,
      ca: info.ca,
      // A gateway follows databases: its `FollowState.source` is not an index of `info.sources`.
      preferred: () => (info.hasNodeControl === true ? 0 : this.#state.source),
      clock,
    });
  }

  get isStale(): boolean {
    return this.#state.isStale(this.#clock.monotonic(), this.#info.maxLagMs);
  }

  forwards(route: Route): boolean {
    const { sources, hasNodeControl, forwardsKeyRoutes } = this.#info;
    if (sources.length === 0) return false;
    if (route.onFollower !== undefined)
      return route.onFollower === "source-http" || (route.onFollower === "source" && hasNodeControl !== true);
    return isKeyRoute(route) && forwardsKeyRoutes;
  }

  /** Returns a handler that forwards all requests, or only those for which `ownHandler` throws AskSourceError. */
  handlerOf(api: Api, route: Route, ownHandler: RouteHandlerMethod): RouteHandlerMethod {
    if (this.forwards(route))
      return (request, reply) => this.#forward(api, route, request, reply).then(() => reply);
    const follower = this;
    return function (request, reply) {
      const onFailure = (error: unknown): Promise<unknown> => {
        if (error instanceof AskSourceError) return follower.#forward(api, route, request, reply);
        throw error;
      };
      try {
        const answer = ownHandler.call(this, request, reply);
        return answer instanceof Promise ? answer.catch(onFailure).then(() => reply) : answer;
      } catch (error) {
        return onFailure(error).then(() => reply);
      }
    };
  }

  /**
   * Returns why a request is refused: 403 for a route that needs a node and is not forwarded; 503 if this node is stale
   * and `whenStale` is `refuse`. Adds a warning to other answers of a stale node.
   */
  check(route: Route, reply: FastifyReply): ApiFailure | undefined {
    if (this.#refuses(route)) return keyRouteFailure;
    if (
      this.forwards(route) ||
      route.onFollower === "source" ||
      HEALTH_PATHS.includes(route.path) ||
      !this.isStale
    )
      return undefined;
    if (this.#info.whenStale === "refuse") return staleFailure;
    reply.header("warning", STALE_WARNING);
    return undefined;
  }

  #refuses(route: Route): boolean {
    const needsNode = isKeyRoute(route) && route.onFollower === undefined;
    return (needsNode || route.onFollower === "source-http") && !this.forwards(route);
  }

  /** @throws ApiError 503 if no source answers; 400 if followers forward the request in a loop */
  async #forward(api: Api, route: Route, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (viaCount(request.headers) >= MAX_VIA_ENTRIES) throw apiError("badRequest");
    const disconnect = new AbortController();
    const { raw } = reply;
    const onClose = (): void => disconnect.abort();
    raw.once("close", onClose);
    const headers = forwardedHeaders(
      request.headers,
      request.raw.socket.remoteAddress ?? "",
      !api.senderOf(request).isDirect,
    );
    const { originalContentType } = request;
    if (originalContentType !== undefined) headers["content-type"] = originalContentType;
    const { message } = await this.#forwarder.forward(
      {
        method: request.method,
        target: request.url,
        headers,
        body: request.body as Uint8Array | undefined,
        isRepeatable: route.isRepeatable ?? route.method === "GET",
        waitMs: request.call?.requestedWait(),
      },
      disconnect.signal,
    );
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
    for (const [name, value] of Object.entries(answerHeaders(message))) raw.setHeader(name, value);
    raw.writeHead(message.statusCode ?? 502);
    const reportUnread = this.#backpressure.trackStream(raw);
    let bytes = 0;
    let cancel = (): void => {};
    const abort = (): void => {
      message.destroy();
      raw.destroy();
    };
    const restartIdleTimeout = (): void => {
      cancel();
      cancel = this.#clock.after(IDLE_TIMEOUT_MS, abort);
    };
    restartIdleTimeout();
    message.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > MAX_FORWARDED_ANSWER_BYTES) return abort();
      restartIdleTimeout();
      if (!raw.write(chunk)) message.pause();
      reportUnread(raw.writableLength);
    });
    raw.on("drain", () => {
      reportUnread(raw.writableLength);
      message.resume();
    });
    message.once("end", () => {
      cancel();
      raw.off("close", onClose);
      raw.end();
    });
    // An incomplete answer must not look complete.
    message.once("error", abort);
    raw.once("close", () => {
      cancel();
      reportUnread(0);
    });
  }

  close(): void {
    this.#forwarder.close();
  }
}
