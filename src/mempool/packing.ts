/** Choosing transactions of the pool for a block. */
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

/** What to pack. */
export interface PackRequest {
  readonly room: Capacity;
  /**
   * Timestamp of the block that the transactions are for, ms; by default the clock. Transactions that are too
   * young for it stay in the pool.
   */
  readonly blockTimestamp?: bigint | undefined;
  /**
   * At most so much work is done, in units of `ScriptWork`: each transaction that is judged counts `JUDGING`, and its
   * script what it takes. The rest waits for the next time. Default: any amount. It bounds how long the writer is held
   * up by a pool full of transactions that have become invalid, which are dropped.
   */
  readonly maxWork?: number | undefined;
}

/** Work of judging a transaction, its script apart. */
export const WORK_PER_TRANSACTION = 20_000;

/** What was found in the pool for a block. */
interface Choice {
  readonly taken: PoolEntry[];
  readonly invalid: readonly PoolEntry[];
  readonly room: Capacity;
}

/** How often refused transactions are judged again while others are taken: more than any honest chain of them needs. */
const MAX_PASSES = 8;

/**
 * Goes through the pool and applies what the block can hold. Page 05 §24.5.
 * @param entries in pool order
 * @param ledger the state of the tip, to try things out on
 * @param now the clock, ms
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
  const taken: PoolEntry[] = [];
  const refused: PoolEntry[] = [];
  let { room } = request;
  const take = (entry: PoolEntry, outcome: Outcome, after: Capacity): void => {
    if (outcome.effect.change?.kind === "script") scriptChanges.push(entry.transaction.senderAddress);
    taken.push(entry);
    room = after;
  };
  const roomWith = ({ transaction }: PoolEntry): Capacity =>
    capacityAfter(
      room,
      transaction,
      room.scripts !== undefined && countsAsScripted(ledger, transaction.senderAddress, scriptChanges),
    );
  const maxWork = request.maxWork ?? Number.POSITIVE_INFINITY;
  let judged = 0;
  const work = (): number => judged * WORK_PER_TRANSACTION + context.work.used;
  for (const entry of entries) {
    // No further transaction can fit: the walk would only skip the rest.
    if (room.transactions !== undefined && room.transactions < 1) break;
    const { transaction, size } = entry;
    if (size > room.size) continue;
    if (request.blockTimestamp !== undefined && isTooYoung(transaction, blockTimestamp)) continue;
    // The other half is for those that are judged again.
    if (work() + WORK_PER_TRANSACTION > maxWork / 2) break;
    judged++;
    const after = roomWith(entry);
    if (isExceeded(after)) continue;
    const wasFull = isFull(room);
    const outcome = applyTransaction(ledger, transaction, context);
    if (outcome instanceof Refusal) {
      refused.push(entry);
      continue;
    }
    if (wasFull) break;
    take(entry, outcome, after);
  }
  // What came back from a removed block may rest on another transaction that was only taken now.
  let invalid = refused;
  for (let pass = 0, before = 0; pass < MAX_PASSES && taken.length > before; pass++) {
    before = taken.length;
    invalid = invalid.filter((entry) => {
      // One that nobody has judged again may rest on another one: it stays in the pool for the next time.
      if (work() + WORK_PER_TRANSACTION > maxWork) return pass > 0;
      judged++;
      const outcome = validateTransaction(ledger, entry.transaction, context);
      if (outcome instanceof Refusal) return true;
      const after = roomWith(entry);
      if (isExceeded(after) || isFull(room)) return false;
      applyOutcome(ledger, outcome);
      take(entry, outcome, after);
      return false;
    });
  }
  return { taken, invalid, room };
}

/** Dated more than 90 minutes after the block: page 05 §10.2. */
function isTooYoung({ timestamp }: Transaction, blockTimestamp: bigint): boolean {
  return BigInt.asIntN(64, timestamp - blockTimestamp) > MAX_AHEAD_MS;
}
