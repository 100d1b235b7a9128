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
    count += bucket.merge(ofBucket, changed, floor);
    buckets.push(bucket);
  }
  if (count > cutAbove) {
    for (const [number, ofBucket] of changes.entries())
      if (ofBucket.length === 0) buckets.push(new Bucket(writer, number));
    floor = floorAbove(
      buckets.flatMap(({ accounts }) => accounts),
      accounts,
    );
    count = 0;
    for (const bucket of buckets) count += bucket.cut(floor);
  }
  for (const bucket of buckets) bucket.write();
  if (count !== before.count || floor !== before.floor)
    writer.put(tables.richestState, undefined, { count, floor });
}

/** Returns a floor that at most `limit` accounts reach: one unit above the balance at rank `limit` + 1. */
function floorAbove(accounts: readonly RichAccount[], limit: number): bigint {
  const balances = BigInt64Array.from(accounts, ({ balance }) => balance).sort();
  return balances[balances.length - 1 - limit] + 1n;
}

class Bucket {
  readonly #writer: Writer;
  readonly #number: number;
  #accounts: RichAccount[];
  #isChanged = false;

  constructor(writer: Writer, number: number) {
    this.#writer = writer;
    this.#number = number;
    this.#accounts = accountsOf(writer.get(tables.richest, number));
  }

  get accounts(): readonly RichAccount[] {
    return this.#accounts;
  }

  /** Returns the number of added accounts, negative if more were removed. */
  merge(changes: readonly RichAccount[], changed: ReadonlyMap<string, RichAccount>, floor: bigint): number {
    const unchanged = this.#accounts.filter(({ address }) => !changed.has(bytesKey(address)));
    const high = changes.filter(({ balance }) => balance >= floor);
    const difference = unchanged.length + high.length - this.#accounts.length;
    this.#isChanged = high.length > 0 || unchanged.length < this.#accounts.length;
    this.#accounts = [...unchanged, ...high];
    return difference;
  }

  /** Removes the accounts below the floor. Returns the number of accounts that remain. */
  cut(floor: bigint): number {
    const kept = this.#accounts.filter(({ balance }) => balance >= floor);
    if (kept.length < this.#accounts.length) this.#isChanged = true;
    this.#accounts = kept;
    return kept.length;
  }

  write(): void {
    if (!this.#isChanged) return;
    if (this.#accounts.length === 0) this.#writer.remove(tables.richest, this.#number);
    else this.#writer.put(tables.richest, this.#number, bytesOf(this.#accounts));
  }
}

const ADDRESS_BYTES = 26;
const ENTRY_BYTES = ADDRESS_BYTES + 8;

/** Addresses are views of the bytes. */
export function accountsOf(bytes: Uint8Array = new Uint8Array(0)): RichAccount[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, i) => {
    const at = i * ENTRY_BYTES;
    const address = bytes.subarray(at, at + ADDRESS_BYTES);
    return { address, balance: view.getBigInt64(at + ADDRESS_BYTES) };
  });
}

function bytesOf(accounts: readonly RichAccount[]): Uint8Array {
  const bytes = new Uint8Array(accounts.length * ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, { address, balance }] of accounts.entries()) {
    bytes.set(address, i * ENTRY_BYTES);
    view.setBigInt64(i * ENTRY_BYTES + ADDRESS_BYTES, balance);
  }
  return bytes;
}
