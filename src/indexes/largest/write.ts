import type { Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { RankingState } from "../../storage/values/rankings.ts";
import { definitionOf, paidTokens } from "../../transactions/index.ts";
import type { ConfiguredIndex } from "../chain-index.ts";
import { dayOf } from "../forged-blocks.ts";

/** List number of the whole chain. Other lists have the number of their day. */
export const WHOLE_CHAIN = 0xffff_ffff;
/** Maximum transfers in a list after a cut. A list above `CUT_FACTOR` times its maximum is cut. */
export const MAX_CHAIN_TRANSFERS = 10_000;
export const MAX_DAY_TRANSFERS = 1_000;
const CUT_FACTOR = 1.2;
/** Age in days above which a day's list is removed. */
export const KEPT_DAYS = 10;
/** Per unit. */
const MAX_REMOVED_LISTS = 20;

const emptyState: RankingState = { count: 0, floor: 1n };

/**
 * Keeps the largest transfers of the whole chain and of each of the last days. A mass transfer counts with its
 * total amount.
 */
export function largestTransferIndex(): ConfiguredIndex {
  return {
    configuration: {
      names: ["largest"],
      text: `${MAX_CHAIN_TRANSFERS} of the chain, ${MAX_DAY_TRANSFERS} a day, ${KEPT_DAYS} days`,
    },
    apply(writer, unit) {
      const { height, transactions } = unit;
      if (transactions.length === 0) return;
      const day = Math.min(dayOf(unit.timestamp), WHOLE_CHAIN - 1);
      const lists = [
        new TransferList(writer, day, MAX_DAY_TRANSFERS),
        new TransferList(writer, WHOLE_CHAIN, MAX_CHAIN_TRANSFERS),
      ];
      for (const { transaction, position } of transactions) {
        const amount = definitionOf(transaction).hasSender ? paidTokens(transaction) : 0n;
        if (amount > 0n) for (const list of lists) list.add(amount, height, position);
      }
      for (const list of lists) list.writeState();
      if (lists[0].isNew) removeDaysBefore(writer, day - KEPT_DAYS);
    },
  };
}

class TransferList {
  readonly #writer: Writer;
  readonly #number: number;
  readonly #limit: number;
  readonly #stored: RankingState | undefined;
  #state: RankingState;

  constructor(writer: Writer, number: number, limit: number) {
    this.#writer = writer;
    this.#number = number;
    this.#limit = limit;
    this.#stored = writer.get(tables.transferLists, number);
    this.#state = this.#stored ?? emptyState;
  }

  get isNew(): boolean {
    return this.#stored === undefined && this.#state.count > 0;
  }

  add(amount: bigint, height: number, position: number): void {
    const { count, floor } = this.#state;
    if (amount < floor) return;
    this.#writer.insert(tables.largestTransfers, { list: this.#number, amount, height, position }, true);
    this.#state = { count: count + 1, floor };
    if (this.#state.count > this.#limit * CUT_FACTOR) this.#cut();
  }

  writeState(): void {
    if (this.#state !== this.#stored && this.#state !== emptyState)
      this.#writer.put(tables.transferLists, this.#number, this.#state);
  }

  /** Removes the lowest transfers. Reads only them and the lowest one that remains. */
  #cut(): void {
    const excess = this.#state.count - this.#limit;
    const lowest = this.#writer.range(tables.largestTransfers, {
      ...rangeOfList(this.#number),
      limit: excess + 1,
    });
    const keys = Array.from(lowest, ([key]) => key);
    const lowestKept = keys.splice(excess)[0];
    for (const key of keys) this.#writer.remove(tables.largestTransfers, key);
    // The list excludes later transfers of the lowest remaining amount.
    this.#state = { count: this.#limit, floor: (lowestKept?.amount ?? 0n) + 1n };
  }
}

export function rangeOfList(list: number) {
  const start = { amount: 0n, height: 0, position: 0 };
  const prefix = new Uint8Array(4);
  new DataView(prefix.buffer).setUint32(0, list);
  return { from: { list, ...start }, prefix };
}

function removeDaysBefore(writer: Writer, day: number): void {
  const oldLists = [...writer.range(tables.transferLists, { to: day, limit: MAX_REMOVED_LISTS })];
  for (const [list] of oldLists) {
    const keys = Array.from(writer.range(tables.largestTransfers, rangeOfList(list)), ([key]) => key);
    for (const key of keys) writer.remove(tables.largestTransfers, key);
    writer.remove(tables.transferLists, list);
  }
}
