/** Sums by day. Page 07 §13. */
import type { ForgerInfo } from "./generators.ts";

/** What the blocks of a day come to; amounts in 10^-8 tokens. Page 07 §13. */
export interface DayStatistics {
  readonly blocks: number;
  readonly operations: number;
  /** Of the group that was asked for. */
  readonly transactions: number;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  /** How much there was, and how much of it was lent, behind the last block up to then; 0 before the chain began. */
  readonly supply: bigint;
  readonly leased: bigint;
}

export interface StatisticsQueries {
  /**
   * Each day from one to another, both included; undefined without these sums.
   * @param from days since 1970-01-01 UTC
   * @param group which transactions are counted; all by default
   */
  days(from: number, to: number, group?: string): readonly DayStatistics[] | undefined;
  /**
   * What each account forged from one day to another, both included, in the order of the addresses' bytes; undefined
   * without these sums.
   */
  forgedBetween(from: number, to: number): readonly ForgerInfo[] | undefined;
}
