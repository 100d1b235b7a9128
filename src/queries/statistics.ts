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

export interface DayActivity extends Pick<DayStatistics, "blocks" | "transactions" | "supply" | "leased"> {
  /** Counted from 1970-01-01 UTC. */
  readonly day: number;
  /** Height of the day's last block. */
  readonly height: number;
  /** Numbers of transactions in three groups. */
  readonly transfers: number;
  readonly anchorTransactions: number;
  readonly associations: number;
  /** Number of anchored hashes. */
  readonly anchors: number;
  readonly fees: bigint;
  /** Estimated number of accounts that sent transactions. */
  readonly senders: number;
}

/** What an account forged on a day. */
export interface ForgedDay {
  readonly day: number;
  readonly blocks: number;
  /** In units. */
  readonly reward: bigint;
  /** Blocks of all generators. */
  readonly allBlocks: number;
}

/** Days are counted from 1970-01-01 UTC. All answers are undefined without the index. */
export interface StatisticsQueries {
  /**
   * Covers the days in [from, to].
   * @param group default: all
   */
  days(from: number, to: number, group?: string): readonly DayStatistics[] | undefined;
  /**
   * Covers the days in [from, to] since block 2, or since the genesis block if it is the only block.
   * @param limit maximum number of days; the newest are chosen
   */
  activity(from: number, to: number, limit: number): readonly DayActivity[] | undefined;
  /** Covers the same days as `activity`. */
  forgedByDay(
    generator: Uint8Array,
    from: number,
    to: number,
    limit: number,
  ): readonly ForgedDay[] | undefined;
  /** Sorted by address bytes. */
  forgedBetween(from: number, to: number): readonly ForgerInfo[] | undefined;
}
