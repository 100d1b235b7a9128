import type { DataEntry } from "../transactions/data-entry.ts";
import type { ListPage, UnitPosition } from "./paging.ts";

/** Amounts at the tip, with the liquid block, in units. Page 05 §3. */
export interface AccountInfo {
  readonly balance: bigint;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  readonly unbonding: bigint;
}

/** An account after a unit. */
export interface AccountChange extends AccountInfo, UnitPosition {
  readonly id: Uint8Array;
  /** Key block's timestamp, ms since 1970. */
  readonly timestamp: bigint;
  readonly hasForged: boolean;
  /** Ids of the first `maxIds` of the account's transactions. */
  readonly transactions: readonly Uint8Array[];
  readonly transactionCount: number;
}

export interface AccountChangesQuery {
  /** Excludes this unit and later ones. */
  readonly before?: UnitPosition | undefined;
  readonly limit: number;
  readonly maxIds: number;
}

/** A balance in units, valid from this height. */
export interface BalanceAt {
  readonly height: number;
  readonly balance: bigint;
}

export interface AccountQueries {
  info(address: Uint8Array): AccountInfo;
  /** Smallest regular balance at the last `confirmations` heights. Page 05 §21.3. */
  balance(address: Uint8Array, confirmations: number): bigint;
  /** The same for the effective balance. Page 05 §21.3. */
  effectiveBalance(address: Uint8Array, confirmations: number): bigint;
  /** Excludes the liquid block. Page 05 §21.4. */
  generatingBalance(address: Uint8Array): bigint;
  /** Balances after persisted blocks, newest first; page positions are heights. Page 05 §21.5. */
  balanceHistory(address: Uint8Array, page?: ListPage<number>): readonly BalanceAt[];
  /** Newest first, from the liquid block. */
  changes(address: Uint8Array, query: AccountChangesQuery): readonly AccountChange[];
  /** Regular balances above zero at a height. Page 05 §21.5. */
  distribution(height: number): Iterable<{ readonly address: Uint8Array; readonly balance: bigint }>;
  script(address: Uint8Array): Uint8Array | undefined;
  /** Sorted by UTF-16 code units of the key; page positions are keys. */
  dataEntries(address: Uint8Array, page?: ListPage<string>): readonly DataEntry[];
  dataEntry(address: Uint8Array, key: string): DataEntry | undefined;
  /** DER bytes. */
  certificate(address: Uint8Array): Uint8Array | undefined;
}
