import { compareBytes } from "../../bytes/compare.ts";
import type { RichAccount, RichestQueries } from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import { Queries } from "../query-source.ts";
import { MAX_RICHEST } from "./write.ts";

export class RichestQuery extends Queries implements RichestQueries {
  accounts(): readonly RichAccount[] {
    const rows = this.source.rows("richest").range(tables.richest);
    const all = Array.from(rows, ([address, balance]) => ({ address: address.slice(), balance }));
    return all.sort(byBalance).slice(0, MAX_RICHEST);
  }
}

function byBalance(a: RichAccount, b: RichAccount): number {
  if (a.balance !== b.balance) return a.balance < b.balance ? 1 : -1;
  return compareBytes(a.address, b.address);
}
