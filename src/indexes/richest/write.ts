import { bytesKey } from "../../bytes/compare.ts";
import type { RichAccount } from "../../interfaces.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { PendingBalances, RankingState } from "../../storage/values/rankings.ts";
import type { ConfiguredIndex } from "../chain-index.ts";
import { changedBalances } from "./changed-balances.ts";

/** Maximum accounts after a cut. A list with more than `cutAbove` accounts is cut. */
export const MAX_RICHEST = 10_000;

interface Sizes {
  readonly accounts: number;
  readonly cutAbove: number;
  /** The rows are updated when the units since the last update have this many account states. */
  readonly statesPerUpdate: number;
}

const standardSizes: Sizes = { accounts: MAX_RICHEST, cutAbove: 12_000, statesPerUpdate: 8_192 };

/** A row has the accounts with the same value of this address byte, the first of the hash. */
const BUCKET_BYTE = 2;
const BUCKETS = 256;

const emptyState: RankingState = { count: 0, floor: 1n };

/**
 * Keeps every account whose regular balance is at least the floor, which rises when the list is cut. Most units only
 * count their account states. The query reads these states from the account history.
 */
export function richestIndex(sizes: Sizes = standardSizes): ConfiguredIndex {
  const { accounts, statesPerUpdate } = sizes;
  return {
    configuration: {
      names: ["richest"],
      text: `${accounts} regular balances, updated every ${statesPerUpdate} states`,
    },
    apply(writer, unit) {
      const { height, sequence } = unit;
      const states = writer.get(tables.accountHistory, unit)?.length ?? 0;
      if (states === 0) return;
      const pending = pendingBalances(writer);
      const count = pending.count + states;
      if (count < statesPerUpdate) {
        writer.put(tables.richestPending, undefined, { ...pending, count });
        return;
      }
      update(writer, changedBalances(writer, pending, unit), sizes);
      writer.put(tables.richestPending, undefined, { height, sequence: sequence + 1, count: 0 });
    },
  };
}

export function pendingBalances(rows: Reader): PendingBalances {
  return rows.get(tables.richestPending, undefined) ?? { height: 0, sequence: 0, count: 0 };
}

export function richestState(rows: Reader): RankingState {
  return rows.get(tables.richestState, undefined) ?? emptyState;
}

function update(
  writer: Writer,
  changed: ReadonlyMap<string, RichAccount>,
  { accounts, cutAbove }: Sizes,
): void {
  const before = richestState(writer);
  let { count, floor } = before;
  const buckets: Bucket[] = [];
  const changes = Array.from({ length: BUCKETS }, (): RichAccount[] => []);
  for (const change of changed.values()) changes[change.address[BUCKET_BYTE]].push(change);
  for (const [number, ofBucket] of changes.entries()) {
    if (ofBucket.length === 0) continue;
    const bucket = new Bucket(writer, number);
    count += bucket.merge(ofBucket, floor);
    buckets.push(bucket);
  }
  if (count > cutAbove) {
    for (const [number, ofBucket] of changes.entries())
      if (ofBucket.length === 0) buckets.push(new Bucket(writer, number));
    floor = floorAbove(buckets, count, accounts);
    count = 0;
    for (const bucket of buckets) count += bucket.cut(floor);
  }
  for (const bucket of buckets) bucket.write();
  if (count !== before.count || floor !== before.floor)
    writer.put(tables.richestState, undefined, { count, floor });
}

/** Returns a floor that at most `limit` accounts reach: one unit above the balance at rank `limit` + 1. */
function floorAbove(buckets: readonly Bucket[], count: number, limit: number): bigint {
  const balances = new BigInt64Array(count);
  let length = 0;
  for (const bucket of buckets) length = bucket.copyBalances(balances, length);
  balances.sort();
  return balances[count - 1 - limit] + 1n;
}

const ADDRESS_BYTES = 26;
const ENTRY_BYTES = ADDRESS_BYTES + 8;
/** More changes of a row, for example by someone who chose the first byte of many addresses, are put into a set. */
const MAX_COMPARED = 64;
const NO_BYTES = new Uint8Array(0);

/** One row, as bytes: an update visits all listed accounts, and objects would take several times as long. */
class Bucket {
  readonly #writer: Writer;
  readonly #number: number;
  #bytes: Uint8Array;
  #isChanged = false;

  constructor(writer: Writer, number: number) {
    this.#writer = writer;
    this.#number = number;
    this.#bytes = writer.get(tables.richest, number) ?? NO_BYTES;
  }

  /** Returns the number of added accounts, negative if more were removed. */
  merge(changes: readonly RichAccount[], floor: bigint): number {
    const before = this.#bytes.length;
    const isChanged = this.#changeTest(changes);
    this.#keep((at) => !isChanged(at));
    const high = changes.filter(({ balance }) => balance >= floor);
    if (high.length > 0) this.#append(high);
    return (this.#bytes.length - before) / ENTRY_BYTES;
  }

  /** Removes the accounts below the floor. Returns the number of accounts that remain. */
  cut(floor: bigint): number {
    const view = viewOf(this.#bytes);
    this.#keep((at) => view.getBigInt64(at + ADDRESS_BYTES) >= floor);
    return this.#bytes.length / ENTRY_BYTES;
  }

  /** Returns the end offset. */
  copyBalances(to: BigInt64Array, offset: number): number {
    const view = viewOf(this.#bytes);
    let end = offset;
    for (let at = 0; at < view.byteLength; at += ENTRY_BYTES)
      to[end++] = view.getBigInt64(at + ADDRESS_BYTES);
    return end;
  }

  write(): void {
    if (!this.#isChanged) return;
    if (this.#bytes.length === 0) this.#writer.remove(tables.richest, this.#number);
    else this.#writer.put(tables.richest, this.#number, this.#bytes);
  }

  /** Returns a function that tells if the account at an offset has changed. */
  #changeTest(changes: readonly RichAccount[]): (at: number) => boolean {
    const bytes = this.#bytes;
    if (changes.length <= MAX_COMPARED)
      return (at) => changes.some(({ address }) => hasAddressAt(bytes, at, address));
    const keys = new Set(changes.map(({ address }) => bytesKey(address)));
    return (at) => keys.has(bytesKey(bytes.subarray(at, at + ADDRESS_BYTES)));
  }

  #keep(isKept: (at: number) => boolean): void {
    // Rows must not change, so the first removal copies the row.
    let kept: Uint8Array | undefined;
    let length = 0;
    for (let at = 0; at < this.#bytes.length; at += ENTRY_BYTES) {
      if (!isKept(at)) kept ??= new Uint8Array(this.#bytes);
      else {
        kept?.copyWithin(length, at, at + ENTRY_BYTES);
        length += ENTRY_BYTES;
      }
    }
    if (kept === undefined) return;
    this.#bytes = kept.subarray(0, length);
    this.#isChanged = true;
  }

  #append(accounts: readonly RichAccount[]): void {
    const bytes = new Uint8Array(this.#bytes.length + accounts.length * ENTRY_BYTES);
    bytes.set(this.#bytes);
    const view = viewOf(bytes);
    let at = this.#bytes.length;
    for (const { address, balance } of accounts) {
      bytes.set(address, at);
      view.setBigInt64(at + ADDRESS_BYTES, balance);
      at += ENTRY_BYTES;
    }
    this.#bytes = bytes;
    this.#isChanged = true;
  }
}

function hasAddressAt(bytes: Uint8Array, at: number, address: Uint8Array): boolean {
  // Accounts of one row have the same byte `BUCKET_BYTE`. The bytes after it are those of a hash: they differ early.
  for (let i = BUCKET_BYTE + 1; i < ADDRESS_BYTES; i++) if (bytes[at + i] !== address[i]) return false;
  return bytes[at] === address[0] && bytes[at + 1] === address[1];
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Addresses are views of the bytes. */
export function accountsOf(bytes: Uint8Array): RichAccount[] {
  const view = viewOf(bytes);
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, i) => {
    const at = i * ENTRY_BYTES;
    const address = bytes.subarray(at, at + ADDRESS_BYTES);
    return { address, balance: view.getBigInt64(at + ADDRESS_BYTES) };
  });
}
