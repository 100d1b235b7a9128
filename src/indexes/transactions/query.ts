import { BinaryHeap } from "../../collections/binary-heap.ts";
import { lowerBound } from "../../collections/binary-search.ts";
import type { ListPage, ListPosition, TransactionGroupQueries } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { postingsDescending } from "../../storage/postings/inverted-index.ts";
import { counters, tables } from "../../storage/tables.ts";
import { type ListedTransaction, listedTransactions } from "../../storage/values/indexes.ts";
import { requireDefinition } from "../../transactions/index.ts";
import { Queries } from "../query-source.ts";
import { counterKeyOf, countInGroup, isInGroup, transactionGroups } from "./groups.ts";

interface ListedPlace extends ListedTransaction {
  readonly height: number;
}

/**
 * Yields the transactions that the node lists for an address, newest first: by height, and by timestamp within a block. Page 06 §7.5.
 * @param query `types`: all if empty; `after`: starts after this position
 * @param indexAll includes types other than the portfolio types
 */
export function* nodeListOf(
  reader: Reader,
  address: Uint8Array,
  { types, after }: { readonly types: readonly number[]; readonly after?: ListPosition | undefined },
  indexAll: boolean,
): Generator<ListedPlace> {
  for (const block of blocksOf(reader, address, after && after.height + 1)) {
    yield* block
      .filter(
        (place) =>
          place.inNodeList &&
          (indexAll || requireDefinition(place.type).portfolio === true) &&
          (types.length === 0 || types.includes(place.type)) &&
          (after === undefined || place.height < after.height || newestFirst(after, place) < 0),
      )
      .sort(newestFirst);
  }
}

export function* listedInUnit(reader: Reader, address: Uint8Array, unit: UnitKey): Generator<ListedPlace> {
  const value = reader.get(tables.addressTransactions, unit)?.find(address);
  if (value !== undefined)
    for (const item of listedTransactions(value)) yield { ...item, height: unit.height };
}

/**
 * Yields an address's transactions by block, newest block first.
 * @param below yields only heights below this one
 * @param newest yields only transactions dated up to this time, ms
 */
function* blocksOf(
  reader: Reader,
  address: Uint8Array,
  below?: number,
  newest?: bigint,
): Generator<ListedPlace[]> {
  let block: ListedPlace[] = [];
  const bound = below === undefined ? undefined : { height: below, sequence: 0 };
  for (const { unit, value } of postingsDescending(
    reader,
    invertedIndexes.addressTransactions,
    address,
    bound,
  )) {
    const { height } = unit;
    if (block[0] !== undefined && block[0].height !== height) {
      yield block;
      block = [];
    }
    for (const item of listedTransactions(value, newest)) block.push({ ...item, height });
  }
  if (block.length > 0) yield block;
}

function newestFirst(a: ListPosition, b: ListPosition): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? 1 : -1;
  return b.height - a.height || b.position - a.position;
}

/** Maximum time by which a transaction may be dated after its block. Page 05 §10.2. */
const MAX_AHEAD_MS = 5_400_000n;
/** Maximum time by which it may be dated before its block's parent. */
const MAX_BEHIND_MS = 7_200_000n;

export interface BlockTimes {
  readonly height: number;
  timestampOf(height: number): bigint;
}

/** Returns a page, newest timestamp first. Page 07 §12.2. */
export function groupPageOf(
  reader: Reader,
  address: Uint8Array,
  group: string,
  { after, offset, limit }: ListPage,
  times: BlockTimes,
): { readonly total: number; readonly places: readonly ListedPlace[] } {
  const total = countInGroup(reader.countsOf(counters.listedTransactions, counterKeyOf(address)), group);
  const end = after === undefined ? Math.min(offset + limit, total) : offset + limit;
  const places: ListedPlace[] = [];
  const unsettled = new BinaryHeap<ListedPlace>(newestFirst);
  const settle = (bound?: bigint): void => {
    while (places.length < end) {
      const { first } = unsettled;
      if (first === undefined || (bound !== undefined && first.timestamp <= bound)) return;
      places.push(first);
      unsettled.pop();
    }
  };
  const below = after && heightAbove(after.timestamp, times);
  // Blocks are read by height, but the list is sorted by timestamp. Transactions below this block are dated at most 90
  // minutes after its parent, so those with a later date are settled.
  for (const block of blocksOf(reader, address, below, after?.timestamp)) {
    if (places.length >= end) break;
    for (const place of block)
      if (
        place.inGroups &&
        isInGroup(place.type, group) &&
        (after === undefined || newestFirst(after, place) < 0)
      )
        unsettled.push(place);
    settle(times.timestampOf(block[0].height - 1) + MAX_AHEAD_MS);
  }
  settle();
  return { total, places: places.slice(offset) };
}

/** Returns the lowest height from which all transactions are dated after the time. */
function heightAbove(time: bigint, { height, timestampOf }: BlockTimes): number {
  return lowerBound(1, height + 1, (at) => timestampOf(at - 1) - MAX_BEHIND_MS <= time);
}

export class TransactionGroupQuery extends Queries implements TransactionGroupQueries {
  names(): readonly string[] {
    return transactionGroups;
  }

  list(address: Uint8Array, group: string, page: ListPage): ReturnType<TransactionGroupQueries["list"]> {
    if (!transactionGroups.includes(group)) return undefined;
    const source = this.source;
    const { height } = source.ledger;
    const timestampOf = (at: number): bigint => source.ledger.blockFacts(at)?.timestamp ?? 0n;
    const times = { height, timestampOf };
    const { total, places } = groupPageOf(source.rows("transactions"), address, group, page, times);
    return { total, transactions: places.flatMap((place) => source.transactionAt(place) ?? []) };
  }
}
