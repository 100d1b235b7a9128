import type { FastifyInstance } from "fastify";
import type { ConnectionLimit } from "../../http/connections/connection-limit.ts";
import { type AnswerCounter, type HttpCounters, httpMetrics } from "../../http/metrics.ts";
import type { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import type { ChainReader } from "../../interfaces.ts";
import { type CounterSeries, type HistogramSeries, type Metrics, noMetrics } from "../../runtime/metrics.ts";
import type { CommitWaits } from "../events/commit-waits.ts";
import type { EventStreams } from "../events/subscriptions.ts";
import { apiMetrics, statusClasses } from "../metrics.ts";
import type { ReaderQueue } from "../reading/reader-queue.ts";
import type { Route } from "../route.ts";
import { EVENT_STREAM, UNIT_STREAM } from "../schemas/common.ts";
import type { UnitStreams } from "../units/subscriptions.ts";

const MS_PER_SECOND = 1_000;
/** First digit of the statuses in `statusClasses[0]`. */
const FIRST_CLASS_DIGIT = 2;
const NO_ROUTE = "none";

class RouteCounter implements AnswerCounter {
  readonly untimed: AnswerCounter;
  readonly #byClass: readonly CounterSeries[];
  readonly #duration: HistogramSeries | undefined;

  constructor(byClass: readonly CounterSeries[], duration?: HistogramSeries) {
    this.#byClass = byClass;
    this.#duration = duration;
    this.untimed = duration === undefined ? this : new RouteCounter(byClass);
  }

  countAnswer(status: number, durationMs: number): void {
    this.#byClass[Math.floor(status / 100) - FIRST_CLASS_DIGIT]?.add();
    this.#duration?.record(durationMs / MS_PER_SECOND);
  }
}

/**
 * Call this before routes are registered.
 * @returns a function that returns a route's counter; undefined if metrics are off
 */
export function countRequests(
  server: FastifyInstance,
  metrics: Metrics,
  counters: HttpCounters,
): (route: Route) => AnswerCounter | undefined {
  if (metrics === noMetrics) return () => undefined;
  const countersOf = (route: string): readonly CounterSeries[] =>
    statusClasses.map((status) => metrics.counter(apiMetrics.requests, { route, status }));
  counters.unmatched = new RouteCounter(countersOf(NO_ROUTE));
  // API routes count in their own `onRequest`; documentation and explorer routes have none.
  server.addHook("onRoute", (options) => {
    if (options.onRequest !== undefined) return;
    const counter = new RouteCounter(countersOf(options.url));
    options.onRequest = (request, _reply, done) => {
      request.raw.answerCounter = counter;
      done();
    };
  });
  return (route) => {
    const { type } = route.answers;
    const isStream = type === EVENT_STREAM || type === UNIT_STREAM;
    const duration = isStream ? undefined : metrics.histogram(apiMetrics.duration, { family: route.tag });
    return new RouteCounter(countersOf(route.path), duration);
  };
}

interface Observed {
  readonly connections: ConnectionLimit;
  readonly backpressure: ResponseBackpressure;
  readonly eventStreams: EventStreams;
  readonly unitStreams: UnitStreams;
  readonly commitWaits: CommitWaits;
  readonly readerQueue: ReaderQueue;
  readonly reader: ChainReader;
}

export function observeApi(server: FastifyInstance, metrics: Metrics, observed: Observed): void {
  const { connections, backpressure, eventStreams, unitStreams, commitWaits, readerQueue, reader } = observed;
  const lagOf = (streams: EventStreams | UnitStreams): number =>
    streams.count === 0 ? 0 : streams.lag(reader.read((chain) => chain.tip().height));
  const cancels = [
    metrics.observe(httpMetrics.connections, () => connections.count),
    metrics.observe(httpMetrics.inFlight, () => [
      [{ kind: "short" }, connections.answeringCount],
      [{ kind: "long_lived" }, connections.longLivedCount],
    ]),
    metrics.observe(httpMetrics.unreadBytes, () => backpressure.bytes),
    metrics.observe(apiMetrics.eventStreams, () => eventStreams.count),
    metrics.observe(apiMetrics.eventLag, () => lagOf(eventStreams)),
    metrics.observe(apiMetrics.unitStreams, () => unitStreams.count),
    metrics.observe(apiMetrics.unitLag, () => lagOf(unitStreams)),
    metrics.observe(apiMetrics.commitWaits, () => commitWaits.count),
    metrics.observe(apiMetrics.queuedReads, () => readerQueue.length),
  ];
  server.addHook("onClose", (_server, done) => {
    for (const cancel of cancels) cancel();
    done();
  });
}
