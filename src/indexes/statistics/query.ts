import { bytesKey, compareBytes } from "../../bytes/compare.ts";
import type { DayStatistics, ForgerInfo, StatisticsQueries } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { DaySums, ForgedSums } from "../../storage/values/statistics.ts";
import { forgedBlock } from "../forged-blocks.ts";
import { Queries } from "../query-source.ts";
import { countInGroup } from "../transactions/groups.ts";
import { noSums, nothingForged } from "./write.ts";

export class StatisticsQuery extends Queries implements StatisticsQueries {
  days(from: number, to: number, group = "all"): readonly DayStatistics[] | undefined {
    const { reader, ledger, context } = this.source;
    if (!this.source.isComplete("statistics")) return undefined;
    const { initialBalance } = context.profile.genesis;
    return daySumsOf(reader, from, to).map((sums) => ({
      ...sums,
      transactions: countInGroup(sums.transactions, group),
      supply: sums.height === 0 ? 0n : initialBalance - (ledger.blockTotals(sums.height)?.burned ?? 0n),
    }));
  }

  forgedBetween(from: number, to: number): readonly ForgerInfo[] | undefined {
    const { reader, ledger } = this.source;
    return this.source.isComplete("statistics") ? forgersBetween(reader, from, to, ledger.height) : undefined;
  }
}

/** Returns the days in [from, to]. */
export function daySumsOf(reader: Reader, from: number, to: number): DaySums[] {
  // Days before 1970 have no rows.
  const [first, end] = [Math.max(from, 0), Math.max(to + 1, 0)];
  const stored = new Map(reader.range(tables.daySums, { from: first, to: end }));
  let last = noSums;
  for (const [, sums] of reader.range(tables.daySums, { to: first, reverse: true, limit: 1 })) last = sums;
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const sums = stored.get(from + i);
    if (sums === undefined) return { ...noSums, height: last.height, leased: last.leased };
    last = sums;
    return sums;
  });
}

/** Returns the forgers of the days in [from, to], sorted by address bytes. */
export function forgersBetween(reader: Reader, from: number, to: number, tip: number): ForgerInfo[] {
  const forgers = new Map<string, ForgerInfo>();
  const add = (address: Uint8Array, more: ForgedSums): void => {
    const key = bytesKey(address);
    const { blocks, reward } = forgers.get(key) ?? nothingForged;
    forgers.set(key, { address, blocks: blocks + more.blocks, reward: reward + more.reward });
  };
  const noAddress = new Uint8Array(0);
  const range = {
    from: { day: Math.max(from, 0), address: noAddress },
    to: { day: Math.max(to + 1, 0), address: noAddress },
  };
  for (const [{ address }, sums] of reader.range(tables.dayForged, range)) add(address.slice(), sums);
  const newest = forgedBlock(reader, tip);
  if (newest !== undefined && newest.day >= from && newest.day <= to)
    add(newest.generator, { blocks: 0, reward: newest.reward });
  return [...forgers.values()].sort((a, b) => compareBytes(a.address, b.address));
}
