import { i64, structKey, structValue, u32, varint } from "./fields.ts";

/** State of a list that keeps its highest entries. */
export interface RankingState {
  readonly count: number;
  /** Entries below this amount are not in the list. */
  readonly floor: bigint;
}

export const rankingStateValue = structValue<RankingState>({ count: varint, floor: i64 });

/** Keys sort by list, ascending amount, height and position. */
export interface TransferKey {
  /** Days since 1970-01-01 UTC, or `WHOLE_CHAIN`. */
  readonly list: number;
  /** From 0 to 2^63 - 1. */
  readonly amount: bigint;
  readonly height: number;
  readonly position: number;
}

export const transferKey = structKey<TransferKey>({ list: u32, amount: i64, height: u32, position: u32 });
