import type { Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { DaySums, ForgedSums } from "../../storage/values/statistics.ts";
import { definitionOf } from "../../transactions/index.ts";
import type { ConfiguredIndex, StoredUnit } from "../chain-index.ts";
import { dayOf, forgedBlock, GENESIS_HEIGHT } from "../forged-blocks.ts";

export const noSums: DaySums = {
  height: 0,
  blocks: 0,
  operations: 0,
  leaseIn: 0n,
  leaseOut: 0n,
  leased: 0n,
  transactions: new Map(),
};
export const nothingForged: ForgedSums = { blocks: 0, reward: 0n };

/** Sums by day. A block's reward is added with the next block, when it is final. */
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
      // The row of the parent's day has the newest leased amount.
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

function putSums(writer: Writer, day: number, before: DaySums, leased: bigint, unit: StoredUnit): void {
  let { operations, leaseIn, leaseOut } = before;
  const transactions = new Map(before.transactions);
  let change = 0n;
  for (const { transaction } of unit.transactions) {
    const definition = definitionOf(transaction);
    transactions.set(transaction.type, (transactions.get(transaction.type) ?? 0) + 1);
    operations += definition.operations?.(transaction) ?? 1;
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
  const sums = { ...before, operations, leaseIn, leaseOut, leased: leased + change, transactions };
  writer.put(tables.daySums, day, sums);
}

function addForged(writer: Writer, day: number, address: Uint8Array, more: ForgedSums): void {
  const key = { day, address };
  const { blocks, reward } = writer.get(tables.dayForged, key) ?? nothingForged;
  writer.put(tables.dayForged, key, { blocks: blocks + more.blocks, reward: reward + more.reward });
}
