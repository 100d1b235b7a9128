import type { UnitKey } from "../places.ts";
import { fieldValue, i64, listOf, struct, structKey, structValue, u16, u32, varint } from "./fields.ts";

/** State of a list that keeps its highest entries. */
export interface RankingState {
  readonly count: number;
  /** Entries below this amount are not in the list. */
  readonly floor: bigint;
}

export const rankingStateValue = structValue<RankingState>({ count: varint, floor: i64 });

/** The first unit whose account states are not yet in the table `richest`. `count` is the number of states from this unit on. */
export interface PendingBalances extends UnitKey {
  readonly count: number;
}

export const pendingBalancesValue = structValue<PendingBalances>({
  height: u32,
  sequence: u16,
  count: varint,
});

export interface TransferListKey extends UnitKey {
  /** Days since 1970-01-01 UTC, or `WHOLE_CHAIN`. */
  readonly list: number;
}

export const transferListKey = structKey<TransferListKey>({ list: u32, height: u32, sequence: u16 });

export interface RankedTransfer {
  /** In the block. */
  readonly position: number;
  /** From 1 to 2^63 - 1. */
  readonly amount: bigint;
}

export const rankedTransfersValue = fieldValue(
  listOf(struct<RankedTransfer>({ position: u32, amount: i64 })),
);
