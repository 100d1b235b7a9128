/** Counts requests by route, and observes the clients that the server serves. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ConnectionLimit } from "../../http/connections/connection-limit.ts";
import { httpMetrics } from "../../http/metrics.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import type { ChainReader } from "../../interfaces.ts";
import { type CounterSeries, type Metrics, noMetrics } from "../../runtime/metrics.ts";
import type { CommitWaits } from "../events/commit-waits.ts";
import type { EventStreams } from "../events/subscriptions.ts";
import { apiMetrics, statusClasses } from "../metrics.ts";
import type { ReaderQueue } from "../reading/reader-queue.ts";
import type { Route } from "../route.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** True if the request waits for a commit: its duration says nothing about the node. */
    isUntimed: boolean;
  }
}

type OnResponse = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

export interface RequestCounting {
  /** Returns the hook that counts the requests of a route. */
  onResponse(route: Route): OnResponse;
  /** Counts a request that matches no route. Call it before the answer. */
  onNotFound(reply: FastifyReply): void;
}

const MS_PER_SECOND = 1_000;
/** `100 * index` is the lowest status of the first class in `statusClasses`. */
const FIRST_CLASS = 2;
/** Pattern of requests that match no route. */
const NO_ROUTE = "none";

/** Prepares a server for counting, before its routes are registered. @returns undefined if metrics are off */
export function countRequests(server: FastifyInstance, metrics: Metrics): RequestCounting | undefined {
  server.decorateRequest("isUntimed", false);
  if (metrics === noMetrics) return undefined;
  const seriesOf = (route: string): readonly CounterSeries[] =>
    statusClasses.map((status) => metrics.counter(apiMetrics.requests, { route, status }));
  const count = (series: readonly CounterSeries[], { statusCode }: FastifyReply): void =>
    series[Math.floor(statusCode / 100) - FIRST_CLASS]?.add();

  // The pages of the documentation and the explorer. Routes of the API already have their hook.
  server.addHook("onRoute", (options) => {
    if (options.onResponse !== undefined) return;
    const series = seriesOf(options.url);
    options.onResponse = (_request, reply, done) => {
      count(series, reply);
      done();
    };
  });
  const unmatched = seriesOf(NO_ROUTE);
  return {
    onResponse(route) {
      const series = seriesOf(route.path);
      const duration =
        route.answers.type === "text/event-stream"
          ? undefined
          : metrics.histogram(apiMetrics.duration, { family: route.tag });
      return (request, reply, done) => {
        count(series, reply);
        if (!request.isUntimed) duration?.record(reply.elapsedTime / MS_PER_SECOND);
        done();
      };
    },
    onNotFound(reply) {
      reply.raw.once("finish", () => count(unmatched, reply));
    },
  };
}

interface Observed {
  readonly connections: ConnectionLimit;
  readonly backpressure: ResponseBackpressure;
  readonly eventStreams: EventStreams;
  readonly commitWaits: CommitWaits;
  readonly readerQueue: ReaderQueue;
  readonly reader: ChainReader;
}

/** Observes the server until it closes. */
export function observeApi(server: FastifyInstance, metrics: Metrics, observed: Observed): void {
  const { connections, backpressure, eventStreams, commitWaits, readerQueue, reader } = observed;
  const ends = [
    metrics.observe(httpMetrics.connections, () => connections.count),
    metrics.observe(httpMetrics.inFlight, () => [
      [{ kind: "short" }, connections.answeringCount],
      [{ kind: "long_lived" }, connections.longLivedCount],
    ]),
    metrics.observe(httpMetrics.unreadBytes, () => backpressure.bytes),
    metrics.observe(apiMetrics.eventStreams, () => eventStreams.count),
    metrics.observe(apiMetrics.eventLag, () =>
      eventStreams.count === 0 ? 0 : eventStreams.lag(reader.read((chain) => chain.height())),
    ),
    metrics.observe(apiMetrics.commitWaits, () => commitWaits.count),
    metrics.observe(apiMetrics.queuedReads, () => readerQueue.length),
  ];
  server.addHook("onClose", (_server, done) => {
    for (const end of ends) end();
    done();
  });
}
