import { bytesKey, compareBytes } from "../../bytes/compare.ts";
import type { RichAccount, RichestQueries } from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import { Queries } from "../query-source.ts";
import { changedBalances } from "./changed-balances.ts";
import { accountsOf, MAX_RICHEST, pendingBalances, richestState } from "./write.ts";

export class RichestQuery extends Queries implements RichestQueries {
  accounts(): readonly RichAccount[] {
    if (!this.source.isComplete("richest")) return [];
    const rows = this.source.rows("richest");
    const changed = changedBalances(this.source.reader, pendingBalances(rows));
    const { floor } = richestState(rows);
    const all = [...changed.values()].filter(({ balance }) => balance >= floor);
    for (const [, bytes] of rows.range(tables.richest))
      for (const account of accountsOf(bytes)) if (!changed.has(bytesKey(account.address))) all.push(account);
    // Views would keep whole rows in memory, or end with the read.
    return all
      .sort(byBalance)
      .slice(0, MAX_RICHEST)
      .map(({ address, balance }) => ({ address: address.slice(), balance }));
  }
}

function byBalance(a: RichAccount, b: RichAccount): number {
  if (a.balance !== b.balance) return a.balance < b.balance ? 1 : -1;
  return compareBytes(a.address, b.address);
}
