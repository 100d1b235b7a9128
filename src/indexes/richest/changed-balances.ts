import { bytesKey } from "../../bytes/compare.ts";
import type { RichAccount } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { balanceOfPoint } from "../../storage/values/ledger.ts";

/**
 * Returns the accounts that a range of units changed, with their balances after it, by `bytesKey` of the address.
 * Addresses are views of the units' rows.
 * @param from first unit
 * @param through last unit; default: the newest
 */
export function changedBalances(
  reader: Reader,
  { height, sequence }: UnitKey,
  through?: UnitKey,
): Map<string, RichAccount> {
  const changed = new Map<string, RichAccount>();
  const from = { height, sequence };
  const bounds = through ? { from, to: { ...through, sequence: through.sequence + 1 } } : { from };
  for (const [, postings] of reader.range(tables.accountHistory, bounds))
    postings.forEach((keyAt, valueAt) => {
      const { bytes } = postings;
      const address = bytes.subarray(keyAt, valueAt);
      changed.set(bytesKey(address), { address, balance: balanceOfPoint(bytes, valueAt) });
    });
  return changed;
}
