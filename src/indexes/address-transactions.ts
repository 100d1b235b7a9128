import { bytesKey } from "../bytes/compare.ts";
import { type ListedTransaction, ListedTransactions } from "../storage/index-codecs.ts";
import type { Reader, Writer } from "../storage/kv.ts";
import { tables } from "../storage/tables.ts";
import type { ChainIndex, IndexedTransaction, UnitContext } from "./index.ts";

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
 * transaction touches) and the groups of the index (page 07 §12.1: sender and recipients). One row for each address
 * and unit.
 */
export function addressTransactionIndex(): ChainIndex {
  return {
    name: "transactions by address",
    apply(writer, unit) {
      const lists: UnitLists = new Map();
      for (const entry of unit.transactions) list(lists, entry);
      for (const { address, listed } of lists.values()) enter(writer, unit, address, listed);
    },
  };
}

/** A transaction in the list of an address while its unit is gone through. */
type Listing = { -readonly [K in keyof ListedTransaction]: ListedTransaction[K] };

/** What a unit brings for each address. */
type UnitLists = Map<string, { readonly address: Uint8Array; readonly listed: Listing[] }>;

function list(lists: UnitLists, entry: IndexedTransaction): void {
  const { transaction, addresses } = entry;
  const byNode = addresses.map((address) => listing(lists, address, entry));
  for (const one of byNode) one.inNodeList = true;
  const enterGroups = (address: Uint8Array): void => {
    // Mostly the same objects, which saves looking them up again.
    const known = byNode[addresses.indexOf(address)];
    (known ?? listing(lists, address, entry)).inGroups = true;
  };
  // Sender, recipient and the recipients of a mass transfer. Page 07 §12.1.
  if (transaction.type !== 1) enterGroups(transaction.senderAddress);
  if ("recipient" in transaction && transaction.recipient !== undefined) enterGroups(transaction.recipient);
  if (transaction.type === 11) for (const { recipient } of transaction.transfers) enterGroups(recipient);
}

/** The place of a transaction in the list of an address: one, however often the address stands in it. */
function listing(
  lists: UnitLists,
  address: Uint8Array,
  { transaction: { type, timestamp }, position }: IndexedTransaction,
): Listing {
  const key = bytesKey(address);
  let list = lists.get(key);
  if (list === undefined) {
    list = { address, listed: [] };
    lists.set(key, list);
  }
  const last = list.listed.at(-1);
  if (last?.position === position) return last;
  const next = { position, type, timestamp, inNodeList: false, inGroups: false };
  list.listed.push(next);
  return next;
}

function enter(
  writer: Writer,
  unit: UnitContext,
  address: Uint8Array,
  listed: readonly ListedTransaction[],
): void {
  const key = { address, height: unit.height, sequence: unit.sequence };
  writer.insert(tables.addressTransactions, key, ListedTransactions.of(listed));
  if (!listed.some(({ inGroups }) => inGroups)) return;
  const totals = [...(writer.get(tables.groupTotals, address) ?? noTotals)];
  for (const { type, inGroups } of listed) {
    if (!inGroups) continue;
    for (const group of groupsOfType[type] ?? []) totals[group] = (totals[group] ?? 0) + 1;
  }
  writer.put(tables.groupTotals, address, totals);
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
  for (const [{ height }, listed] of reader.range(tables.addressTransactions, {
    prefix: address,
    reverse: true,
  })) {
    if (block[0] !== undefined && block[0].height !== height) {
      yield block;
      block = [];
    }
    for (const item of listed) block.push({ ...item, height });
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
