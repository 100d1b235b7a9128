/**
 * Sums by day: transactions of each type, operations, leases, and what each account forged. Page 07 §13. The day is that
 * of the block's timestamp, in UTC.
 */
import { bytesKey, compareBytes } from "../../bytes/compare.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { DaySums, ForgedSums } from "../../storage/values/statistics.ts";
import { definitionOf } from "../../transactions/index.ts";
import type { ConfiguredIndex, StoredUnit } from "../chain-index.ts";

const DAY_MS = 86_400_000n;
/** Days are stored in 32 bits: what the rules say of time excludes all others, but for a genesis that somebody made. */
const MAX_DAY = 0xffff_ffff;

/** Days since 1970-01-01 UTC. @param timestamp ms */
export function dayOf(timestamp: bigint): number {
  const day = Number(timestamp / DAY_MS);
  return Math.min(Math.max(day, 0), MAX_DAY);
}

/** Height of the block that nobody forged. */
const GENESIS_HEIGHT = 1;

const noSums: DaySums = {
  height: 0,
  blocks: 0,
  operations: 0,
  leaseIn: 0n,
  leaseOut: 0n,
  leased: 0n,
  transactions: new Map(),
};
const nothingForged: ForgedSums = { blocks: 0, reward: 0n };

/** A block of the chain, as far as it counts for who forged what. */
interface ForgedBlock {
  readonly day: number;
  readonly generator: Uint8Array;
  /** In 10^-8 tokens. It grows with every micro block, until another block stands upon it. */
  readonly reward: bigint;
}

/** The block at a height; undefined where there is none, and for the genesis block, which nobody forged. */
export function forgedBlock(reader: Reader, height: number): ForgedBlock | undefined {
  const facts = height <= GENESIS_HEIGHT ? undefined : reader.get(tables.blockFacts, height);
  if (facts === undefined) return undefined;
  const reward = reader.get(tables.blockTotals, height)?.generatorReward ?? 0n;
  return { day: dayOf(facts.timestamp), generator: facts.generator, reward };
}

/**
 * Everything about days. The reward of a block is entered with the block behind it, when it grows no more; that of the
 * newest block is added when the sums are read.
 */
export function statisticsIndex(): ConfiguredIndex {
  return {
    configuration: { names: ["statistics"], text: "by day" },
    apply(writer, unit) {
      const day = dayOf(unit.timestamp);
      const before = writer.get(tables.daySums, day) ?? noSums;
      if (unit.sequence > 0) {
        if (unit.transactions.length > 0) putSums(writer, day, before, before.leased, unit);
        return;
      }
      // The row of the parent's day was written by the parent, whichever days other blocks have.
      const parentTime =
        unit.height > 1 ? writer.get(tables.blockFacts, unit.height - 1)?.timestamp : undefined;
      const parentSums = parentTime === undefined ? undefined : writer.get(tables.daySums, dayOf(parentTime));
      const leased = parentSums?.leased ?? 0n;
      putSums(writer, day, { ...before, height: unit.height, blocks: before.blocks + 1 }, leased, unit);
      if (unit.height > GENESIS_HEIGHT) addForged(writer, day, unit.generator, { blocks: 1, reward: 0n });
      const parent = forgedBlock(writer, unit.height - 1);
      if (parent !== undefined)
        addForged(writer, parent.day, parent.generator, { blocks: 0, reward: parent.reward });
    },
  };
}

/** @param leased behind the unit before this one */
function putSums(writer: Writer, day: number, before: DaySums, leased: bigint, unit: StoredUnit): void {
  let { operations, leaseIn, leaseOut } = before;
  const transactions = new Map(before.transactions);
  let change = 0n;
  for (const { transaction } of unit.transactions) {
    const definition = definitionOf(transaction);
    transactions.set(transaction.type, (transactions.get(transaction.type) ?? 0) + 1);
    operations += definition.operations?.(transaction) ?? 1;
    if (definition.lent !== undefined) {
      const amount = definition.lent(transaction);
      leaseIn += amount;
      change += amount;
    }
    if (definition.endsLease !== undefined) {
      // A lease stays known when it is ended, with the amount that it always had.
      const amount = writer.get(tables.leases, definition.endsLease(transaction))?.amount ?? 0n;
      leaseOut += amount;
      change -= amount;
    }
  }
  const sums = { ...before, operations, leaseIn, leaseOut, leased: leased + change, transactions };
  writer.put(tables.daySums, day, sums);
}

function addForged(writer: Writer, day: number, address: Uint8Array, more: ForgedSums): void {
  const key = { day, address };
  const { blocks, reward } = writer.get(tables.dayForged, key) ?? nothingForged;
  writer.put(tables.dayForged, key, { blocks: blocks + more.blocks, reward: reward + more.reward });
}

/** The sums of each day from one to another, both included; of days without a block what is lent is as before them. */
export function daySumsOf(reader: Reader, from: number, to: number): DaySums[] {
  // Nothing happened before 1970.
  const [first, end] = [Math.max(from, 0), Math.max(to + 1, 0)];
  const known = new Map(reader.range(tables.daySums, { from: first, to: end }));
  let last = noSums;
  for (const [, sums] of reader.range(tables.daySums, { to: first, reverse: true, limit: 1 })) last = sums;
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const sums = known.get(from + i);
    if (sums === undefined) return { ...noSums, height: last.height, leased: last.leased };
    last = sums;
    return sums;
  });
}

/** What an account forged. */
export interface Forger extends ForgedSums {
  readonly address: Uint8Array;
}

/**
 * What each account forged from one day to another, both included, in the order of their addresses' bytes.
 * @param tip height of the chain
 */
export function forgedBetween(reader: Reader, from: number, to: number, tip: number): Forger[] {
  const forgers = new Map<string, Forger>();
  const add = (address: Uint8Array, more: ForgedSums): void => {
    const key = bytesKey(address);
    const { blocks, reward } = forgers.get(key) ?? nothingForged;
    forgers.set(key, { address, blocks: blocks + more.blocks, reward: reward + more.reward });
  };
  const nobody = new Uint8Array(0);
  const range = {
    from: { day: Math.max(from, 0), address: nobody },
    to: { day: Math.max(to + 1, 0), address: nobody },
  };
  for (const [{ address }, sums] of reader.range(tables.dayForged, range)) add(address.slice(), sums);
  const newest = forgedBlock(reader, tip);
  if (newest !== undefined && newest.day >= from && newest.day <= to)
    add(newest.generator, { blocks: 0, reward: newest.reward });
  return [...forgers.values()].sort((a, b) => compareBytes(a.address, b.address));
}
