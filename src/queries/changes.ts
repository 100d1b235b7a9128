/** Changes of the chain. */
import type { AppliedTransaction } from "../ledger/block.ts";
import type { UnitPosition } from "./paging.ts";

/** A transaction with the results of applying it. */
export type StoredTransaction = Omit<AppliedTransaction, "addresses">;

/**
 * Position on a chain: a key block (`sequence` 0) or micro block (1, 2, ...). Its id, of the block up to that unit,
 * also identifies everything before it. Height 0: before the first block.
 */
export interface ChainCursor extends UnitPosition {
  readonly id: Uint8Array;
}

export interface AppliedUnit extends ChainCursor {
  /** Of the key block, ms. */
  readonly timestamp: bigint;
  /** Generator's address, 26 bytes. */
  readonly generator: Uint8Array;
  /** In block order. */
  readonly transactions: readonly StoredTransaction[];
}

/** Each access to its transactions parses them again, to save memory. */
export interface LeavingUnit extends AppliedUnit {
  readonly transactionCount: number;
}

export interface UnitChanges {
  /** Newest first. */
  readonly reverted: readonly AppliedUnit[];
  /** Oldest first. */
  readonly committed: readonly AppliedUnit[];
}

export type ChangesSince =
  | (UnitChanges & {
      readonly kind: "changes";
      /** Position after the reverts; the given cursor if there are none. */
      readonly ancestor: ChainCursor;
      /** Position to continue from. */
      readonly cursor: ChainCursor;
      /** True if `cursor` is the newest unit. */
      readonly complete: boolean;
    })
  /** The node no longer knows how the cursor left the chain. Restart from the beginning. */
  | { readonly kind: "out of reach" };

export interface ChangeQueries {
  /**
   * The changes since a cursor, reverts first. Units that were reverted and came back are omitted.
   * @param limit maximum number of units, at least 1
   * @param enough stops after the unit that reaches this number of transactions; unlimited by default
   */
  since(cursor: ChainCursor, limit: number, enough?: number): ChangesSince;
  /** A unit on the chain, or a remembered one that left it. */
  unit(cursor: ChainCursor): AppliedUnit | undefined;
}
