import type { ForgerInfo } from "./generators.ts";

/** Amounts are in 10^-8 tokens. Page 07 §13. */
export interface DayStatistics {
  readonly blocks: number;
  readonly operations: number;
  readonly transactions: number;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  /** At the end of the day; 0 before the chain began. */
  readonly supply: bigint;
  readonly leased: bigint;
}

export interface StatisticsQueries {
  /**
   * Covers [from, to]. Undefined without the index.
   * @param from first day, in days since 1970-01-01 UTC
   * @param group group of transactions to count; all by default
   */
  days(from: number, to: number, group?: string): readonly DayStatistics[] | undefined;
  /** Covers the days in [from, to]. Sorted by address bytes; undefined without the index. */
  forgedBetween(from: number, to: number): readonly ForgerInfo[] | undefined;
}
