/**
 * What the rules of the ledger ask of the state, and what they write to it. Page 05 §3.
 *
 * There is one state: that of the tip, the liquid block included. What the protocol does only once a block is
 * persisted (page 05 §23.8) is written by `persistBlock`, in the commit of the child block. Every write goes through
 * the undo journal of the store, so nothing here knows how to undo anything.
 *
 * Addresses (26 bytes), transaction ids (32 bytes) and public keys are `Uint8Array`. Values handed out are read-only
 * and stay valid; values handed in are kept and must not be changed afterwards.
 */

import type { DataEntry } from "../transactions/data-entry.ts";
import type { AssociationTerms } from "../transactions/index.ts";

/** The four quantities of an account, each a signed 64-bit integer. Page 05 §3. */
export interface Account {
  readonly balance: bigint;
  readonly leaseIn: bigint;
  readonly leaseOut: bigint;
  readonly unbonding: bigint;
}

/** What an address that never occurred holds. */
export const emptyAccount: Account = { balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n };

/** A lease, by the id of the transaction that made it. */
export interface LeaseState {
  /** Bytes of the lender's public key: whoever cancels must have the same ones (the key type is not compared). */
  readonly senderKey: Uint8Array;
  readonly sender: Uint8Array;
  readonly recipient: Uint8Array;
  readonly amount: bigint;
  /** Height of the block that holds the lease transaction. */
  readonly height: number;
  readonly active: boolean;
}

/** The script of an account together with the height of its last change: a removal is an entry without a script. */
export interface ScriptState {
  /** Complete compiled bytes (version to checksum), or undefined after a removal. */
  readonly script: Uint8Array | undefined;
  /** Height of the block that set or removed it; page 05 §23.6 counts a change in the liquid block as a script. */
  readonly height: number;
}

/** An entry of account data. Page 02 §2. */
export type DataState = DataEntry;

/** One line of the unbonding schedule. */
export interface Unbonding {
  readonly address: Uint8Array;
  readonly amount: bigint;
}

/** When a feature was approved and is activated by votes; pre-activated features are settings, not state. */
export interface FeatureState {
  readonly approved: number;
  readonly activated: number;
}

/** What the newest block that names an association says of it. Page 05 §19. */
export interface AssociationState {
  /** Height of that block. */
  readonly height: number;
  /** Whether that block revokes the association, in whatever order of its transactions. */
  readonly revoked: boolean;
  /** Expiry of the last issue in that block, ms; undefined for a revocation, and for an issue that does not expire. */
  readonly expires: bigint | undefined;
}

/** An association transaction of the block at the tip. */
export interface AssociationEvent {
  readonly sender: Uint8Array;
  /** Id of the transaction. */
  readonly id: Uint8Array;
  readonly terms: AssociationTerms;
  readonly revokes: boolean;
}

/** What the rules need of a block that is already in the chain. */
export interface BlockFacts {
  /** Milliseconds. */
  readonly timestamp: bigint;
  /** Address of the generator. */
  readonly generator: Uint8Array;
  /** Feature ids the block votes for. */
  readonly features: readonly number[];
  /** Fee vote of the block, counted fully whatever its size; 0 for blocks before version 4. */
  readonly feeVote: number;
}

/** What has accumulated over the transactions of one block, its micro blocks included. */
export interface BlockTotals {
  /** Burned amount of the whole chain up to and including this block. */
  readonly burned: bigint;
  /** What the generator of the next key block gets for the transactions of this one: the closer parts. Page 05 §9.2. */
  readonly closing: bigint;
  /** Sum of the effective fees. */
  readonly fees: bigint;
  /** Burned part of the fees. */
  readonly burnedFees: bigint;
  /** Mining reward credited at the start of the block. */
  readonly miningReward: bigint;
  /** Mining reward, closing part of the parent and opener parts of this block together. Page 03 §16.7. */
  readonly generatorReward: bigint;
  /** Bytes that further transactions of this block may take. Page 05 §8.4. */
  readonly sizeLeft: number;
  /** Script runs left for further transactions, or undefined where there is no limit. */
  readonly scriptsLeft: number | undefined;
}

/** The newest inclusion of a transaction id. */
export interface KnownTransaction {
  readonly height: number;
  /** Timestamp of the transaction, not of its block. */
  readonly timestamp: bigint;
}

/** Read side of the state at the tip. */
export interface LedgerView {
  /** Height of the newest block, liquid or not; 0 for an empty chain. While a block is applied: its own height. */
  readonly height: number;
  /** Height of the newest persisted block: `height`, or `height - 1` while the tip is liquid. */
  readonly persistedHeight: number;

  /** Never undefined: `emptyAccount` for an address that never occurred. */
  account(address: Uint8Array): Account;
  lease(id: Uint8Array): LeaseState | undefined;
  script(address: Uint8Array): ScriptState | undefined;
  data(address: Uint8Array, key: string): DataState | undefined;
  /** All entries, sorted by key in UTF-16 code unit order (JavaScript's `<`). */
  dataEntries(address: Uint8Array): Iterable<DataState>;
  /** All sponsors of an account, newest first; empty when there are none. Rules use `isSponsor` and `payingSponsor`. */
  sponsors(address: Uint8Array): readonly Uint8Array[];
  /** Returns true if `sponsor` sponsors the account. */
  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean;
  /**
   * Returns the newest sponsor of an account whose spendable balance is at least `fee` units; undefined if there is none.
   * Page 05 §16.
   */
  payingSponsor(address: Uint8Array, fee: bigint): Uint8Array | undefined;
  /** DER bytes as sent, or undefined. */
  certificate(address: Uint8Array): Uint8Array | undefined;
  /** Ids of the association transactions (issues and revokes) an address sent or received, oldest first. */
  associations(address: Uint8Array, direction: AssociationDirection): Iterable<Uint8Array>;
  /**
   * Returns the state of the association of a sender with this type, recipient and subject; undefined if it was never
   * issued or revoked. Costs one look-up, however many associations the sender has.
   */
  associationState(sender: Uint8Array, terms: AssociationTerms): AssociationState | undefined;

  /**
   * The newest inclusion of an id. It must be found when it is in one of the two newest blocks or its timestamp is not
   * more than two hours before that of the newest block; older ones may be left out (page 05 §10.7).
   */
  knownTransaction(id: Uint8Array): KnownTransaction | undefined;
  /** Who was charged for the fee of a transaction in the chain when it was not its sender. */
  effectiveSponsor(id: Uint8Array): Uint8Array | undefined;

  /** Features approved by votes, by id. */
  features(): ReadonlyMap<number, FeatureState>;
  /** The fee price voted for the period that starts at this height; undefined when none was stored. */
  feePriceOfPeriod(periodStart: number): bigint | undefined;
  /** Releases due at a height. */
  unbondingDue(height: number): readonly Unbonding[];
  /** What the transactions of the block at a height put into unbonding; an account may have several lines. */
  unbondingStarted(height: number): readonly Unbonding[];
  /** Undefined above `height` and below 1. */
  blockFacts(height: number): BlockFacts | undefined;
  /** Undefined above `height` and below 1. */
  blockTotals(height: number): BlockTotals | undefined;
}

export type AssociationDirection = "outgoing" | "incoming";

/** Write side. All writes after `beginBlock(h, …)` belong to height `h`, also those of its micro blocks. */
export interface LedgerWriter extends LedgerView {
  /** Starts the block at `height`, which is `this.height + 1`; from here on `this.height === height`. */
  beginBlock(height: number, facts: BlockFacts): void;
  setPersistedHeight(height: number): void;

  setAccount(address: Uint8Array, account: Account): void;
  setLease(id: Uint8Array, lease: LeaseState): void;
  /** Sets or (undefined) removes the script of an account; the height of the change is `this.height`. */
  setScript(address: Uint8Array, script: Uint8Array | undefined): void;
  setData(address: Uint8Array, entry: DataState): void;
  /** Makes `sponsor`, which does not sponsor the account yet, its newest sponsor. */
  addSponsor(address: Uint8Array, sponsor: Uint8Array): void;
  /** Removes a sponsor of an account; the order of the others stays. */
  removeSponsor(address: Uint8Array, sponsor: Uint8Array): void;
  setCertificate(address: Uint8Array, certificate: Uint8Array | undefined): void;
  /**
   * Appends the id to the outgoing list of the sender and to the incoming list of the recipient, and sets the state of
   * the association (`associationStateAfter`).
   */
  appendAssociation(event: AssociationEvent): void;

  /**
   * The transaction is in the block at `this.height`. Called once for each transaction in block order. Replaces what an
   * earlier inclusion of the same id left: an absent `effectiveSponsor` removes that of the former.
   */
  recordTransaction(id: Uint8Array, timestamp: bigint, effectiveSponsor: Uint8Array | undefined): void;

  setFeature(id: number, state: FeatureState): void;
  setFeePriceOfPeriod(periodStart: number, price: bigint): void;
  /** Replaces the whole list; an empty list removes it. */
  setUnbondingDue(height: number, releases: readonly Unbonding[]): void;
  /** Adds what the transactions of a key block or micro block at `this.height` put into unbonding. */
  addUnbondingStarted(started: readonly Unbonding[]): void;
  setBlockTotals(height: number, totals: BlockTotals): void;
}

/** The account as it was at the end of a height. */
export interface AccountPoint {
  readonly height: number;
  readonly account: Account;
}

/** What balance questions over a range of heights need. Page 05 §21. */
export interface AccountHistory {
  /**
   * The changes of an account at heights in `from < height <= to`, newest first, then the newest one at or below
   * `from` if there is one. A height at which the account changed several times gives the state at its end.
   */
  accountPoints(address: Uint8Array, from: number, to: number): Iterable<AccountPoint>;
}
