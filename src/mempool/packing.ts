import { applyOutcome, applyTransaction } from "../ledger/apply.ts";
import { poolContext } from "../ledger/block.ts";
import type { LedgerRules } from "../ledger/era.ts";
import { type Capacity, capacityAfter, isExceeded, isFull } from "../ledger/limits.ts";
import { Refusal } from "../ledger/refusal.ts";
import { countsAsScripted } from "../ledger/scripts/counts-as-scripted.ts";
import type { LedgerWriter } from "../ledger/state.ts";
import { MAX_AHEAD_MS, type Outcome, validateTransaction } from "../ledger/validate.ts";
import type { Transaction } from "../transactions/index.ts";
import type { PoolEntry } from "./entry.ts";

export interface PackRequest {
  readonly capacity: Capacity;
  /** Timestamp of the block, ms; default: the clock. If set, transactions dated too far after it stay in the pool. */
  readonly blockTimestamp?: bigint | undefined;
  /**
   * Maximum work in units of `ScriptWork`, unlimited by default. A validation counts as `WORK_PER_TRANSACTION` plus the
   * work of the script.
   */
  readonly maxWork?: number | undefined;
}

/** Work to validate a transaction, without its script, in units of `ScriptWork`. */
export const WORK_PER_TRANSACTION = 20_000;

interface Choice {
  readonly chosen: PoolEntry[];
  readonly invalid: readonly PoolEntry[];
  readonly capacity: Capacity;
}

const MAX_PASSES = 8;

/**
 * Chooses transactions for a block, and applies them to `ledger`. Page 05 §24.5.
 * @param entries in pool order
 * @param ledger a scratch state of the tip
 * @param now ms since 1970
 */
export function chooseTransactions(
  entries: Iterable<PoolEntry>,
  ledger: LedgerWriter,
  rules: LedgerRules,
  request: PackRequest,
  now: number,
): Choice {
  const blockTimestamp = request.blockTimestamp ?? BigInt(now);
  const context = poolContext(ledger, rules, blockTimestamp);
  const scriptChanges: Uint8Array[] = [];
  const chosen: PoolEntry[] = [];
  const refused: PoolEntry[] = [];
  let { capacity } = request;
  const choose = (entry: PoolEntry, outcome: Outcome, after: Capacity): void => {
    if (outcome.effect.change?.kind === "script") scriptChanges.push(entry.transaction.senderAddress);
    chosen.push(entry);
    capacity = after;
  };
  const roomAfter = ({ transaction }: PoolEntry): Capacity => {
    const { senderAddress } = transaction;
    const runsScript =
      capacity.scripts !== undefined &&
      countsAsScripted(ledger, senderAddress, ledger.script(senderAddress), scriptChanges);
    return capacityAfter(capacity, transaction, runsScript);
  };
  const maxWork = request.maxWork ?? Number.POSITIVE_INFINITY;
  let validations = 0;
  const work = (): number => validations * WORK_PER_TRANSACTION + context.work.used;
  for (const entry of entries) {
    if (capacity.transactions !== undefined && capacity.transactions < 1) break;
    const { transaction, size } = entry;
    if (size > capacity.size) continue;
    if (request.blockTimestamp !== undefined && isTooFarAhead(transaction, blockTimestamp)) continue;
    // Keep half of the work limit to validate refused transactions again.
    if (work() + WORK_PER_TRANSACTION > maxWork / 2) break;
    validations++;
    const after = roomAfter(entry);
    if (isExceeded(after)) continue;
    const wasFull = isFull(capacity);
    const outcome = applyTransaction(ledger, transaction, context);
    if (outcome instanceof Refusal) {
      refused.push(entry);
      continue;
    }
    // If the block is full, the next valid transaction ends packing (page 05 §24.5).
    if (wasFull) break;
    choose(entry, outcome, after);
  }
  // A refused transaction may depend on one that was chosen after it.
  let invalid = refused;
  for (let pass = 0, before = 0; pass < MAX_PASSES && chosen.length > before; pass++) {
    before = chosen.length;
    invalid = invalid.filter((entry) => {
      // A transaction that was validated only in the first loop stays in the pool.
      if (work() + WORK_PER_TRANSACTION > maxWork) return pass > 0;
      validations++;
      const outcome = validateTransaction(ledger, entry.transaction, context);
      if (outcome instanceof Refusal) return true;
      const after = roomAfter(entry);
      if (isExceeded(after) || isFull(capacity)) return false;
      applyOutcome(ledger, outcome);
      choose(entry, outcome, after);
      return false;
    });
  }
  return { chosen, invalid, capacity };
}

/** Page 05 §10.2. */
function isTooFarAhead({ timestamp }: Transaction, blockTimestamp: bigint): boolean {
  return BigInt.asIntN(64, timestamp - blockTimestamp) > MAX_AHEAD_MS;
}
