import type { ForgerInfo } from "./generators.ts";

/** Sums of a day's blocks; amounts in 10^-8 tokens. Page 07 §13. */
export interface DayStatistics {
  readonly blocks: number;
  readonly operations: number;
  /** Transactions of the requested group. */
  readonly transactions: number;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  /** Supply and leased amount after the last block up to the end of the day; 0 before the chain began. */
  readonly supply: bigint;
  readonly leased: bigint;
}

export interface StatisticsQueries {
  /**
   * The days of [from, to]; undefined without the index.
   * @param from days since 1970-01-01 UTC
   * @param group transactions to count; all by default
   */
  days(from: number, to: number, group?: string): readonly DayStatistics[] | undefined;
  /** What each account forged in [from, to], sorted by address bytes; undefined without the index. */
  forgedBetween(from: number, to: number): readonly ForgerInfo[] | undefined;
}
