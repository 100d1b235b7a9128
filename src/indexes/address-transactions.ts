import { bytesKey } from "../bytes/compare.ts";
import type { Reader, Writer } from "../storage/kv.ts";
import { invertedIndexes } from "../storage/postings/all.ts";
import { postingsDown, writePostings } from "../storage/postings/inverted-index.ts";
import type { UnitPosting } from "../storage/postings/unit-postings.ts";
import { tables } from "../storage/tables.ts";
import {
  type ListedTransaction,
  listedIn,
  listedLength,
  listedTransactions,
  putListed,
} from "../storage/values/indexes.ts";
import type { ChainIndex, IndexedTransaction } from "./chain-index.ts";

/** Groups of transaction types, in the order of page 07 §12.1; `all` takes every type. */
export const transactionGroups: ReadonlyMap<string, readonly number[] | undefined> = new Map([
  ["anchor", [15, 22]],
  ["transfer", [2, 4]],
  ["mass_transfer", [11]],
  ["burn", [21]],
  ["all_transfers", [2, 4, 11, 21]],
  ["lease", [8, 9]],
  ["association", [16, 17]],
  ["script", [13]],
  ["sponsor", [18, 19]],
  ["data", [12]],
  ["statement", [23]],
  ["all", undefined],
]);

const groupTypes = [...transactionGroups.values()];
const noTotals: readonly number[] = groupTypes.map(() => 0);
/** For each type the places of its groups in the list of totals. */
const groupsOfType: readonly (readonly number[])[] = Array.from({ length: 64 }, (_, type) =>
  groupTypes.flatMap((types, place) => (types === undefined || types.includes(type) ? [place] : [])),
);

/** Types that a node lists without `index-all-transactions`. Page 05 §22.2; payment as transfer, page 02 §10.17. */
const portfolioTypes: readonly number[] = [1, 2, 4, 8, 9, 11, 18, 19, 21];

/**
 * Transactions by address, for both lists that clients know: that of the node (page 06 §7.5: the accounts that a
 * transaction touches) and the groups of the indexer (page 07 §12.1: sender and recipients).
 */
export function addressTransactionIndex(): ChainIndex {
  return {
    name: "transactions by address",
    apply(writer, unit) {
      const lists = new UnitLists(writer);
      for (const entry of unit.transactions) lists.add(entry);
      writePostings(writer, invertedIndexes.addressTransactions, unit, lists.postings());
      lists.putTotals();
    },
  };
}

/** What a unit brings for one address. */
class AddressList {
  readonly address: Uint8Array;
  /** The transaction listed last, and its line among those of the unit. */
  newest: IndexedTransaction | undefined;
  line = 0;
  /** Bytes that its lines take, packed. */
  length = 0;
  /** Where its next line is packed. */
  at = 0;
  /** The group totals with those of the unit; undefined while no group lists anything. */
  totals: number[] | undefined;

  constructor(address: Uint8Array) {
    this.address = address;
  }
}

/**
 * What a unit brings for each address. The import goes through here with every transaction: lines are gathered in
 * plain arrays, in the order of the unit, and put into the order of the addresses once it is known how many there are.
 */
class UnitLists {
  readonly #writer: Writer;
  readonly #byAddress = new Map<string, AddressList>();
  /** The same by object: an account mostly comes as the same one, which saves making a text of it again. */
  readonly #byObject = new Map<Uint8Array, AddressList>();
  /** Of each line the list, the transaction, and `listedIn`. */
  readonly #lists: AddressList[] = [];
  readonly #entries: IndexedTransaction[] = [];
  readonly #flags: number[] = [];

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  add(entry: IndexedTransaction): void {
    const { transaction, addresses } = entry;
    for (let i = 0; i < addresses.length; i++) this.#list(addresses[i], entry, listedIn.node);
    // Sender, recipient and the recipients of a mass transfer. Page 07 §12.1.
    if (transaction.type !== 1) this.#list(transaction.senderAddress, entry, listedIn.groups);
    if ("recipient" in transaction && transaction.recipient !== undefined)
      this.#list(transaction.recipient, entry, listedIn.groups);
    if (transaction.type === 11)
      for (const { recipient } of transaction.transfers) this.#list(recipient, entry, listedIn.groups);
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

  putTotals(): void {
    for (const { address, totals } of this.#byAddress.values())
      if (totals !== undefined) this.#writer.put(tables.groupTotals, address, totals);
  }

  /** Lists a transaction for an address: one line, however often the address stands in it. */
  #list(address: Uint8Array, entry: IndexedTransaction, flag: number): void {
    const list = this.#listOf(address);
    if (list.newest !== entry) {
      list.newest = entry;
      list.line = this.#entries.length;
      list.length += listedLength(entry.position);
      this.#lists.push(list);
      this.#entries.push(entry);
      this.#flags.push(0);
    }
    const flags = this.#flags[list.line];
    if ((flags & flag) !== 0) return;
    this.#flags[list.line] = flags | flag;
    if (flag === listedIn.groups) this.#count(list, entry.transaction.type);
  }

  #count(list: AddressList, type: number): void {
    list.totals ??= (this.#writer.get(tables.groupTotals, list.address) ?? noTotals).slice();
    const groups = groupsOfType[type];
    for (let i = 0; i < groups.length; i++) list.totals[groups[i]]++;
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
export interface ListedPlace extends ListedTransaction {
  readonly height: number;
}

/**
 * The node's list of an address, newest first: by height, in a block by timestamp. Page 06 §7.5.
 * @param types ids to list; empty: all
 * @param indexAll whether types beyond the portfolio types are listed
 */
export function* nodeListOf(
  reader: Reader,
  address: Uint8Array,
  types: readonly number[],
  indexAll: boolean,
): Generator<ListedPlace> {
  for (const block of blocksOf(reader, address)) {
    yield* block
      .filter(
        ({ inNodeList, type }) =>
          inNodeList &&
          (indexAll || portfolioTypes.includes(type)) &&
          (types.length === 0 || types.includes(type)),
      )
      .sort(newestFirst);
  }
}

/** The entries of an address, block by block from the newest down. */
function* blocksOf(reader: Reader, address: Uint8Array): Generator<ListedPlace[]> {
  let block: ListedPlace[] = [];
  for (const { unit, value } of postingsDown(reader, invertedIndexes.addressTransactions, address)) {
    const { height } = unit;
    if (block[0] !== undefined && block[0].height !== height) {
      yield block;
      block = [];
    }
    for (const item of listedTransactions(value)) block.push({ ...item, height });
  }
  if (block.length > 0) yield block;
}

function newestFirst(a: ListedPlace, b: ListedPlace): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? 1 : -1;
  return b.height - a.height || b.position - a.position;
}

/** How far a transaction may be dated ahead of its block, ms. Page 05 §10.2. */
const aheadOfBlock = 5_400_000n;

/**
 * A page of a group's list: newest transaction timestamp first. Page 07 §12.2.
 * @param timestampOf block timestamp by height, ms; 0 for height 0
 */
export function groupPageOf(
  reader: Reader,
  address: Uint8Array,
  group: string,
  page: { readonly offset: number; readonly limit: number },
  timestampOf: (height: number) => bigint,
): { readonly total: number; readonly places: readonly ListedPlace[] } {
  const place = [...transactionGroups.keys()].indexOf(group);
  const total = reader.get(tables.groupTotals, address)?.[place] ?? 0;
  const types = transactionGroups.get(group);
  const end = Math.min(page.offset + page.limit, total);
  const settled: ListedPlace[] = [];
  let open: ListedPlace[] = [];
  // Blocks come by height, the list goes by timestamp: older blocks bring nothing that is dated more than 90 minutes
  // ahead of the next lower block, so everything above that is settled.
  for (const block of blocksOf(reader, address)) {
    if (settled.length >= end) break;
    open.push(
      ...block.filter(({ inGroups, type }) => inGroups && (types === undefined || types.includes(type))),
    );
    open.sort(newestFirst);
    const bound = timestampOf((block[0] as ListedPlace).height - 1) + aheadOfBlock;
    const firstOpen = open.findIndex(({ timestamp }) => timestamp <= bound);
    settled.push(...open.slice(0, firstOpen < 0 ? open.length : firstOpen));
    open = firstOpen < 0 ? [] : open.slice(firstOpen);
  }
  return { total, places: [...settled, ...open].slice(page.offset, end) };
}
