/**
 * The state as the rules of the ledger read and write it. Page 05 §3.
 *
 * There is one state: that of the tip, including the liquid block. `persistBlock` writes what the protocol does
 * once a block is persisted (page 05 §23.8), in the commit of the child block. Every write goes through the undo
 * journal of the store, so nothing here undoes anything.
 *
 * Addresses (26 bytes), transaction ids (32 bytes) and public keys are `Uint8Array`. Returned values are read-only
 * and stay valid; arguments are kept and must not be changed afterwards.
 */

import type { DataEntry } from "../transactions/data-entry.ts";
import type { AssociationTerms } from "../transactions/index.ts";

/** The four amounts of an account, each a signed 64-bit integer. Page 05 §3. */
export interface Account {
  readonly balance: bigint;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  readonly unbonding: bigint;
}

export const emptyAccount: Account = { balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n };

export interface LeaseState {
  /** Public key of the lender: cancelling requires the same bytes (the key type is not compared). */
  readonly senderKey: Uint8Array;
  readonly sender: Uint8Array;
  readonly recipient: Uint8Array;
  readonly amount: bigint;
  readonly height: number;
  readonly active: boolean;
}

/** The script of an account and the height of its last change. A removal is an entry without a script. */
export interface ScriptState {
  /** Complete compiled bytes (version to checksum); undefined after a removal. */
  readonly script: Uint8Array | undefined;
  /** Height of the last change. A change in the liquid block counts as a script (page 05 §23.6). */
  readonly height: number;
}

export type DataState = DataEntry;

export interface Unbonding {
  readonly address: Uint8Array;
  readonly amount: bigint;
}

/** Approval and activation of a feature by votes; pre-activated features are settings, not state. */
export interface FeatureState {
  readonly approved: number;
  readonly activated: number;
}

/** The state of an association after the newest block that names it. Page 05 §19. */
export interface AssociationState {
  readonly height: number;
  /** Whether that block revokes the association, at any position. */
  readonly revoked: boolean;
  /** Expiry of the last issue in that block, ms; undefined for a revocation or an issue without expiry. */
  readonly expires: bigint | undefined;
}

export interface AssociationEvent {
  readonly sender: Uint8Array;
  readonly id: Uint8Array;
  readonly terms: AssociationTerms;
  readonly revokes: boolean;
}

export interface BlockFacts {
  /** Milliseconds. */
  readonly timestamp: bigint;
  readonly generator: Uint8Array;
  /** Feature ids that the block votes for. */
  readonly features: readonly number[];
  /** Fee vote of the block, regardless of its size; 0 before block version 4. */
  readonly feeVote: number;
}

/** Totals of one block, micro blocks included. */
export interface BlockTotals {
  /** Burned amount of the whole chain, including this block. */
  readonly burned: bigint;
  /** Part of this block's fees that the generator of the next key block gets (closer parts). Page 05 §9.2. */
  readonly closing: bigint;
  readonly fees: bigint;
  readonly burnedFees: bigint;
  /** Mining reward, credited at the start of the block. */
  readonly miningReward: bigint;
  /** Mining reward, closing part of the parent and opener parts of this block. Page 03 §16.7. */
  readonly generatorReward: bigint;
  /** Bytes left for further transactions. Page 05 §8.4. */
  readonly sizeLeft: number;
  /** Script runs left for further transactions; undefined for no limit. */
  readonly scriptsLeft: number | undefined;
}

export interface KnownTransaction {
  readonly height: number;
  /** Timestamp of the transaction, not of its block. */
  readonly timestamp: bigint;
}

/** Read access to the state at the tip. */
export interface LedgerView {
  /** Height of the newest block, liquid or not; 0 for an empty chain. While a block is applied: its height. */
  readonly height: number;
  /** Height of the newest persisted block: `height`, or `height - 1` while the tip is liquid. */
  readonly persistedHeight: number;

  /** `emptyAccount` for an address that never occurred. */
  account(address: Uint8Array): Account;
  lease(id: Uint8Array): LeaseState | undefined;
  script(address: Uint8Array): ScriptState | undefined;
  data(address: Uint8Array, key: string): DataState | undefined;
  /** All entries, sorted by UTF-16 code units of the key (JavaScript's `<`). */
  dataEntries(address: Uint8Array): Iterable<DataState>;
  /** All sponsors, newest first. Rules use `isSponsor` and `payingSponsor`. */
  sponsors(address: Uint8Array): readonly Uint8Array[];
  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean;
  /** Returns the newest sponsor with a spendable balance of at least `fee` units, if any. Page 05 §16. */
  payingSponsor(address: Uint8Array, fee: bigint): Uint8Array | undefined;
  /** DER bytes as sent, or undefined. */
  certificate(address: Uint8Array): Uint8Array | undefined;
  /** Ids of the association transactions (issues and revocations) that an address sent or received, oldest first. */
  associations(address: Uint8Array, direction: AssociationDirection): Iterable<Uint8Array>;
  /**
   * Returns the state of an association; undefined if it was never issued or revoked. Costs one lookup, however
   * many associations the sender has.
   */
  associationState(sender: Uint8Array, terms: AssociationTerms): AssociationState | undefined;

  /**
   * Returns the newest inclusion of an id. Ids must be found if they are in the two newest blocks, or if the
   * transaction is at most two hours older than the newest block; older ones may be missing (page 05 §10.7).
   */
  knownTransaction(id: Uint8Array): KnownTransaction | undefined;
  /** The payer of a transaction's fee, if not its sender. */
  effectiveSponsor(id: Uint8Array): Uint8Array | undefined;

  features(): ReadonlyMap<number, FeatureState>;
  /** The fee price voted for the period that starts at this height, if any. */
  feePriceOfPeriod(periodStart: number): bigint | undefined;
  unbondingDue(height: number): readonly Unbonding[];
  /** Amounts that the block at a height put into unbonding; an account may occur several times. */
  unbondingStarted(height: number): readonly Unbonding[];
  /** Undefined above `height` and below 1. */
  blockFacts(height: number): BlockFacts | undefined;
  /** Undefined above `height` and below 1. */
  blockTotals(height: number): BlockTotals | undefined;
}

export type AssociationDirection = "outgoing" | "incoming";

/** Write access. All writes after `beginBlock(h, …)` belong to height `h`, including those of micro blocks. */
export interface LedgerWriter extends LedgerView {
  /** Begins the block at `height`, which must be `this.height + 1` and becomes `this.height`. */
  beginBlock(height: number, facts: BlockFacts): void;
  setPersistedHeight(height: number): void;

  setAccount(address: Uint8Array, account: Account): void;
  setLease(id: Uint8Array, lease: LeaseState): void;
  /** Sets the script of an account, or removes it (undefined), at `this.height`. */
  setScript(address: Uint8Array, script: Uint8Array | undefined): void;
  setData(address: Uint8Array, entry: DataState): void;
  /** Makes `sponsor`, which does not sponsor the account yet, its newest sponsor. */
  addSponsor(address: Uint8Array, sponsor: Uint8Array): void;
  /** Removes a sponsor of an account; keeps the order of the others. */
  removeSponsor(address: Uint8Array, sponsor: Uint8Array): void;
  setCertificate(address: Uint8Array, certificate: Uint8Array | undefined): void;
  /**
   * Adds the id to the lists of sender and recipient, and updates the state of the association
   * (`associationStateAfter`).
   */
  appendAssociation(event: AssociationEvent): void;

  /**
   * Records a transaction of the block at `this.height`, in block order. Replaces the record of an earlier
   * inclusion of the id, including its `effectiveSponsor`.
   */
  recordTransaction(id: Uint8Array, timestamp: bigint, effectiveSponsor: Uint8Array | undefined): void;

  setFeature(id: number, state: FeatureState): void;
  setFeePriceOfPeriod(periodStart: number, price: bigint): void;
  /** Replaces the whole list; an empty list removes it. */
  setUnbondingDue(height: number, releases: readonly Unbonding[]): void;
  /** Adds amounts that a unit at `this.height` put into unbonding. */
  addUnbondingStarted(started: readonly Unbonding[]): void;
  setBlockTotals(height: number, totals: BlockTotals): void;
}

export interface AccountPoint {
  readonly height: number;
  readonly account: Account;
}

/** History for balances over ranges of heights. Page 05 §21. */
export interface AccountHistory {
  /**
   * Yields the changes of an account at heights in `from < height <= to`, newest first, then the newest one at or
   * below `from`, if any. Each height gives the account at its end.
   */
  accountPoints(address: Uint8Array, from: number, to: number): Iterable<AccountPoint>;
}
