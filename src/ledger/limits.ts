/** How much one block may hold. Page 05 §8.4, page 03 §11. */
import { type Transaction, transactionBytes } from "../transactions/index.ts";
import { genericError, type Refusal } from "./refusal.ts";

/** Most bytes of the transactions of a block, its micro blocks included. */
export const MAX_BLOCK_SIZE = 1_048_576;
/** Most script runs of a block, while SmartAccounts is active. */
export const MAX_SCRIPT_RUNS = 100;
/**
 * Work of the script (`ScriptWork`, about a nanosecond a unit) that the pool does for one transaction: that of 45 checks
 * of a signature, twice as many as a script can pay for. A limit of ours, and none of blocks.
 */
export const MAX_POOL_SCRIPT_WORK = 4_000_000;
/** A block with less room than this is full: no transaction is smaller. */
const MIN_TRANSACTION_BYTES = 109;

/** What is left for further transactions; undefined stands for no limit. */
export interface Capacity {
  readonly size: number;
  readonly scripts: number | undefined;
  readonly transactions: number | undefined;
}

/** What is left after a transaction, which may be less than nothing. */
export function capacityAfter(room: Capacity, transaction: Transaction, runsScript: boolean): Capacity {
  return {
    size: room.size - transactionBytes(transaction).length,
    scripts: room.scripts === undefined || !runsScript ? room.scripts : room.scripts - 1,
    transactions: room.transactions === undefined ? undefined : room.transactions - 1,
  };
}

/** Whether more was put in than fits. */
export function isExceeded({ size, scripts, transactions }: Capacity): boolean {
  return (
    size < 0 || (scripts !== undefined && scripts < 0) || (transactions !== undefined && transactions < 0)
  );
}

/** Whether nothing more can be put in. Script runs never fill a block: there are transactions without any. */
export function isFull({ size, transactions }: Capacity): boolean {
  return size < MIN_TRANSACTION_BYTES || (transactions !== undefined && transactions < 1);
}

/** Refuses a block that holds more than it may. The amounts are printed in an order of our own. */
export function limitReached(initial: Capacity, after: Capacity): Refusal {
  return genericError(`Limit of txs was reached: ${formatCapacity(initial)} -> ${formatCapacity(after)}`);
}

function formatCapacity({ size, scripts, transactions }: Capacity): string {
  const parts = [`size ${size}`];
  if (scripts !== undefined) parts.push(`scripts ${scripts}`);
  if (transactions !== undefined) parts.push(`transactions ${transactions}`);
  return `(${parts.join(", ")})`;
}
