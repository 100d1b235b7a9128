import type { DataEntry } from "../transactions/data-entry.ts";
import type { HeightRange, ListPage, ListPosition, UnitPosition } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

/** Amounts at the tip, with the liquid block, in 10^-8 tokens. Page 05 §3. */
export interface AccountInfo {
  readonly balance: bigint;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  readonly unbonding: bigint;
}

/** The account's values after a unit that changed it. */
export interface AccountChange extends AccountInfo, UnitPosition {
  readonly id: Uint8Array;
  /** Key block's timestamp, ms since 1970. */
  readonly timestamp: bigint;
  /** True if the account generated the block. */
  readonly hasForged: boolean;
  /** Ids of the account's first `maxIds` transactions in the unit. */
  readonly transactions: readonly Uint8Array[];
  readonly transactionCount: number;
}

export interface AccountChangesQuery {
  /** Excludes this unit and later ones. */
  readonly before?: UnitPosition | undefined;
  readonly limit: number;
  readonly maxIds: number;
}

/** `self`: the account is sender and only recipient. */
export type EntryDirection = "in" | "out" | "self";

/** A transaction as one account sees it. Amounts are in 10^-8 tokens. */
export interface AccountEntry extends ChainTransaction {
  readonly direction: EntryDirection;
  /** The sender of a received transaction, or the only recipient of a sent one. */
  readonly counterparty: Uint8Array | undefined;
  readonly recipients: number;
  /** Received (above 0) or sent (below 0), without fees. */
  readonly amount: bigint;
  /** Amount of the lease that starts or ends. */
  readonly leased: bigint;
  readonly feePaid: bigint;
  /**
   * Regular balance after the transaction. Undefined without `includeBalances`, or if the balance also changed for
   * other reasons in the same unit.
   */
  readonly balance: bigint | undefined;
}

export interface AccountEntriesQuery extends HeightRange {
  /** Transaction type ids; empty: all. */
  readonly types: readonly number[];
  readonly accepts?: ((entry: AccountEntry) => boolean) | undefined;
  readonly after?: Pick<ListPosition, "height" | "position"> | undefined;
  readonly limit: number;
  readonly includeBalances: boolean;
}

export interface AccountEntries {
  readonly entries: readonly AccountEntry[];
  /** `after` for the next page; undefined at the end. */
  readonly end: Pick<ListPosition, "height" | "position"> | undefined;
}

/** Totals over a range of heights, in 10^-8 tokens. */
export interface AccountTotals {
  /** Regular balance before the first and after the last block. */
  readonly opening: bigint;
  readonly closing: bigint;
  readonly received: { readonly count: number; readonly amount: bigint };
  /** As a positive number. */
  readonly sent: { readonly count: number; readonly amount: bigint };
  readonly fees: bigint;
  /** Includes transactions that move no tokens. */
  readonly transactions: number;
  /** False if there are too many transactions: the totals include only the newest. */
  readonly isComplete: boolean;
}

/** A balance in 10^-8 tokens, valid from this height. */
export interface BalanceAt {
  readonly height: number;
  readonly balance: bigint;
}

export interface AccountQueries {
  info(address: Uint8Array): AccountInfo;
  /** Smallest regular balance at the last `confirmations` heights. Page 05 §21.3. */
  balance(address: Uint8Array, confirmations: number): bigint;
  /** Smallest effective balance at the last `confirmations` heights. */
  effectiveBalance(address: Uint8Array, confirmations: number): bigint;
  /** Stake for forging, without the liquid block. Page 05 §21.4. */
  generatingBalance(address: Uint8Array): bigint;
  /** Balances after persisted blocks, newest first; page positions are heights. Page 05 §21.5. */
  balanceHistory(address: Uint8Array, page?: ListPage<number>): readonly BalanceAt[];
  /** Newest first, from the liquid block. */
  changes(address: Uint8Array, query: AccountChangesQuery): readonly AccountChange[];
  /** Newest first. Pages may have fewer than `limit` entries. */
  entries(address: Uint8Array, query: AccountEntriesQuery): AccountEntries;
  totals(address: Uint8Array, range: HeightRange): AccountTotals;
  /** Regular balances above zero at a height. Page 05 §21.5. */
  distribution(height: number): Iterable<{ readonly address: Uint8Array; readonly balance: bigint }>;
  script(address: Uint8Array): Uint8Array | undefined;
  /** Sorted by UTF-16 code units of the key; page positions are keys. */
  dataEntries(address: Uint8Array, page?: ListPage<string>): readonly DataEntry[];
  dataEntry(address: Uint8Array, key: string): DataEntry | undefined;
  /** DER bytes. */
  certificate(address: Uint8Array): Uint8Array | undefined;
}
