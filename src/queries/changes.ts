import type { AppliedTransaction } from "../ledger/block.ts";
import type { UnitPosition } from "./paging.ts";

export type StoredTransaction = Omit<AppliedTransaction, "addresses">;

/**
 * Position of a unit: a key block (`sequence` 0) or micro block (1, 2, ...). `id` is the id of the block that ends with
 * this unit. Height 0 is before the first block.
 */
export interface ChainCursor extends UnitPosition {
  readonly id: Uint8Array;
}

export interface AppliedUnit extends ChainCursor {
  /** Key block's timestamp, ms since 1970. */
  readonly timestamp: bigint;
  /** Generator's address, 26 bytes. */
  readonly generator: Uint8Array;
  readonly transactions: readonly StoredTransaction[];
}

export interface CommittedUnit extends AppliedUnit {
  readonly transactionCount: number;
  transactionIds(): readonly Uint8Array[];
}

/** Each access to `transactions` parses them again. */
export interface LeavingUnit extends AppliedUnit {
  readonly transactionCount: number;
}

/** A change that replaced or removed key blocks. */
export interface Reorganisation {
  /** In ms since 1970. */
  readonly timestamp: number;
  readonly commonHeight: number;
  readonly oldTip: Uint8Array;
  readonly newTip: Uint8Array;
  /** Counts transactions of reverted units, including those that the new blocks contain. */
  readonly revertedTransactions: number;
  /** Number of removed key blocks; `reverted` lists only the lowest. */
  readonly revertedCount: number;
  readonly reverted: readonly Uint8Array[];
  /** Number of added key blocks; `committed` lists only the lowest. */
  readonly committedCount: number;
  readonly committed: readonly Uint8Array[];
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
      /** Position after the reverts; the requested cursor if there are none. */
      readonly ancestor: ChainCursor;
      /** Position after these changes. */
      readonly cursor: ChainCursor;
      /** May rise without a new unit. */
      readonly persistedHeight: number;
      /** True if `cursor` is the newest unit. */
      readonly complete: boolean;
    })
  /** The cursor's unit left the chain too long ago: restart from height 0. */
  | { readonly kind: "out of reach" };

export interface ChangeQueries {
  /**
   * Reports reverts first. Omits units that left the chain and returned.
   * @param unitLimit at least 1
   * @param transactionLimit the unit that reaches this number is the last; default: unlimited
   */
  since(cursor: ChainCursor, unitLimit: number, transactionLimit?: number): ChangesSince;
  /** Also finds a unit that left the chain recently. */
  unit(cursor: ChainCursor): AppliedUnit | undefined;
}
