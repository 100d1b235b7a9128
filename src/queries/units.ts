import type { ChainCursor } from "./changes.ts";

/**
 * A unit with everything that a follower needs to apply it. A persist unit has sequence 0xffff and the id of
 * the block that it persists.
 */
export interface UnitRecord extends ChainCursor {
  readonly kind: "block" | "micro" | "persist";
  /** Id of the unit before it, 64 bytes. For a persist unit, this is its own id. */
  readonly parent: Uint8Array;
  /** Canonical bytes of the key block as it stood alone, or of the micro block; empty for a persist unit. */
  readonly bytes: Uint8Array;
  /** Local clock of the source at the arrival of a micro block, ms; 0 for other kinds. */
  readonly arrivedAt: number;
  /**
   * True for a key block whose parent was persisted by a persist unit, which the store may have forgotten.
   */
  readonly isParentPersisted: boolean;
  /**
   * 32 bytes: hash of the chain and ledger rows that the unit wrote. Undefined for a unit that was written before the
   * store had digests.
   */
  readonly digest: Uint8Array | undefined;
}

/** A unit that left a chain, with its effects on the ledger. */
export interface RevertedRecord extends ChainCursor {
  readonly parent: Uint8Array;
  /** As in `UnitRecord`. */
  readonly bytes: Uint8Array;
  /** Of its transactions, in their order. */
  readonly fees: readonly bigint[];
  /** Undefined: the sender. */
  readonly payers: readonly (Uint8Array | undefined)[];
}

export interface UnitAccount {
  /** 26 bytes. */
  readonly address: Uint8Array;
  readonly balance: bigint;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  readonly unbonding: bigint;
}

export interface UnitResults {
  /** Position of the unit's first transaction in the block. */
  readonly firstPosition: number;
  /** In order of the transactions. */
  readonly transactions: readonly {
    readonly id: Uint8Array;
    readonly effectiveFee: bigint;
    /** Undefined: the sender. */
    readonly effectiveSponsor: Uint8Array | undefined;
    /** Addresses of the accounts that the transaction touched. Page 06 §7.5. */
    readonly accounts: readonly Uint8Array[];
  }[];
}

export interface UnitLimits {
  /** At least 1. */
  readonly units: number;
  /** Size of the records' `bytes`. */
  readonly bytes: number;
}

export interface UnitRecords {
  /** Oldest first. The data stays valid after the snapshot is closed. */
  readonly records: readonly UnitRecord[];
  /** True if the last record is the newest unit of the chain. */
  readonly isComplete: boolean;
}

/** Heights of a `PersistUnits`. A chain has one persist unit per import and per rollback. */
export const MAX_PERSIST_UNITS = 64;

/**
 * The blocks that the persist units in a part of a chain persisted. Units that left a chain can return with the same
 * ids, but above other persist units.
 */
export interface PersistUnits {
  readonly from: number;
  /** Ascending, at most `MAX_PERSIST_UNITS`. */
  readonly heights: readonly number[];
}

export interface FollowedPosition extends ChainCursor {
  /** Persist units of the follower's chain; by default, they are those of the source. */
  readonly persists?: PersistUnits | undefined;
  /** Value of `UnitQueries.reverts` when the source's chain contained the position; by default, the current value. */
  readonly reverts?: number | undefined;
}

/** Positions of these queries include persist units (`sequence` 0xffff). The id of height 0 is empty. */
export interface UnitQueries {
  /**
   * Records after a position on the chain.
   * @param position a result of `common` or `newest`, or the position of a record of this chain
   */
  after(position: ChainCursor, limits: UnitLimits): UnitRecords;
  /** The newest unit on the chain among `position` and its ancestors; undefined if that is unknown. */
  common(position: FollowedPosition): ChainCursor | undefined;
  /** Grows when units leave the chain. */
  reverts(): number;
  /** Unlike `ChainSnapshot.tip`, includes a persist unit. */
  newest(): ChainCursor;
  /** Accounts that a unit on the chain changed, with their values after it, by address. */
  accounts(unit: ChainCursor): readonly UnitAccount[];
  /** Parses no transactions. */
  results(unit: ChainCursor): UnitResults;
}
