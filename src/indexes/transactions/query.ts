import { BinaryHeap } from "../../collections/binary-heap.ts";
import { lowerBound } from "../../collections/binary-search.ts";
import type {
  AddressTransactionsQuery,
  ListPage,
  ListPosition,
  TransactionGroupQueries,
} from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { pickAscending, pickDescending } from "../../storage/postings/inverted-index.ts";
import { counters, tables } from "../../storage/tables.ts";
import {
  countListed,
  type ListedTransaction,
  listedFlags,
  listedTransactions,
} from "../../storage/values/indexes.ts";
import { requireDefinition } from "../../transactions/index.ts";
import { pageOf } from "../pages.ts";
import { Queries } from "../query-source.ts";
import { counterKeyOf, countInGroup, isInGroup, transactionGroups } from "./groups.ts";

export interface ListedPlace extends ListedTransaction {
  readonly height: number;
}

/**
 * Yields the transactions that the node lists for an address, newest block first, and newest timestamp first
 * within a block. Page 06 §7.5.
 * @param query `types`: all if empty; `after`: starts after this position
 * @param indexAll includes transaction types without `portfolio`
 */
export function* nodeListOf(
  reader: Reader,
  address: Uint8Array,
  { types, after }: { readonly types: readonly number[]; readonly after?: ListPosition | undefined },
  indexAll: boolean,
): Generator<ListedPlace> {
  const isListed = nodeListFilter(types, indexAll);
  for (const block of blocksOf(reader, address, after && after.height + 1)) {
    yield* block
      .filter(
        (place) =>
          place.inNodeList &&
          isListed(place.type) &&
          (after === undefined || place.height < after.height || newestFirst(after, place) < 0),
      )
      .sort(newestFirst);
  }
}

function nodeListFilter(types: readonly number[], indexAll: boolean): (type: number) => boolean {
  return (type) =>
    (indexAll || requireDefinition(type).portfolio === true) && (types.length === 0 || types.includes(type));
}

export function nodeListPageOf(
  reader: Reader,
  address: Uint8Array,
  query: AddressTransactionsQuery,
  indexAll: boolean,
): ListedPlace[] {
  const { types, after, offset, limit } = query;
  const isListed = nodeListFilter(types, indexAll);
  const skipped =
    after === undefined ? skipBlocks(reader, address, listedFlags.node, isListed, offset) : undefined;
  if (skipped === undefined) return pageOf(nodeListOf(reader, address, query, indexAll), query);
  const start = { timestamp: MIN_TIMESTAMP, height: skipped.lowest, position: 0 };
  return pageOf(nodeListOf(reader, address, { types, after: start }, indexAll), {
    offset: offset - skipped.count,
    limit,
  });
}

/** A position with this timestamp comes after all transactions of its block. */
const MIN_TIMESTAMP = -(2n ** 63n);

interface Skipped {
  /** Height of the lowest counted block. */
  readonly lowest: number;
  readonly count: number;
}

/** Pages at a lower offset are read without `skipBlocks`. */
const MIN_SKIPPED = 1_000;

/**
 * Counts an address's transactions in whole blocks, newest first, as long as the count is at most `offset`.
 * @param flag one of `listedFlags`: the list in which to count
 * @param total number of transactions that count, if known: then an offset in the older half is counted from the oldest
 * @returns undefined for a low offset, or if no block is counted
 */
function skipBlocks(
  reader: Reader,
  address: Uint8Array,
  flag: number,
  isCounted: (type: number) => boolean,
  offset: number,
  total?: number,
): Skipped | undefined {
  if (offset < MIN_SKIPPED) return undefined;
  const countIn = (value: Uint8Array): number => countListed(value, flag, isCounted);
  if (total !== undefined && total - offset < offset)
    return skipFromOldest(reader, address, countIn, offset, total);
  let lowest: number | undefined;
  let count = 0;
  let height: number | undefined;
  let countAbove = 0;
  const { addressTransactions } = invertedIndexes;
  for (const { unit, value } of pickDescending(reader, addressTransactions, address, undefined, countIn)) {
    if (unit.height !== height) {
      lowest = height;
      countAbove = count;
      height = unit.height;
    }
    count += value;
    if (count > offset) break;
  }
  return lowest === undefined ? undefined : { lowest, count: countAbove };
}

/** Finds what `skipBlocks` returns, from the oldest block on. @param total more than `offset` */
function skipFromOldest(
  reader: Reader,
  address: Uint8Array,
  countIn: (value: Uint8Array) => number,
  offset: number,
  total: number,
): Skipped | undefined {
  const { addressTransactions } = invertedIndexes;
  let height: number | undefined;
  let countBelow = 0;
  let count = 0;
  for (const { unit, value } of pickAscending(reader, addressTransactions, address, countIn)) {
    if (unit.height !== height) {
      height = unit.height;
      countBelow = count;
      if (total - countBelow <= offset) return { lowest: height, count: total - countBelow };
    }
    count += value;
  }
  return undefined;
}

/** Yields an address's transactions in blocks lower than `below` by unit, newest first. */
export function* listedByUnit(
  reader: Reader,
  address: Uint8Array,
  below: number,
): Generator<{ readonly unit: UnitKey; readonly places: readonly ListedPlace[] }> {
  const { addressTransactions } = invertedIndexes;
  const read = (value: Uint8Array, { height }: UnitKey): ListedPlace[] => placesIn(value, height);
  for (const { unit, value } of pickDescending(reader, addressTransactions, address, startOf(below), read))
    yield { unit, places: value.sort((a, b) => b.position - a.position) };
}

export function* listedInUnit(reader: Reader, address: Uint8Array, unit: UnitKey): Generator<ListedPlace> {
  const value = reader.get(tables.addressTransactions, unit)?.find(address);
  if (value !== undefined) for (const item of listedTransactions(value)) yield placeOf(item, unit.height);
}

/**
 * Yields an address's transactions by block, newest block first.
 * @param maxTimestamp omits transactions dated later, ms
 */
function* blocksOf(
  reader: Reader,
  address: Uint8Array,
  below?: number,
  maxTimestamp?: bigint,
): Generator<ListedPlace[]> {
  let block: ListedPlace[] = [];
  const { addressTransactions } = invertedIndexes;
  const end = below === undefined ? undefined : startOf(below);
  const read = (value: Uint8Array, { height }: UnitKey): ListedPlace[] =>
    placesIn(value, height, maxTimestamp);
  for (const { unit, value } of pickDescending(reader, addressTransactions, address, end, read)) {
    if (block.length > 0 && block[0].height === unit.height) {
      for (const place of value) block.push(place);
      continue;
    }
    if (block.length > 0) yield block;
    block = value;
  }
  if (block.length > 0) yield block;
}

function placesIn(value: Uint8Array, height: number, maxTimestamp?: bigint): ListedPlace[] {
  const places: ListedPlace[] = [];
  for (const item of listedTransactions(value, maxTimestamp)) places.push(placeOf(item, height));
  return places;
}

function placeOf(item: ListedTransaction, height: number): ListedPlace {
  const { position, type, timestamp, inNodeList, inGroups } = item;
  return { position, type, timestamp, inNodeList, inGroups, height };
}

function startOf(height: number): UnitKey {
  return { height, sequence: 0 };
}

function newestFirst(a: ListPosition, b: ListPosition): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? 1 : -1;
  return b.height - a.height || b.position - a.position;
}

/** How far a transaction's timestamp may be after its block's, ms. Page 05 §10.2. */
const MAX_AHEAD_MS = 5_400_000n;
/** How far a transaction's timestamp may be before that of its block's parent, ms. */
const MAX_BEHIND_MS = 7_200_000n;

export interface BlockTimes {
  readonly height: number;
  timestampOf(height: number): bigint;
}

/** Page 07 §12.2. */
export function groupPageOf(
  reader: Reader,
  address: Uint8Array,
  group: string,
  { after, offset, limit }: ListPage,
  times: BlockTimes,
): { readonly total: number; readonly places: readonly ListedPlace[] } {
  const total = countInGroup(reader.countsOf(counters.listedTransactions, counterKeyOf(address)), group);
  if (after !== undefined) {
    const page = { below: heightAbove(after.timestamp, times), maxTimestamp: after.timestamp, offset, limit };
    const isAfter = (place: ListedPlace): boolean => newestFirst(after, place) < 0;
    return { total, places: newestPlaces(reader, address, group, page, times, isAfter) };
  }
  if (offset >= total) return { total, places: [] };
  const page = skipToOffset(reader, address, group, { offset, total }, times);
  const remaining = Math.min(limit, total - offset);
  return { total, places: newestPlaces(reader, address, group, { ...page, limit: remaining }, times) };
}

interface PageStart {
  /** Omits blocks at this height and above. */
  readonly below?: number;
  /** Omits transactions dated later, ms. */
  readonly maxTimestamp?: bigint;
  readonly offset: number;
}

/** Returns a page of a group, newest timestamp first. */
function newestPlaces(
  reader: Reader,
  address: Uint8Array,
  group: string,
  { below, maxTimestamp, offset, limit }: PageStart & { readonly limit: number },
  times: BlockTimes,
  isListed = (_: ListedPlace): boolean => true,
): readonly ListedPlace[] {
  const places: ListedPlace[] = [];
  const pending = new BinaryHeap<ListedPlace>(newestFirst);
  const takeLaterThan = (bound?: bigint): void => {
    while (places.length < offset + limit) {
      const { first } = pending;
      if (first === undefined || (bound !== undefined && first.timestamp <= bound)) return;
      places.push(first);
      pending.pop();
    }
  };
  for (const block of blocksOf(reader, address, below, maxTimestamp)) {
    if (places.length >= offset + limit) break;
    for (const place of block)
      if (place.inGroups && isInGroup(place.type, group) && isListed(place)) pending.push(place);
    // No transaction in lower blocks is dated later than this.
    takeLaterThan(times.timestampOf(block[0].height - 1) + MAX_AHEAD_MS);
  }
  takeLaterThan();
  return places.slice(offset);
}

/** Returns a start close to the offset, by counting whole blocks. */
function skipToOffset(
  reader: Reader,
  address: Uint8Array,
  group: string,
  { offset, total }: { readonly offset: number; readonly total: number },
  times: BlockTimes,
): PageStart {
  const isCounted = (type: number): boolean => isInGroup(type, group);
  const skipped = skipBlocks(reader, address, listedFlags.groups, isCounted, offset, total);
  if (skipped === undefined) return { offset };
  const { lowest } = skipped;
  const timeBelow = times.timestampOf(lowest - 1);
  // Most transactions are dated before their block, so those dated after the block below `lowest` usually come before
  // the page. Those dated so late that only the counted blocks can contain them always do.
  for (const maxTimestamp of [timeBelow, timeBelow + MAX_AHEAD_MS]) {
    const newerCount = countNewer(reader, address, isCounted, skipped, maxTimestamp, times);
    if (newerCount <= offset)
      return { below: heightAbove(maxTimestamp, times), maxTimestamp, offset: offset - newerCount };
  }
  return { offset };
}

/**
 * Counts the transactions of groups that are dated after a time.
 * @param skipped blocks that were counted already
 * @param time ms; all transactions at and above `heightAbove(time)` must be in counted blocks
 */
function countNewer(
  reader: Reader,
  address: Uint8Array,
  isCounted: (type: number) => boolean,
  { lowest, count }: Skipped,
  time: bigint,
  times: BlockTimes,
): number {
  const end = startOf(heightAbove(time, times));
  const bottom = lowerBound(1, lowest, (at) => times.timestampOf(at) + MAX_AHEAD_MS <= time);
  const countIn = (value: Uint8Array, { height }: UnitKey): number => {
    const older = countListed(value, listedFlags.groups, isCounted, time);
    return height < lowest ? countListed(value, listedFlags.groups, isCounted) - older : -older;
  };
  let newer = count;
  const { addressTransactions } = invertedIndexes;
  for (const { unit, value } of pickDescending(reader, addressTransactions, address, end, countIn)) {
    if (unit.height < bottom) break;
    newer += value;
  }
  return newer;
}

/** Returns the lowest height at and above which all transactions are dated after `time`, ms. */
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
