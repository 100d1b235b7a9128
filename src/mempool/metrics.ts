import type { Refusal } from "../ledger/refusal.ts";
import { type CounterSeries, counter, gauge, type Metrics, recordOf } from "../runtime/metrics.ts";

const refusalReasons = [
  "pool_full",
  "blacklisted",
  "fee",
  "known",
  "timestamp",
  "not_activated",
  "rule",
  "script",
  "throttled",
  "busy",
  "late",
  "other",
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

export const poolMetrics = {
  transactions: gauge("holdfast_pool_transactions", "Number of unconfirmed transactions."),
  maxTransactions: gauge("holdfast_pool_max_transactions", "Maximum number of unconfirmed transactions."),
  bytes: gauge("holdfast_pool_bytes", "Total size of the unconfirmed transactions."),
  maxBytes: gauge("holdfast_pool_max_bytes", "Maximum total size of the unconfirmed transactions."),
  accepted: counter(
    "holdfast_pool_accepted_total",
    "Transactions that entered the pool. Transactions of reverted blocks that return to the pool count again.",
  ),
  refused: counter(
    "holdfast_pool_refused_total",
    "Transactions that the pool refused. `rule`: missing funds, an invalid proof, or another rule of the transaction type; `known`: already on the chain; `throttled`: the sender's script refused costly transactions before; `busy`: the queue of checks is full; `late`: the client's deadline passed.",
    { reason: refusalReasons },
  ),
} as const;

const reasonOfKind: ReadonlyMap<string, RefusalReason> = new Map([
  ["SenderIsBlacklisted", "blacklisted"],
  ["InsufficientFee", "fee"],
  ["AlreadyInTheState", "known"],
  ["AccountBalanceError", "rule"],
  ["Mistiming", "timestamp"],
  ["NotActivated", "not_activated"],
  ["ActivationError", "not_activated"],
  ["UnsupportedTransactionType", "not_activated"],
  ["UnsupportedKeyType", "not_activated"],
  ["GenericError", "rule"],
  ["TransactionNotAllowedByScript", "script"],
  ["ScriptExecutionError", "script"],
]);

export class AdmissionCounter {
  readonly #accepted: CounterSeries;
  readonly #refused: Readonly<Record<RefusalReason, CounterSeries>>;

  constructor(metrics: Metrics) {
    this.#accepted = metrics.counter(poolMetrics.accepted, {});
    this.#refused = recordOf(refusalReasons, (reason) => metrics.counter(poolMetrics.refused, { reason }));
  }

  countAccepted(): void {
    this.#accepted.add();
  }

  countRefused(reason: RefusalReason): void {
    this.#refused[reason].add();
  }

  countRefusal({ kind }: Pick<Refusal, "kind">): void {
    this.countRefused(reasonOfKind.get(kind) ?? "other");
  }
}

export function observePool(
  metrics: Metrics,
  pool: { readonly size: number; readonly byteSize: number },
  limits: { readonly maxTransactions: number; readonly maxBytes: number },
): void {
  metrics.observe(poolMetrics.transactions, () => pool.size);
  metrics.observe(poolMetrics.bytes, () => pool.byteSize);
  metrics.observe(poolMetrics.maxTransactions, () => limits.maxTransactions);
  metrics.observe(poolMetrics.maxBytes, () => limits.maxBytes);
}
