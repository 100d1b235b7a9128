import { INT64_MAX } from "../../bytes/int64.ts";
import type { Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { balanceOfPoint } from "../../storage/values/ledger.ts";
import type { RankingState } from "../../storage/values/rankings.ts";
import { movedTokens } from "../../transactions/index.ts";
import type { ConfiguredIndex, StoredUnit } from "../chain-index.ts";

/** Maximum accounts after a cut. A list with more than `CUT_ABOVE` accounts is cut. */
export const MAX_RICHEST = 10_000;
const CUT_ABOVE = 12_000;

const emptyState: RankingState = { count: 0, floor: 1n };

/**
 * Keeps every account whose regular balance is at least the floor, which rises when the list is cut.
 *
 * Looks up an account below the floor only if it could have lost enough tokens in the unit to fall below the floor.
 */
export function richestIndex(): ConfiguredIndex {
  return {
    configuration: { names: ["richest"], text: `${MAX_RICHEST} regular balances` },
    apply(writer, unit) {
      const changed = writer.get(tables.accountHistory, unit);
      if (changed === undefined) return;
      const before = writer.get(tables.richestState, undefined) ?? emptyState;
      const { floor } = before;
      let { count } = before;
      let maxLoss: bigint | undefined;
      for (const { key, value } of changed) {
        const balance = balanceOfPoint(value);
        if (balance < floor) {
          maxLoss ??= maxLossIn(unit);
          if (balance + maxLoss < floor || writer.get(tables.richest, key) === undefined) continue;
          writer.remove(tables.richest, key);
          count--;
          continue;
        }
        const stored = writer.get(tables.richest, key);
        if (stored === balance) continue;
        if (stored === undefined) count++;
        // `key` is a view that would keep the whole row in memory.
        writer.put(tables.richest, key.slice(), balance);
      }
      const after = count > CUT_ABOVE ? cut(writer) : { count, floor };
      if (after.count !== before.count || after.floor !== floor)
        writer.put(tables.richestState, undefined, after);
    },
  };
}

/** Upper bound of any account's loss in the unit. */
function maxLossIn({ transactions }: StoredUnit): bigint {
  let sum = 0n;
  for (const { transaction, effectiveFee } of transactions) sum += movedTokens(transaction) + effectiveFee;
  return sum < INT64_MAX ? sum : INT64_MAX;
}

/** Removes the accounts whose balance is at most that of rank `MAX_RICHEST` + 1. At most `MAX_RICHEST` remain. */
function cut(writer: Writer): RankingState {
  const rows = Array.from(writer.range(tables.richest), ([address, balance]) => ({
    address: address.slice(),
    balance,
  }));
  const balances = rows.map(({ balance }) => balance).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  const floor = (balances[MAX_RICHEST] ?? 0n) + 1n;
  let count = 0;
  for (const { address, balance } of rows)
    if (balance >= floor) count++;
    else writer.remove(tables.richest, address);
  return { count, floor };
}
