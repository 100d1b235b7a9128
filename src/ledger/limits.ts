/** Page 05 §8.4, page 03 §11. */
import { type Transaction, transactionBytes } from "../transactions/index.ts";
import { genericError, type Refusal } from "./refusal.ts";

/** Maximum size of a block's transactions, bytes. */
export const MAX_BLOCK_SIZE = 1_048_576;
/** Maximum script runs of a block while SmartAccounts is active. */
export const MAX_SCRIPT_RUNS = 100;
/**
 * Maximum script work per transaction in the pool, in units of `ScriptWork` (about 1 ns). Blocks have no such limit.
 */
export const MAX_POOL_SCRIPT_WORK = 4_000_000;
const MIN_TRANSACTION_BYTES = 109;

/** Remaining capacity; undefined means no limit. */
export interface Capacity {
  /** In bytes. */
  readonly size: number;
  readonly scripts: number | undefined;
  readonly transactions: number | undefined;
}

export function capacityAfter(capacity: Capacity, transaction: Transaction, runsScript: boolean): Capacity {
  return {
    size: capacity.size - transactionBytes(transaction).length,
    scripts: capacity.scripts === undefined || !runsScript ? capacity.scripts : capacity.scripts - 1,
    transactions: capacity.transactions === undefined ? undefined : capacity.transactions - 1,
  };
}

export function isExceeded({ size, scripts, transactions }: Capacity): boolean {
  return (
    size < 0 || (scripts !== undefined && scripts < 0) || (transactions !== undefined && transactions < 0)
  );
}

/** Ignores script runs. */
export function isFull({ size, transactions }: Capacity): boolean {
  return size < MIN_TRANSACTION_BYTES || (transactions !== undefined && transactions < 1);
}

/** The reference prints the amounts in another order. */
export function limitRefusal(initial: Capacity, after: Capacity): Refusal {
  return genericError(`Limit of txs was reached: ${formatCapacity(initial)} -> ${formatCapacity(after)}`);
}

function formatCapacity({ size, scripts, transactions }: Capacity): string {
  const parts = [`size ${size}`];
  if (scripts !== undefined) parts.push(`scripts ${scripts}`);
  if (transactions !== undefined) parts.push(`transactions ${transactions}`);
  return `(${parts.join(", ")})`;
}
