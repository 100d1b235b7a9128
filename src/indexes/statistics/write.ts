import type { Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { DaySums, ForgedSums } from "../../storage/values/statistics.ts";
import { definitionOf } from "../../transactions/index.ts";
import type { ConfiguredIndex, StoredUnit } from "../chain-index.ts";
import { dayOf, forgedBlock, GENESIS_HEIGHT } from "../forged-blocks.ts";
import { addSenders } from "./senders.ts";

export const noSums: DaySums = {
  height: 0,
  blocks: 0,
  operations: 0,
  anchors: 0,
  fees: 0n,
  leaseIn: 0n,
  leaseOut: 0n,
  leased: 0n,
  transactions: new Map(),
};
export const nothingForged: ForgedSums = { blocks: 0, reward: 0n };

/** Sums by day. A block's fees and reward are added with the next block, when they are final. */
export function statisticsIndex(): ConfiguredIndex {
  return {
    configuration: { names: ["statistics"], text: "by day, with fees, anchors and senders" },
    apply(writer, unit) {
      const day = dayOf(unit.timestamp);
      addSenders(writer, day, unit.transactions);
      if (unit.sequence > 0) {
        const before = writer.get(tables.daySums, day) ?? noSums;
        if (unit.transactions.length > 0) putSums(writer, day, before, before.leased, unit);
        return;
      }
      const leased = addParentFees(writer, unit.height - 1);
      const before = writer.get(tables.daySums, day) ?? noSums;
      putSums(writer, day, { ...before, height: unit.height, blocks: before.blocks + 1 }, leased, unit);
      if (unit.height > GENESIS_HEIGHT) addForged(writer, day, unit.generator, { blocks: 1, reward: 0n });
      const parent = forgedBlock(writer, unit.height - 1);
      if (parent !== undefined)
        addForged(writer, parent.day, parent.generator, { blocks: 0, reward: parent.reward });
    },
  };
}

/** Returns the leased amount after the parent, from the row of the parent's day. */
function addParentFees(writer: Writer, height: number): bigint {
  const time = height < GENESIS_HEIGHT ? undefined : writer.get(tables.blockFacts, height)?.timestamp;
  const sums = time === undefined ? undefined : writer.get(tables.daySums, dayOf(time));
  if (time === undefined || sums === undefined) return 0n;
  const fees = writer.get(tables.blockTotals, height)?.fees ?? 0n;
  if (fees !== 0n) writer.put(tables.daySums, dayOf(time), { ...sums, fees: sums.fees + fees });
  return sums.leased;
}

function putSums(writer: Writer, day: number, before: DaySums, leased: bigint, unit: StoredUnit): void {
  let { operations, anchors, leaseIn, leaseOut } = before;
  const transactions = new Map(before.transactions);
  let change = 0n;
  for (const { transaction } of unit.transactions) {
    const definition = definitionOf(transaction);
    transactions.set(transaction.type, (transactions.get(transaction.type) ?? 0) + 1);
    operations += definition.operations?.(transaction) ?? 1;
    anchors += definition.anchors?.(transaction).length ?? 0;
    if (definition.leasedAmount !== undefined) {
      const amount = definition.leasedAmount(transaction);
      leaseIn += amount;
      change += amount;
    }
    if (definition.cancelledLease !== undefined) {
      // A cancelled lease stays in the state, with its amount.
      const amount = writer.get(tables.leases, definition.cancelledLease(transaction))?.amount ?? 0n;
      leaseOut += amount;
      change -= amount;
    }
  }
  const sums = {
    ...before,
    operations,
    anchors,
    leaseIn,
    leaseOut,
    leased: leased + change,
    transactions,
  };
  writer.put(tables.daySums, day, sums);
}

function addForged(writer: Writer, day: number, address: Uint8Array, more: ForgedSums): void {
  const key = { day, address };
  const { blocks, reward } = writer.get(tables.dayForged, key) ?? nothingForged;
  writer.put(tables.dayForged, key, { blocks: blocks + more.blocks, reward: reward + more.reward });
}
