import type { Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { RankingState } from "../../storage/values/rankings.ts";
import { definitionOf, paidTokens } from "../../transactions/index.ts";
import type { ConfiguredIndex } from "../chain-index.ts";
import { dayOf } from "../forged-blocks.ts";

/** Number of the whole chain's list. Lists of days have lower numbers. */
export const WHOLE_CHAIN = 0xffff_ffff;
/** Lengths of lists, in transfers. A list that exceeds `CUT_SHARE` times its length is cut. */
export const MAX_OF_CHAIN = 10_000;
export const MAX_OF_DAY = 1_000;
const CUT_SHARE = 1.2;
/** Lists of older days are removed. */
export const KEPT_DAYS = 10;
/** Maximum number of lists that one unit removes. */
const MAX_REMOVED_LISTS = 20;

const emptyState: RankingState = { count: 0, floor: 1n };

/**
 * Keeps the largest transfers of the chain and of each of the newest days. A mass transfer counts with its
 * sum.
 */
export function largestTransferIndex(): ConfiguredIndex {
  return {
    configuration: {
      names: ["largest"],
      text: `${MAX_OF_CHAIN} of the chain, ${MAX_OF_DAY} a day, ${KEPT_DAYS} days`,
    },
    apply(writer, unit) {
      const { height, transactions } = unit;
      if (transactions.length === 0) return;
      const day = Math.min(dayOf(unit.timestamp), WHOLE_CHAIN - 1);
      const lists = [
        new TransferList(writer, day, MAX_OF_DAY),
        new TransferList(writer, WHOLE_CHAIN, MAX_OF_CHAIN),
      ];
      for (const { transaction, position } of transactions) {
        const amount = definitionOf(transaction).hasSender ? paidTokens(transaction) : 0n;
        if (amount > 0n) for (const list of lists) list.add(amount, height, position);
      }
      for (const list of lists) list.end();
      if (lists[0].isNew) removeOldDays(writer, day - KEPT_DAYS);
    },
  };
}

class TransferList {
  readonly #writer: Writer;
  readonly #list: number;
  readonly #limit: number;
  readonly #stored: RankingState | undefined;
  #state: RankingState;

  constructor(writer: Writer, list: number, limit: number) {
    this.#writer = writer;
    this.#list = list;
    this.#limit = limit;
    this.#stored = writer.get(tables.transferLists, list);
    this.#state = this.#stored ?? emptyState;
  }

  get isNew(): boolean {
    return this.#stored === undefined && this.#state.count > 0;
  }

  /** Of equal amounts, older ones stay. */
  add(amount: bigint, height: number, position: number): void {
    const { count, floor } = this.#state;
    if (amount < floor) return;
    this.#writer.insert(tables.largestTransfers, { list: this.#list, amount, height, position }, true);
    this.#state = { count: count + 1, floor };
    if (this.#state.count > this.#limit * CUT_SHARE) this.#cut();
  }

  end(): void {
    if (this.#state !== this.#stored && this.#state !== emptyState)
      this.#writer.put(tables.transferLists, this.#list, this.#state);
  }

  /** Reads only what it removes, and the lowest transfer that stays. */
  #cut(): void {
    const excess = this.#state.count - this.#limit;
    const lowest = this.#writer.range(tables.largestTransfers, { ...rangeOf(this.#list), limit: excess + 1 });
    const keys = Array.from(lowest, ([key]) => key);
    const lowestKept = keys.splice(excess)[0];
    for (const key of keys) this.#writer.remove(tables.largestTransfers, key);
    // Later transfers of the lowest amount would rank below the full list.
    this.#state = { count: this.#limit, floor: (lowestKept?.amount ?? 0n) + 1n };
  }
}

export function rangeOf(list: number) {
  const start = { amount: 0n, height: 0, position: 0 };
  const prefix = new Uint8Array(4);
  new DataView(prefix.buffer).setUint32(0, list);
  return { from: { list, ...start }, prefix };
}

function removeOldDays(writer: Writer, before: number): void {
  const old = [...writer.range(tables.transferLists, { to: before, limit: MAX_REMOVED_LISTS })];
  for (const [list] of old) {
    const keys = Array.from(writer.range(tables.largestTransfers, rangeOf(list)), ([key]) => key);
    for (const key of keys) writer.remove(tables.largestTransfers, key);
    writer.remove(tables.transferLists, list);
  }
}
