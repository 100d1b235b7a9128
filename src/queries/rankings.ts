import type { ChainTransaction } from "./transactions.ts";

/** Amounts are in units. */
export interface RichAccount {
  readonly address: Uint8Array;
  /** Regular balance. */
  readonly balance: bigint;
}

export interface RichestQueries {
  /** Highest first; at most 10,000. */
  accounts(): readonly RichAccount[];
}

export type TransferPeriod = "day" | "week" | "all";

/** In a list by amount, height and position in the block, each descending. */
export interface TransferPosition {
  readonly amount: bigint;
  readonly height: number;
  readonly position: number;
}

export interface LargestTransfersQuery {
  /** In UTC days. Ends with the day of the newest block. */
  readonly period: TransferPeriod;
  readonly after?: TransferPosition | undefined;
  readonly limit: number;
}

export interface LargestTransferQueries {
  /** Highest amount first. */
  transfers(query: LargestTransfersQuery): readonly ChainTransaction[];
}
