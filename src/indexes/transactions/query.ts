/** Transactions by address: the list of the node, and the groups. */
import { BinaryHeap } from "../../collections/binary-heap.ts";
import { lowerBound } from "../../collections/binary-search.ts";
import type { ListPage, ListPosition, TransactionGroupQueries } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { postingsDescending } from "../../storage/postings/inverted-index.ts";
import { counters, tables } from "../../storage/tables.ts";
import { type ListedTransaction, listedTransactions } from "../../storage/values/indexes.ts";
import { definition } from "../../transactions/index.ts";
import { Queries } from "../query-source.ts";
import { countedKey, isInGroup, transactionGroups, transactionsOfGroup } from "./groups.ts";

/** A transaction of a list: where it stands in the chain. */
interface ListedPlace extends ListedTransaction {
  readonly height: number;
}

/**
 * The node's list of an address, newest first: by height, in a block by timestamp. Page 06 §7.5.
 * @param query `types` to list, all where there are none; `after`: only what stands behind this place
 * @param indexAll whether types beyond the portfolio types are listed
 */
export function* nodeListOf(
  reader: Reader,
  address: Uint8Array,
  { types, after }: { readonly types: readonly number[]; readonly after?: ListPosition | undefined },
  indexAll: boolean,
): Generator<ListedPlace> {
  for (const block of blocksOf(reader, address, after && { below: after.height + 1 })) {
    yield* block
      .filter(
        (place) =>
          place.inNodeList &&
          (indexAll || definition(place.type).portfolio === true) &&
          (types.length === 0 || types.includes(place.type)) &&
          (after === undefined || place.height < after.height || newestFirst(after, place) < 0),
      )
      .sort(newestFirst);
  }
}

/** Where the transactions of a unit stand that list an address, in the order of the block. */
export function* listedInUnit(reader: Reader, address: Uint8Array, unit: UnitKey): Generator<ListedPlace> {
  const value = reader.get(tables.addressTransactions, unit)?.find(address);
  if (value !== undefined)
    for (const item of listedTransactions(value)) yield { ...item, height: unit.height };
}

/** Where a walk through the entries of an address begins: only heights below this one, only what is not dated later. */
interface WalkStart {
  readonly below?: number | undefined;
  readonly newest?: bigint | undefined;
}

/** The entries of an address, block by block from the newest down: those blocks that have any. */
function* blocksOf(
  reader: Reader,
  address: Uint8Array,
  { below, newest }: WalkStart = {},
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

/** How far a transaction may be dated ahead of its block, and behind the block before, ms. Page 05 §10.2. */
const MAX_AHEAD_MS = 5_400_000n;
const MAX_BEHIND_MS = 7_200_000n;

/** What is known of the blocks of a chain. */
export interface BlockTimes {
  /** Of the newest block. */
  readonly height: number;
  /** Timestamp of a block, ms; 0 for height 0. */
  timestampOf(height: number): bigint;
}

/** A page of a group's list: newest transaction timestamp first. Page 07 §12.2. */
export function groupPageOf(
  reader: Reader,
  address: Uint8Array,
  group: string,
  { after, offset, limit }: ListPage,
  times: BlockTimes,
): { readonly total: number; readonly places: readonly ListedPlace[] } {
  const total = transactionsOfGroup(reader.countsOf(counters.listedTransactions, countedKey(address)), group);
  const end = after === undefined ? Math.min(offset + limit, total) : offset + limit;
  const places: ListedPlace[] = [];
  const open = new BinaryHeap<ListedPlace>(newestFirst);
  const settle = (bound?: bigint): void => {
    while (places.length < end) {
      const { first } = open;
      if (first === undefined || (bound !== undefined && first.timestamp <= bound)) return;
      places.push(first);
      open.pop();
    }
  };
  const start = after && { below: heightAbove(after.timestamp, times), newest: after.timestamp };
  // Blocks come by height, the list goes by timestamp: older blocks bring nothing that is dated more than 90 minutes
  // ahead of the next lower block, so everything above that is settled.
  for (const block of blocksOf(reader, address, start)) {
    if (places.length >= end) break;
    for (const one of block)
      if (one.inGroups && isInGroup(one.type, group) && (after === undefined || newestFirst(after, one) < 0))
        open.push(one);
    settle(times.timestampOf(block[0].height - 1) + MAX_AHEAD_MS);
  }
  settle();
  return { total, places: places.slice(offset) };
}

/** The lowest height from which on every transaction is dated behind a time: the block before it is late enough. */
function heightAbove(time: bigint, { height, timestampOf }: BlockTimes): number {
  return lowerBound(1, height + 1, (at) => timestampOf(at - 1) - MAX_BEHIND_MS <= time);
}

/** Transactions of an address by group. */
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
