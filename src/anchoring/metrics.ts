import { type CounterSeries, counter, gauge, type Metrics, noMetrics, recordOf } from "../runtime/metrics.ts";

const results = [
  "accepted",
  /** The pool was busy: the transaction is offered again with the next block. */
  "postponed",
  /** The pool refused the transaction: its hashes wait again. */
  "refused",
  "final",
] as const;

export const anchoringMetrics = {
  pending: gauge(
    "holdfast_anchoring_pending",
    "Hashes and other jobs in the queue: waiting, or sent in a transaction that is not final yet.",
    { state: ["waiting", "sent"] },
  ),
  limit: gauge("holdfast_anchoring_limit", "Maximum number of waiting jobs (`anchor-queue-limit`)."),
  oldest: gauge(
    "holdfast_anchoring_oldest_waiting_seconds",
    "Age of the job that has waited longest to be sent; 0 if none waits.",
  ),
  failing: gauge("holdfast_anchoring_failing", "Is 1 while waiting jobs cannot be sent; the log says why."),
  batches: counter(
    "holdfast_anchoring_batches_total",
    "Anchor transactions by result. A transaction can be accepted again after a fork or a restart.",
    { result: results },
  ),
} as const;

export type BatchCounters = Readonly<Record<(typeof results)[number], CounterSeries>>;

export function batchCounters(metrics: Metrics = noMetrics): BatchCounters {
  return recordOf(results, (result) => metrics.counter(anchoringMetrics.batches, { result }));
}
