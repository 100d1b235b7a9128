import { bytesKey } from "../../bytes/compare.ts";
import { BinaryHeap } from "../../collections/binary-heap.ts";
import { lowerBound } from "../../collections/binary-search.ts";
import type { ListPage, ListPlace } from "../../interfaces.ts";
import type { AppliedTransaction } from "../../ledger/block.ts";
import { COUNTED_KEY } from "../../storage/counters.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { postingsDown, writePostings } from "../../storage/postings/inverted-index.ts";
import type { UnitPosting } from "../../storage/postings/unit-postings.ts";
import { counters, tables } from "../../storage/tables.ts";
import {
  type ListedTransaction,
  listedIn,
  listedLength,
  listedTransactions,
  putListed,
} from "../../storage/values/indexes.ts";
import {
  definition,
  definitionOf,
  definitions,
  type Transaction,
  type TransactionDefinition,
} from "../../transactions/index.ts";
import type { ChainIndex, ConfiguredIndex } from "../chain-index.ts";

/** The groups in the order of page 07 §12.1; `all` takes every type. */
const knownGroups = [
  "anchor",
  "transfer",
  "mass_transfer",
  "burn",
  "all_transfers",
  "lease",
  "association",
  "script",
  "sponsor",
  "data",
  "statement",
  "all",
];

/** The groups by name. Groups that came later stand behind those of the page, by the types that brought them. */
export const transactionGroups: readonly string[] = [
  ...new Set([...knownGroups, ...[...definitions].sort(byType).flatMap(({ groups = [] }) => groups)]),
];

function byType(a: TransactionDefinition, b: TransactionDefinition): number {
  return a.type - b.type;
}

const allPlace = transactionGroups.indexOf("all");
/** For each type the places of its groups in the list of totals. */
const groupsOfType: (readonly number[])[] = [];
for (const { type, groups = [] } of definitions)
  groupsOfType[type] = [...groups.map((name) => transactionGroups.indexOf(name)), allPlace];

/** How many of a number of transactions by type are in a group. */
export function transactionsOfGroup(counts: ReadonlyMap<number, number>, group: string): number {
  const place = transactionGroups.indexOf(group);
  let sum = 0;
  for (const [type, count] of counts) if (groupsOfType[type].includes(place)) sum += count;
  return sum;
}

/**
 * Transactions by address, for both lists that clients know: that of the node (page 06 §7.5: the accounts that a
 * transaction touches) and the groups of the indexer (page 07 §12.1: sender and recipients).
 */
export function addressTransactionIndex(): ChainIndex {
  return {
    apply(writer, unit) {
      const lists = new UnitLists();
      for (const entry of unit.transactions) lists.add(entry);
      writePostings(writer, invertedIndexes.addressTransactions, unit, lists.postings());
    },
  };
}

/** How many transactions of each type groups list for each address. Page 07 §12.1. */
export function groupTotalIndex(): ConfiguredIndex {
  return {
    configuration: { names: ["transactions"], text: "counted by type" },
    apply(writer, unit) {
      const totals = new UnitTotals();
      for (const { transaction } of unit.transactions) totals.add(transaction);
      totals.write(writer);
    },
  };
}

/** The part of an address that tells it from the others of its network. */
function countedKey(address: Uint8Array): Uint8Array {
  return address.subarray(2, 2 + COUNTED_KEY);
}

/** The accounts that groups list a transaction for: sender, and recipient or recipients. Page 07 §12.1. */
function eachListed(transaction: Transaction, list: (address: Uint8Array) => void): void {
  const { hasSender, payouts } = definitionOf(transaction);
  if (hasSender) list(transaction.senderAddress);
  if ("recipient" in transaction) {
    if (transaction.recipient !== undefined) list(transaction.recipient);
  } else if (payouts !== undefined) for (const { recipient } of payouts(transaction)) list(recipient);
}

/** What a unit adds to the totals of an address. */
interface AddressTotals {
  readonly address: Uint8Array;
  /** By type: of most addresses there is one transaction. */
  readonly types: number[];
  readonly counts: number[];
  /** The transaction counted last. */
  newest: Transaction | undefined;
}

/** What a unit adds to the totals of its addresses. */
class UnitTotals {
  readonly #byAddress = new Map<string, AddressTotals>();
  /** As in `UnitLists`. */
  readonly #byObject = new Map<Uint8Array, AddressTotals>();

  /** Counts a transaction for each of its addresses: once, however often the address stands in it. */
  add(transaction: Transaction): void {
    const { type } = transaction;
    eachListed(transaction, (address) => {
      const found = this.#totalsOf(address);
      if (found.newest === transaction) return;
      found.newest = transaction;
      const at = found.types.indexOf(type);
      if (at >= 0) found.counts[at]++;
      else {
        found.types.push(type);
        found.counts.push(1);
      }
    });
  }

  write(writer: Writer): void {
    for (const { address, types, counts } of this.#byAddress.values()) {
      const key = countedKey(address);
      for (let i = 0; i < types.length; i++)
        writer.addCount(counters.listedTransactions, key, types[i], counts[i]);
    }
  }

  #totalsOf(address: Uint8Array): AddressTotals {
    const known = this.#byObject.get(address);
    if (known !== undefined) return known;
    const key = bytesKey(address);
    let found = this.#byAddress.get(key);
    if (found === undefined) {
      found = { address, types: [], counts: [], newest: undefined };
      this.#byAddress.set(key, found);
    }
    this.#byObject.set(address, found);
    return found;
  }
}

/** What a unit brings for one address. */
class AddressList {
  readonly address: Uint8Array;
  /** The transaction listed last, and its line among those of the unit. */
  newest: AppliedTransaction | undefined;
  line = 0;
  /** Bytes that its lines take, packed. */
  length = 0;
  /** Where its next line is packed. */
  at = 0;

  constructor(address: Uint8Array) {
    this.address = address;
  }
}

/**
 * What a unit brings for each address. The import goes through here with every transaction: lines are gathered in
 * plain arrays, in the order of the unit, and put into the order of the addresses once it is known how many there are.
 */
class UnitLists {
  readonly #byAddress = new Map<string, AddressList>();
  /** The same by object: an account mostly comes as the same one, which saves making a text of it again. */
  readonly #byObject = new Map<Uint8Array, AddressList>();
  /** Of each line the list, the transaction, and `listedIn`. */
  readonly #lists: AddressList[] = [];
  readonly #entries: AppliedTransaction[] = [];
  readonly #flags: number[] = [];

  add(entry: AppliedTransaction): void {
    const { transaction, addresses } = entry;
    for (let i = 0; i < addresses.length; i++) this.#list(addresses[i], entry, listedIn.node);
    eachListed(transaction, (address) => this.#list(address, entry, listedIn.groups));
  }

  /** The lists, packed. */
  postings(): UnitPosting[] {
    let end = 0;
    for (const list of this.#byAddress.values()) {
      list.at = end;
      end += list.length;
    }
    const bytes = new Uint8Array(end);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      const { position, transaction } = this.#entries[i];
      list.at = putListed(view, list.at, position, transaction.type, transaction.timestamp, this.#flags[i]);
    }
    const postings: UnitPosting[] = [];
    for (const { address, at, length } of this.#byAddress.values())
      postings.push({ key: address, value: bytes.subarray(at - length, at) });
    return postings;
  }

  /** Lists a transaction for an address: one line, however often the address stands in it. */
  #list(address: Uint8Array, entry: AppliedTransaction, flag: number): void {
    const list = this.#listOf(address);
    if (list.newest !== entry) {
      list.newest = entry;
      list.line = this.#entries.length;
      list.length += listedLength(entry.position, entry.transaction.type);
      this.#lists.push(list);
      this.#entries.push(entry);
      this.#flags.push(0);
    }
    this.#flags[list.line] |= flag;
  }

  #listOf(address: Uint8Array): AddressList {
    const known = this.#byObject.get(address);
    if (known !== undefined) return known;
    const key = bytesKey(address);
    let list = this.#byAddress.get(key);
    if (list === undefined) {
      list = new AddressList(address);
      this.#byAddress.set(key, list);
    }
    this.#byObject.set(address, list);
    return list;
  }
}

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
  { types, after }: { readonly types: readonly number[]; readonly after?: ListPlace | undefined },
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
  for (const { unit, value } of postingsDown(reader, invertedIndexes.addressTransactions, address, bound)) {
    const { height } = unit;
    if (block[0] !== undefined && block[0].height !== height) {
      yield block;
      block = [];
    }
    for (const item of listedTransactions(value, newest)) block.push({ ...item, height });
  }
  if (block.length > 0) yield block;
}

function newestFirst(a: ListPlace, b: ListPlace): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? 1 : -1;
  return b.height - a.height || b.position - a.position;
}

/** How far a transaction may be dated ahead of its block, and behind the block before, ms. Page 05 §10.2. */
const aheadOfBlock = 5_400_000n;
const behindParent = 7_200_000n;

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
  const place = transactionGroups.indexOf(group);
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
      if (
        one.inGroups &&
        groupsOfType[one.type].includes(place) &&
        (after === undefined || newestFirst(after, one) < 0)
      )
        open.push(one);
    settle(times.timestampOf(block[0].height - 1) + aheadOfBlock);
  }
  settle();
  return { total, places: places.slice(offset) };
}

/** The lowest height from which on every transaction is dated behind a time: the block before it is late enough. */
function heightAbove(time: bigint, { height, timestampOf }: BlockTimes): number {
  return lowerBound(1, height + 1, (at) => timestampOf(at - 1) - behindParent <= time);
}
