import { bytesEqual, bytesKey, compareBytes } from "../../bytes/compare.ts";
import type {
  DayActivity,
  DayStatistics,
  ForgedDay,
  ForgerInfo,
  StatisticsQueries,
} from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { DaySums, ForgedSums } from "../../storage/values/statistics.ts";
import { dayOf, forgedBlock, GENESIS_HEIGHT } from "../forged-blocks.ts";
import { Queries } from "../query-source.ts";
import { countInGroup } from "../transactions/groups.ts";
import { senderCount } from "./senders.ts";
import { noSums, nothingForged } from "./write.ts";

export class StatisticsQuery extends Queries implements StatisticsQueries {
  days(from: number, to: number, group = "all"): readonly DayStatistics[] | undefined {
    if (!this.source.isComplete("statistics")) return undefined;
    return daySumsOf(this.source.reader, from, to).map((sums) => ({
      ...sums,
      transactions: countInGroup(sums.transactions, group),
      supply: this.#supplyAt(sums.height),
    }));
  }

  activity(from: number, to: number, limit: number): readonly DayActivity[] | undefined {
    if (!this.source.isComplete("statistics")) return undefined;
    const { reader, ledger } = this.source;
    const [first, last] = this.#clip(from, to, limit);
    const senders = new Map<number, number>();
    if (last >= first)
      for (const [day, bitmap] of reader.range(tables.daySenders, { from: first, to: last + 1 }))
        senders.set(day, senderCount(bitmap));
    const newest = forgedBlock(reader, ledger.height);
    return daySumsOf(reader, first, last).map((sums, i): DayActivity => {
      const { height, blocks, anchors, leased, transactions } = sums;
      const day = first + i;
      const unaddedFees = day === newest?.day ? (ledger.blockTotals(ledger.height)?.fees ?? 0n) : 0n;
      return {
        day,
        height,
        blocks,
        transactions: countInGroup(transactions, "all"),
        transfers: countInGroup(transactions, "all_transfers"),
        anchorTransactions: countInGroup(transactions, "anchor"),
        associations: countInGroup(transactions, "association"),
        anchors,
        fees: sums.fees + unaddedFees,
        senders: senders.get(day) ?? 0,
        supply: this.#supplyAt(height),
        leased,
      };
    });
  }

  forgedByDay(
    address: Uint8Array,
    from: number,
    to: number,
    limit: number,
  ): readonly ForgedDay[] | undefined {
    if (!this.source.isComplete("statistics")) return undefined;
    const { reader, ledger } = this.source;
    const [first, last] = this.#clip(from, to, limit);
    const newest = forgedBlock(reader, ledger.height);
    return daySumsOf(reader, first, last).map((sums, i): ForgedDay => {
      const day = first + i;
      const { blocks, reward } = reader.get(tables.dayForged, { day, address }) ?? nothingForged;
      const isNewest = newest?.day === day && bytesEqual(newest.generator, address);
      return { day, blocks, reward: reward + (isNewest ? newest.reward : 0n), allBlocks: sums.blocks };
    });
  }

  forgedBetween(from: number, to: number): readonly ForgerInfo[] | undefined {
    const { reader, ledger } = this.source;
    return this.source.isComplete("statistics") ? forgersBetween(reader, from, to, ledger.height) : undefined;
  }

  #supplyAt(height: number): bigint {
    const { ledger, context } = this.source;
    return height === 0
      ? 0n
      : context.profile.genesis.initialBalance - (ledger.blockTotals(height)?.burned ?? 0n);
  }

  /** Returns the first and last day; the last is before the first if there are no days. */
  #clip(from: number, to: number, limit: number): [first: number, last: number] {
    const { ledger } = this.source;
    const dayAt = (height: number): number => dayOf(ledger.blockFacts(height)?.timestamp ?? 0n);
    const last = Math.min(to, dayAt(ledger.height));
    return [Math.max(from, dayAt(Math.min(GENESIS_HEIGHT + 1, ledger.height)), last - limit + 1), last];
  }
}

/** Returns the days in [from, to]. */
export function daySumsOf(reader: Reader, from: number, to: number): DaySums[] {
  // Days before 1970 have no rows.
  const [first, end] = [Math.max(from, 0), Math.max(to + 1, 0)];
  const stored = new Map(reader.range(tables.daySums, { from: first, to: end }));
  let last = noSums;
  for (const [, sums] of reader.range(tables.daySums, { to: first, reverse: true, limit: 1 })) last = sums;
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => {
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
