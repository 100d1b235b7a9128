import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../interfaces.ts";
import { type CounterSeries, counter, gauge, type Metrics, noMetrics, recordOf } from "../runtime/metrics.ts";

/** Limits that refuse a request or close a connection: values of the label `limit`. */
const requestLimits = [
  /** Status 429. */
  "rate",
  /** Another file is being sent to the client: status 429. */
  "files",
  /** Too many delayed answers to wrong API keys: status 429. */
  "wrong_keys",
  /** The server closes an old connection. */
  "connections",
  "connections_per_origin",
  "pipelined_requests",
  /** Unread bytes of answers: a connection is closed. */
  "unread_bytes",
  /** Time in which a client reads nothing of its pending answers: the connection is closed. */
  "read_timeout",
  /** Time for headers and body to arrive: status 408. */
  "request_timeout",
  /** Status 431. */
  "header_size",
  /** Status 413. */
  "body_size",
  "reader_queue",
  "reader_queue_timeout",
  "reader_timeout",
  /** Calls to the main thread in progress. */
  "control_queue",
  "control_timeout",
  "event_streams",
  "unit_streams",
  "commit_waits",
  /** Time for the chain to reach the requested position. */
  "chain_position",
] as const;

export type RequestLimit = (typeof requestLimits)[number];

export const httpMetrics = {
  limits: counter(
    "holdfast_api_limits_total",
    "Refused requests and closed connections, by the limit that was reached.",
    { limit: requestLimits },
  ),
  abandoned: counter(
    "holdfast_api_abandoned_requests_total",
    "Requests whose client disconnected before the end of the answer. Event streams that clients close are included.",
  ),
  connections: gauge("holdfast_api_connections", "Open connections to the REST API."),
  inFlight: gauge(
    "holdfast_api_requests_in_flight",
    "Requests that are being answered. `long_lived`: event streams, waits for a commit and delayed answers.",
    { kind: ["short", "long_lived"] },
  ),
  unreadBytes: gauge("holdfast_api_unread_bytes", "Bytes of answers that clients have not read yet."),
} as const;

export interface AnswerCounter {
  countAnswer(status: number, durationMs: number): void;
  /** Counts answers without their durations. */
  readonly untimed: AnswerCounter;
}

declare module "node:http" {
  interface IncomingMessage {
    /** Set by the route; undefined if metrics are off or no route matches. */
    answerCounter?: AnswerCounter | undefined;
  }
}

export class HttpCounters {
  /** Counts requests without a route. */
  unmatched: AnswerCounter | undefined;
  readonly #clock: Pick<Clock, "monotonic"> | undefined;
  readonly #limits: Readonly<Record<RequestLimit, CounterSeries>>;
  readonly #abandoned: CounterSeries;

  constructor(metrics: Metrics = noMetrics, clock?: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#limits = recordOf(requestLimits, (limit) => metrics.counter(httpMetrics.limits, { limit }));
    this.#abandoned = metrics.counter(httpMetrics.abandoned, {});
  }

  readonly limitReached = (limit: RequestLimit): void => this.#limits[limit].add();

  /** Returns the monotonic time for `requestEnded`, ms. */
  startTime(): number {
    return this.#clock?.monotonic() ?? 0;
  }

  requestEnded(request: IncomingMessage, response: ServerResponse, startedAt: number): void {
    if (this.#clock === undefined) return;
    if (response.writableFinished)
      (request.answerCounter ?? this.unmatched)?.countAnswer(
        response.statusCode,
        this.#clock.monotonic() - startedAt,
      );
    else this.#abandoned.add();
  }
}
