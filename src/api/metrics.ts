import { counter, gauge, histogram } from "../runtime/metrics.ts";

/**
 * Maximum number of values of the labels `route` and `family`. `server/request-metrics.test.ts` compares them with the
 * routes.
 */
export const MAX_ROUTE_PATTERNS = 170;
export const MAX_FAMILIES = 24;

export const statusClasses = ["2xx", "3xx", "4xx", "5xx"] as const;

export const apiMetrics = {
  requests: counter(
    "holdfast_api_requests_total",
    "Answered requests by route pattern and status class. Requests that match no route have the route `none`.",
    { route: { max: MAX_ROUTE_PATTERNS }, status: statusClasses },
  ),
  duration: histogram(
    "holdfast_api_request_duration_seconds",
    "Time from a request's headers to the end of its answer, by family of routes. Event streams and waits for a commit are not included.",
    [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    { family: { max: MAX_FAMILIES } },
  ),
  eventStreams: gauge("holdfast_api_event_streams", "Open event streams."),
  eventLag: {
    ...gauge(
      "holdfast_api_event_stream_lag_blocks",
      "Number of blocks by which the slowest event stream is behind the tip.",
    ),
    aggregator: "max",
  },
  unitStreams: gauge("holdfast_api_unit_streams", "Open streams of units, which followers read."),
  unitLag: {
    ...gauge(
      "holdfast_api_unit_stream_lag_blocks",
      "Number of blocks by which the slowest stream of units is behind the tip.",
    ),
    aggregator: "max",
  },
  commitWaits: gauge("holdfast_api_commit_waits", "Requests that wait for a commit."),
  queuedReads: gauge("holdfast_api_queued_reads", "Expensive reads that wait for a reader thread."),
} as const;
