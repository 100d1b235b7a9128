/** Changes of the chain, for readers that follow it. */
import type { AppliedTransaction } from "../ledger/block.ts";
import type { UnitPosition } from "./paging.ts";

/** With the results of applying it. */
export type StoredTransaction = Omit<AppliedTransaction, "addresses">;

/**
 * A position on a chain: a key block (`sequence` 0) or micro block (1, 2, ...), with the id of the block up to that
 * unit, which also identifies everything before it. Height 0: before the first block.
 */
export interface ChainCursor extends UnitPosition {
  readonly id: Uint8Array;
}

export interface AppliedUnit extends ChainCursor {
  /** Timestamp of the key block, ms. */
  readonly timestamp: bigint;
  /** Address of the generator, 26 bytes. */
  readonly generator: Uint8Array;
  /** In block order. */
  readonly transactions: readonly StoredTransaction[];
}

/** Each access to its transactions parses them again, to save memory. */
export interface LeavingUnit extends AppliedUnit {
  readonly transactionCount: number;
}

export interface UnitChanges {
  /** Units that left the chain, newest first. */
  readonly reverted: readonly AppliedUnit[];
  /** Units that were added, oldest first. */
  readonly committed: readonly AppliedUnit[];
}

export type ChangesSince =
  | (UnitChanges & {
      readonly kind: "changes";
      /** The position after the reverted units left the chain; the given cursor if nothing was reverted. */
      readonly ancestor: ChainCursor;
      /** The position to continue from. */
      readonly cursor: ChainCursor;
      /** True if `cursor` is the newest unit. */
      readonly complete: boolean;
    })
  /** The node no longer remembers how the cursor left the chain. Restart from the beginning. */
  | { readonly kind: "out of reach" };

export interface ChangeQueries {
  /**
   * The changes of the chain since a cursor, reverted units first. Units that were reverted and came back are left out.
   * @param limit maximum number of units, at least 1
   * @param enough ends after the unit that reaches this number of transactions; unlimited by default
   */
  since(cursor: ChainCursor, limit: number, enough?: number): ChangesSince;
  /** A unit that is on the chain, or a remembered one that left it. */
  unit(cursor: ChainCursor): AppliedUnit | undefined;
}
