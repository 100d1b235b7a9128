/** What happened to the chain, for readers that follow it at their own pace. */
import type { AppliedTransaction } from "../ledger/block.ts";
import type { UnitPosition } from "./paging.ts";

/** A transaction of a unit of the chain, with what applying it gave. */
export type StoredTransaction = Omit<AppliedTransaction, "addresses">;

/**
 * A place on a chain: a key block (`sequence` 0) or micro block (1, 2, ...), by the id of the block as it stood with
 * it. It stands for everything before it too, since ids do. Height 0: before the first block.
 */
export interface ChainCursor extends UnitPosition {
  readonly id: Uint8Array;
}

/** A key block or micro block that was applied. */
export interface AppliedUnit extends ChainCursor {
  /** Timestamp of the key block, ms. */
  readonly timestamp: bigint;
  /** Address of the generator, 26 bytes. */
  readonly generator: Uint8Array;
  /** The unit's own transactions, in block order. */
  readonly transactions: readonly StoredTransaction[];
}

/** A unit that leaves the chain: its transactions are parsed each time that they are asked for, and not kept. */
export interface LeavingUnit extends AppliedUnit {
  readonly transactionCount: number;
}

/** How one chain became another one. */
export interface UnitChanges {
  /** Units that left the chain, newest first. */
  readonly reverted: readonly AppliedUnit[];
  /** Units that came to it, oldest first. */
  readonly committed: readonly AppliedUnit[];
}

/** What happened after a cursor. */
export type ChangesSince =
  | (UnitChanges & {
      readonly kind: "changes";
      /** Where the chain stood when all that was reverted had left it: the given cursor if nothing was reverted. */
      readonly ancestor: ChainCursor;
      /** Where to go on: the place that these changes lead to. */
      readonly cursor: ChainCursor;
      /** Whether that is the newest unit. */
      readonly complete: boolean;
    })
  /** The cursor's unit is not on the chain, and how it left it is no longer remembered: begin again from the start. */
  | { readonly kind: "out of reach" };

export interface ChangeQueries {
  /**
   * What happened to the chain since it ended at a cursor. The reverted units come first; those that were reverted and
   * came again are not mentioned.
   * @param limit at most so many units, at least 1
   * @param enough ends after the unit that brings the number of transactions to this; no bound by default
   */
  since(cursor: ChainCursor, limit: number, enough?: number): ChangesSince;
  /** A unit that is on the chain, or that left it and is remembered. */
  unit(cursor: ChainCursor): AppliedUnit | undefined;
}
