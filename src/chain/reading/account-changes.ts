/** How an account came to have what it has: unit by unit, with the transactions that list it. */
import { bytesEqual } from "../../bytes/compare.ts";
import { listedInUnit } from "../../indexes/transactions/write.ts";
import type { AccountChange, UnitPosition } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import type { StoredLedgerView } from "../../storage/ledger/ledger-view.ts";
import { recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import { headerRow } from "./rows.ts";

/**
 * The changes of an account, newest first.
 * @param page `before`: only what units before this one did; `ids`: of so many transactions of a unit the ids are given
 */
export function accountChangesOf(
  reader: Reader,
  ledger: StoredLedgerView,
  address: Uint8Array,
  {
    before,
    limit,
    ids,
  }: { readonly before?: UnitPosition | undefined; readonly limit: number; readonly ids: number },
): AccountChange[] {
  const changes: AccountChange[] = [];
  if (limit <= 0) return changes;
  for (const { unit, account } of ledger.accountChanges(address, before)) {
    const facts = ledger.blockFacts(unit.height);
    const listed = [...listedInUnit(reader, address, unit)];
    const transactions = listed
      .slice(0, ids)
      .map((place) => recordedAt(reader, place)?.id.slice())
      .filter((id) => id !== undefined);
    const { balance, leaseIn, leaseOut, unbonding } = account;
    changes.push({
      ...unit,
      id: headerRow(reader, unit.height).signature,
      timestamp: facts?.timestamp ?? 0n,
      forged: facts !== undefined && bytesEqual(facts.generator, address),
      transactions,
      transactionCount: listed.length,
      balance,
      leaseIn,
      leaseOut,
      unbonding,
    });
    if (changes.length >= limit) break;
  }
  return changes;
}
