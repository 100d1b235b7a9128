/**
 * The state that ledger rules read and write. Page 05 §3.
 *
 * There is one state: at the tip, including the liquid block. `persistBlock` applies the effects of persistence (page
 * 05 §23.8) in the commit of the child block.
 *
 * Addresses (26 bytes), transaction ids (32 bytes) and public keys are `Uint8Array`. Returned values are read-only and
 * stay valid. Arguments are stored without a copy and must not change afterwards.
 */

import type { DataEntry } from "../transactions/data-entry.ts";
import type { AssociationTerms } from "../transactions/index.ts";

/** Signed 64-bit amounts. Page 05 §3. */
export interface Account {
  readonly balance: bigint;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  readonly unbonding: bigint;
}

export const emptyAccount: Account = { balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n };

export interface LeaseState {
  /** Public key of the lender, without its type. */
  readonly senderKey: Uint8Array;
  readonly sender: Uint8Array;
  readonly recipient: Uint8Array;
  readonly amount: bigint;
  readonly height: number;
  readonly active: boolean;
}

/** The entry remains after the script's removal. */
export interface ScriptState {
  /** Complete compiled bytes; undefined after a removal. */
  readonly script: Uint8Array | undefined;
  /** Height of the last change. Until its block is final, the account counts as scripted (page 05 §23.6). */
  readonly height: number;
}

export type DataState = DataEntry;

export interface Unbonding {
  readonly address: Uint8Array;
  readonly amount: bigint;
}

/** Heights of the approval and activation. Pre-activated features are settings, not state. */
export interface FeatureState {
  readonly approved: number;
  readonly activated: number;
}

/** State of an association after the newest block that issues or revokes it. Page 05 §19. */
export interface AssociationState {
  readonly height: number;
  readonly revoked: boolean;
  /** Expiry in that block's last issue, ms since 1970; undefined if revoked or without expiry. */
  readonly expires: bigint | undefined;
}

export interface AssociationEvent {
  readonly sender: Uint8Array;
  readonly id: Uint8Array;
  readonly terms: AssociationTerms;
  readonly revokes: boolean;
}

export interface BlockFacts {
  /** In ms since 1970. */
  readonly timestamp: bigint;
  readonly generator: Uint8Array;
  /** Feature ids that the block votes for. */
  readonly features: readonly number[];
  /** Signed vote on the fee price. Values outside -1 to 1 count in full. 0 before block version 4. */
  readonly feeVote: number;
}

/** Amounts are in units and include micro blocks. */
export interface BlockTotals {
  /** Burned by the chain up to this block, minus all mining rewards. */
  readonly burned: bigint;
  /** Fees for the generator of the next key block (closer parts). Page 05 §9.2. */
  readonly closing: bigint;
  readonly fees: bigint;
  readonly burnedFees: bigint;
  /** Credited at the start of the block. */
  readonly miningReward: bigint;
  /** Mining reward, closing part of the parent and opener parts of this block. Page 03 §16.7. */
  readonly generatorReward: bigint;
  /** Bytes left for transactions. Page 05 §8.4. */
  readonly sizeLeft: number;
  /** Script runs left; undefined if there is no limit. */
  readonly scriptsLeft: number | undefined;
}

export interface KnownTransaction {
  readonly height: number;
  /** Timestamp of the transaction, not of its block, ms. */
  readonly timestamp: bigint;
}

export interface LedgerView {
  /** Of the newest block, or of the block that is being applied; 0 for an empty chain. */
  readonly height: number;
  /** Equal to `height`, or `height - 1` while the tip is liquid. */
  readonly persistedHeight: number;

  /** `emptyAccount` for an address that never occurred. */
  account(address: Uint8Array): Account;
  lease(id: Uint8Array): LeaseState | undefined;
  script(address: Uint8Array): ScriptState | undefined;
  data(address: Uint8Array, key: string): DataState | undefined;
  /** Sorted by UTF-16 code units of the key (JavaScript's `<`). */
  dataEntries(address: Uint8Array): Iterable<DataState>;
  /** Newest first. */
  sponsors(address: Uint8Array): readonly Uint8Array[];
  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean;
  /** The newest sponsor whose spendable balance covers `fee` units. Page 05 §16. */
  payingSponsor(address: Uint8Array, fee: bigint): Uint8Array | undefined;
  /** DER bytes as in the transaction. */
  certificate(address: Uint8Array): Uint8Array | undefined;
  /** Ids of issues and revocations, oldest first. */
  associations(address: Uint8Array, direction: AssociationDirection): Iterable<Uint8Array>;
  /** Undefined if it was neither issued nor revoked. Costs one lookup. */
  associationState(sender: Uint8Array, terms: AssociationTerms): AssociationState | undefined;

  /**
   * The newest inclusion of an id. Must find ids of the two newest blocks, and of transactions at most two hours older
   * than the newest block (page 05 §10.7).
   */
  knownTransaction(id: Uint8Array): KnownTransaction | undefined;
  /** Payer of a transaction's fee; undefined if the sender paid. */
  effectiveSponsor(id: Uint8Array): Uint8Array | undefined;

  features(): ReadonlyMap<number, FeatureState>;
  /** Units per fee point; undefined if no votes decided the price. */
  feePriceOfPeriod(periodStart: number): bigint | undefined;
  /** Amounts to release when the block at `height` is persisted. */
  unbondingDue(height: number): readonly Unbonding[];
  /** Amounts of leases that ended at a height. An account may occur several times. */
  unbondingStarted(height: number): readonly Unbonding[];
  /** Undefined above `height` and below 1. */
  blockFacts(height: number): BlockFacts | undefined;
  blockTotals(height: number): BlockTotals | undefined;
}

export type AssociationDirection = "outgoing" | "incoming";

/** All writes after `beginBlock(h, …)` belong to height `h`, including those of micro blocks. */
export interface LedgerWriter extends LedgerView {
  /** Starts the block at `height`, which must be `this.height + 1` and becomes `this.height`. */
  beginBlock(height: number, facts: BlockFacts): void;
  setPersistedHeight(height: number): void;

  setAccount(address: Uint8Array, account: Account): void;
  setLease(id: Uint8Array, lease: LeaseState): void;
  /** Undefined removes the script. */
  setScript(address: Uint8Array, script: Uint8Array | undefined): void;
  setData(address: Uint8Array, entry: DataState): void;
  /** The new sponsor becomes the newest; it must not sponsor the account yet. */
  addSponsor(address: Uint8Array, sponsor: Uint8Array): void;
  /** Other sponsors keep their order. */
  removeSponsor(address: Uint8Array, sponsor: Uint8Array): void;
  setCertificate(address: Uint8Array, certificate: Uint8Array | undefined): void;
  /** Lists the id for sender and recipient, and updates the association's state (`associationStateAfter`). */
  appendAssociation(event: AssociationEvent): void;

  /** Replaces an earlier record of the id. */
  recordTransaction(id: Uint8Array, timestamp: bigint, effectiveSponsor: Uint8Array | undefined): void;

  setFeature(id: number, state: FeatureState): void;
  setFeePriceOfPeriod(periodStart: number, price: bigint): void;
  /** An empty list removes the list of `height`. */
  setUnbondingDue(height: number, releases: readonly Unbonding[]): void;
  addUnbondingStarted(started: readonly Unbonding[]): void;
  setBlockTotals(height: number, totals: BlockTotals): void;
}

/** An account after the block at `height`. */
export interface AccountPoint {
  readonly height: number;
  readonly account: Account;
}

export interface AccountHistory {
  /**
   * Changes at heights in `from < height <= to`, newest first, then the newest change at or below `from`, if any. Page
   * 05 §21.
   */
  accountPoints(address: Uint8Array, from: number, to: number): Iterable<AccountPoint>;
}
