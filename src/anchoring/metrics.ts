import { type CounterSeries, counter, gauge, type Metrics, noMetrics, recordOf } from "../runtime/metrics.ts";

const results = [
  "accepted",
  /** The pool was busy: offered again with the next block. */
  "postponed",
  /** The pool refused the transaction: its hashes wait again. */
  "refused",
  "final",
] as const;

export const anchoringMetrics = {
  pending: gauge(
    "holdfast_anchoring_pending",
    "Jobs in the queue, such as hashes to anchor. `waiting`: not sent; `sent`: in a transaction that is not final yet.",
    { state: ["waiting", "sent"] },
  ),
  limit: gauge("holdfast_anchoring_limit", "Maximum number of waiting jobs: `--anchor-queue-limit`."),
  oldest: gauge(
    "holdfast_anchoring_oldest_waiting_seconds",
    "Time for which the oldest waiting job has waited; 0 if no job waits.",
  ),
  failing: gauge(
    "holdfast_anchoring_failing",
    "Is 1 while waiting jobs cannot be sent, otherwise 0. The log says why.",
  ),
  batches: counter(
    "holdfast_anchoring_batches_total",
    "Results of anchor transactions. `accepted`: the pool accepted the transaction; after a fork or a restart it may accept it again; `postponed`: the pool was busy; `refused`: the pool refused the transaction; `final`: no fork can remove it.",
    { result: results },
  ),
} as const;

export type BatchCounters = Readonly<Record<(typeof results)[number], CounterSeries>>;

export function batchCounters(metrics: Metrics = noMetrics): BatchCounters {
  return recordOf(results, (result) => metrics.counter(anchoringMetrics.batches, { result }));
}
