import type { ChainCursor } from "./changes.ts";

/**
 * A key block, micro block or persist unit, with everything that a follower needs to apply it. A persist unit has
 * sequence 0xffff and the id of the block that it persists.
 */
export interface UnitRecord extends ChainCursor {
  readonly kind: "block" | "micro" | "persist";
  /** Id of the previous unit, 64 bytes. A persist unit's `parent` equals its `id`. */
  readonly parent: Uint8Array;
  /** Canonical bytes of the key block without micro blocks, or of the micro block; empty for a persist unit. */
  readonly bytes: Uint8Array;
  /** Arrival of a micro block at the source, by the source's clock, ms since 1970; 0 for other kinds. */
  readonly arrivedAt: number;
  /**
   * True if a persist unit, which the store may have forgotten, persisted the parent of this key block.
   */
  readonly isParentPersisted: boolean;
  /**
   * 32 bytes: hash of the chain and ledger rows that the unit wrote. Undefined if the store had no
   * digests then.
   */
  readonly digest: Uint8Array | undefined;
}

/** A unit that left a chain, with its effects on the ledger. */
export interface RevertedRecord extends ChainCursor {
  readonly parent: Uint8Array;
  /** As in `UnitRecord`. */
  readonly bytes: Uint8Array;
  /** In order of the transactions, in 10^-8 tokens. */
  readonly fees: readonly bigint[];
  /** Sponsors that paid the fees; undefined: the sender. */
  readonly payers: readonly (Uint8Array | undefined)[];
}

/** Amounts are in 10^-8 tokens. */
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
  /** Maximum number of units, at least 1. */
  readonly units: number;
  /** Maximum total size of the records' `bytes`. */
  readonly bytes: number;
}

export interface UnitRecords {
  /** Oldest first. The data stays valid after the snapshot is closed. */
  readonly records: readonly UnitRecord[];
  /** True if the last record is the newest unit of the chain. */
  readonly isComplete: boolean;
}

/** Maximum heights in `PersistUnits`. A chain has one persist unit per import and per rollback. */
export const MAX_PERSIST_UNITS = 64;

/**
 * Heights of a chain's persist units. A unit that left the chain can return with the same id, above other persist
 * units.
 */
export interface PersistUnits {
  /** Lowest height covered. */
  readonly from: number;
  /** Ascending, at most `MAX_PERSIST_UNITS`. */
  readonly heights: readonly number[];
}

export interface FollowedPosition extends ChainCursor {
  /** Persist units of the follower's chain; default: those of the source. */
  readonly persists?: PersistUnits | undefined;
  /** `UnitQueries.reverts` when the source's chain contained the position; default: the current value. */
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
  /** Counter that grows when units leave the chain. */
  reverts(): number;
  /** Unlike `ChainSnapshot.tip`, this may be a persist unit. */
  newest(): ChainCursor;
  /** Accounts that a unit changed, with their values after it, by address. */
  accounts(unit: ChainCursor): readonly UnitAccount[];
  /** Does not parse transactions. */
  results(unit: ChainCursor): UnitResults;
}
