import type { DataEntry } from "../transactions/data-entry.ts";
import type { ListPage, UnitPosition } from "./paging.ts";

/** Amounts of an account at the tip, liquid block included, in units. Page 05 §3. */
export interface AccountInfo {
  readonly balance: bigint;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  readonly unbonding: bigint;
}

/** State of an account after a unit (a key block or micro block) that changed it. */
export interface AccountChange extends AccountInfo, UnitPosition {
  /** Current id of the block. */
  readonly id: Uint8Array;
  /** Timestamp of the key block, in milliseconds since 1970. */
  readonly timestamp: bigint;
  /** True if the account generated the block. */
  readonly forged: boolean;
  /** Ids of the unit's first transactions that involve the account. */
  readonly transactions: readonly Uint8Array[];
  /** Number of all such transactions in the unit. */
  readonly transactionCount: number;
}

export interface AccountChangesQuery {
  /** Only changes by units before this one. */
  readonly before?: UnitPosition | undefined;
  readonly limit: number;
  /** Maximum number of transaction ids per change. */
  readonly ids: number;
}

/** A balance in units, and the height from which it applied. */
export interface BalanceAt {
  readonly height: number;
  readonly balance: bigint;
}

export interface AccountQueries {
  info(address: Uint8Array): AccountInfo;
  /** Returns the smallest regular balance over the last `confirmations` heights. Page 05 §21.3. */
  balance(address: Uint8Array, confirmations: number): bigint;
  /** Returns the smallest effective balance over the last `confirmations` heights. Page 05 §21.3. */
  effectiveBalance(address: Uint8Array, confirmations: number): bigint;
  /** Returns the generating balance, without the liquid block. Page 05 §21.4. */
  generatingBalance(address: Uint8Array): bigint;
  /** Returns the balances of persisted blocks, newest first. The position of a page is a height. Page 05 §21.5. */
  balanceHistory(address: Uint8Array, page?: ListPage<number>): readonly BalanceAt[];
  /** Returns the changes of an account, newest first, liquid block included. */
  changes(address: Uint8Array, query: AccountChangesQuery): readonly AccountChange[];
  /** Returns the regular balances above zero at a height. Page 05 §21.5. */
  distribution(height: number): Iterable<{ readonly address: Uint8Array; readonly balance: bigint }>;
  /** Returns the account's script as bytes. */
  script(address: Uint8Array): Uint8Array | undefined;
  /** Returns data entries, sorted by key in UTF-16 code unit order. The position of a page is a key. */
  dataEntries(address: Uint8Array, page?: ListPage<string>): readonly DataEntry[];
  dataEntry(address: Uint8Array, key: string): DataEntry | undefined;
  /** Returns the account's certificate as DER bytes. */
  certificate(address: Uint8Array): Uint8Array | undefined;
}
