import { bytesKey, keyBytes } from "../bytes/compare.ts";
import type { ListedTransaction } from "../storage/index-codecs.ts";
import type { Reader, Writer } from "../storage/kv.ts";
import { tables } from "../storage/tables.ts";
import type { Transaction } from "../transactions/index.ts";
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
      const lists = new Map<string, ListedTransaction[]>();
      for (const entry of unit.transactions) list(lists, entry);
      for (const [key, listed] of lists) enter(writer, unit, keyBytes(key), listed);
    },
  };
}

function list(lists: Map<string, ListedTransaction[]>, entry: IndexedTransaction): void {
  const { transaction, position } = entry;
  const inNodeList = new Set(entry.addresses.map(bytesKey));
  const inGroups = new Set(participants(transaction).map(bytesKey));
  for (const key of new Set([...inNodeList, ...inGroups])) {
    const listed = lists.get(key) ?? [];
    if (listed.length === 0) lists.set(key, listed);
    listed.push({
      position,
      type: transaction.type,
      timestamp: transaction.timestamp,
      inNodeList: inNodeList.has(key),
      inGroups: inGroups.has(key),
    });
  }
}

/** Sender, recipient and the recipients of a mass transfer. Page 07 §12.1. */
function participants(transaction: Transaction): Uint8Array[] {
  const addresses = transaction.type === 1 ? [] : [transaction.senderAddress];
  if ("recipient" in transaction && transaction.recipient !== undefined)
    addresses.push(transaction.recipient);
  if (transaction.type === 11) {
    for (const { recipient } of transaction.transfers) addresses.push(recipient);
  }
  return addresses;
}

function enter(
  writer: Writer,
  unit: UnitContext,
  address: Uint8Array,
  listed: readonly ListedTransaction[],
): void {
  writer.insert(
    tables.addressTransactions,
    { address, height: unit.height, sequence: unit.sequence },
    listed,
  );
  const totals = [...(writer.get(tables.groupTotals, address) ?? groupTypes.map(() => 0))];
  let counted = false;
  for (const { type, inGroups } of listed) {
    if (!inGroups) continue;
    counted = true;
    for (const group of groupsOfType[type] ?? []) totals[group] = (totals[group] ?? 0) + 1;
  }
  if (counted) writer.put(tables.groupTotals, address, totals);
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
