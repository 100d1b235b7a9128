import type { ForgerInfo } from "./generators.ts";

/** Amounts are in units. Page 07 §13. */
export interface DayStatistics {
  readonly blocks: number;
  readonly operations: number;
  readonly transactions: number;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  /** Supply at the end of the day; 0 before the chain began. */
  readonly supply: bigint;
  readonly leased: bigint;
}

export interface StatisticsQueries {
  /**
   * Covers the days in [from, to], counted from 1970-01-01 UTC. Undefined without the index.
   * @param group default: all
   */
  days(from: number, to: number, group?: string): readonly DayStatistics[] | undefined;
  /** Sorted by address bytes; undefined without the index. */
  forgedBetween(from: number, to: number): readonly ForgerInfo[] | undefined;
}
