import type { Writer } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import type { RankedTransfer, RankingState } from "../../storage/values/rankings.ts";
import { definitionOf, paidTokens } from "../../transactions/index.ts";
import type { ConfiguredIndex } from "../chain-index.ts";
import { dayOf } from "../forged-blocks.ts";

/** Number of the whole chain's list. Lists of days have lower numbers. */
export const WHOLE_CHAIN = 0xffff_ffff;
/** Maximum transfers of a list after a cut. A list above `CUT_FACTOR` times this number is cut. */
export const MAX_CHAIN_TRANSFERS = 10_000;
export const MAX_DAY_TRANSFERS = 1_000;
const CUT_FACTOR = 1.5;
/** Lists of older days are removed. */
export const KEPT_DAYS = 10;
/** Maximum number of lists that one unit removes. */
const MAX_REMOVED_LISTS = 20;

const emptyState: RankingState = { count: 0, floor: 1n };

/**
 * Keeps the largest transfers of the chain and of each of the newest days. A mass transfer counts with its sum. Of
 * equal amounts at the end of a list, the oldest stay.
 */
export function largestTransferIndex(): ConfiguredIndex {
  return {
    configuration: {
      names: ["largest"],
      text: `${MAX_CHAIN_TRANSFERS} of the chain, ${MAX_DAY_TRANSFERS} a day, ${KEPT_DAYS} days, a row per unit`,
    },
    apply(writer, unit) {
      const { transactions } = unit;
      if (transactions.length === 0) return;
      const day = Math.min(dayOf(unit.timestamp), WHOLE_CHAIN - 1);
      const lists = [
        new TransferList(writer, day, MAX_DAY_TRANSFERS),
        new TransferList(writer, WHOLE_CHAIN, MAX_CHAIN_TRANSFERS),
      ];
      const [ofDay, ofChain] = lists;
      let lowest = ofDay.floor;
      if (ofChain.floor < lowest) lowest = ofChain.floor;
      const found: RankedTransfer[] = [];
      for (const { transaction, position } of transactions) {
        const amount = definitionOf(transaction).hasSender ? paidTokens(transaction) : 0n;
        if (amount >= lowest) found.push({ position, amount });
      }
      if (found.length === 0) return;
      for (const list of lists) list.add(unit, found);
      if (ofDay.isNew) removeOldDays(writer, day - KEPT_DAYS);
    },
  };
}

class TransferList {
  readonly #writer: Writer;
  readonly #list: number;
  readonly #limit: number;
  readonly #before: RankingState;
  readonly isNew: boolean;

  constructor(writer: Writer, list: number, limit: number) {
    this.#writer = writer;
    this.#list = list;
    this.#limit = limit;
    const stored = writer.get(tables.transferLists, list);
    this.isNew = stored === undefined;
    this.#before = stored ?? emptyState;
  }

  /** Transfers below this amount are not in the list. At least 1. */
  get floor(): bigint {
    return this.#before.floor;
  }

  add({ height, sequence }: UnitKey, transfers: readonly RankedTransfer[]): void {
    const { floor } = this;
    const high = transfers.filter(({ amount }) => amount >= floor);
    if (high.length === 0) return;
    this.#writer.insert(tables.largestTransfers, { list: this.#list, height, sequence }, high);
    const count = this.#before.count + high.length;
    const after = count > this.#limit * CUT_FACTOR ? this.#cut(count) : { count, floor };
    this.#writer.put(tables.transferLists, this.#list, after);
  }

  #cut(count: number): RankingState {
    const rows = [...this.#writer.range(tables.largestTransfers, rangeOfList(this.#list))];
    const amounts = new BigInt64Array(count);
    let length = 0;
    for (const [, transfers] of rows) for (const { amount } of transfers) amounts[length++] = amount;
    amounts.sort();
    const lowestKept = amounts[count - this.#limit];
    let equalToKeep = amounts.subarray(count - this.#limit).lastIndexOf(lowestKept) + 1;
    for (const [key, transfers] of rows) {
      const kept = transfers.filter(
        ({ amount }) => amount > lowestKept || (amount === lowestKept && equalToKeep-- > 0),
      );
      if (kept.length === 0) this.#writer.remove(tables.largestTransfers, key);
      else if (kept.length < transfers.length) this.#writer.put(tables.largestTransfers, key, kept);
    }
    // Later transfers of the lowest amount would rank below the full list.
    return { count: this.#limit, floor: lowestKept + 1n };
  }
}

export function rangeOfList(list: number) {
  const prefix = new Uint8Array(4);
  new DataView(prefix.buffer).setUint32(0, list);
  return { prefix };
}

function removeOldDays(writer: Writer, before: number): void {
  const old = [...writer.range(tables.transferLists, { to: before, limit: MAX_REMOVED_LISTS })];
  for (const [list] of old) {
    const keys = Array.from(writer.range(tables.largestTransfers, rangeOfList(list)), ([key]) => key);
    for (const key of keys) writer.remove(tables.largestTransfers, key);
    writer.remove(tables.transferLists, list);
  }
}
