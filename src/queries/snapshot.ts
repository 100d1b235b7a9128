/** One consistent view of the chain, by topic, and how to get at one. */
import type { AccountQueries } from "./accounts.ts";
import type { AnchorQueries } from "./anchors.ts";
import type { AssociatedAddressQueries } from "./associated-addresses.ts";
import type { AssociationQueries } from "./associations.ts";
import type { BlockQueries } from "./blocks.ts";
import type { ChainCursor, ChangeQueries } from "./changes.ts";
import type { CredentialQueries } from "./credentials.ts";
import type { GeneratorQueries } from "./generators.ts";
import type { IdentityQueries } from "./identities.ts";
import type { LeaseQueries } from "./leases.ts";
import type { NetworkQueries } from "./network.ts";
import type { SponsorQueries } from "./sponsors.ts";
import type { StatisticsQueries } from "./statistics.ts";
import type { TransactionGroupQueries } from "./transaction-groups.ts";
import type { TransactionQueries } from "./transactions.ts";
import type { TrustQueries } from "./trust.ts";

/**
 * The indexes beside the lists that routes of the node read. An operator may switch them (page 07 §4.2), but for `keys`
 * and `trust`.
 */
export type IndexName =
  | "transactions"
  | "anchors"
  | "associations"
  | "identities"
  | "trust"
  | "keys"
  | "credentials"
  | "statistics"
  | "generators";

/** How far an index is. */
export interface IndexProgress {
  readonly name: IndexName;
  /**
   * `ready`: it holds what the chain says; `building`: it is being made from the stored blocks; `clearing`: what it held
   * is removed, because it was switched off or has to be made anew; `off`.
   */
  readonly state: "ready" | "building" | "clearing" | "off";
  /** Whether it will be ready in the end: not when it was switched off. */
  readonly wanted: boolean;
  /** Height up to which it is made. */
  readonly height: number;
}

export interface IndexQueries {
  /** How far each index is. */
  progress(): readonly IndexProgress[];
  /** The first of these that is switched on and does not hold all of the chain yet. */
  unready(names: readonly IndexName[]): IndexProgress | undefined;
}

/**
 * One consistent view of chain, state and indexes. "Height" counts the liquid block (page 06 §1).
 * Nothing here throws for unknown addresses, ids or heights: the answer is zero, empty or undefined.
 */
export interface ChainSnapshot {
  height(): number;
  /** Height of the last persisted block: `height()`, or one less while the tip is liquid. */
  persistedHeight(): number;
  /** The newest unit of the chain. */
  tip(): ChainCursor;
  /**
   * A name of the whole state: snapshots with the same name answer alike, whatever happened in between. What is made
   * from a snapshot may be kept under it.
   */
  state(): string;

  readonly blocks: BlockQueries;
  readonly changes: ChangeQueries;
  readonly transactions: TransactionQueries;
  readonly leases: LeaseQueries;
  readonly accounts: AccountQueries;
  readonly sponsors: SponsorQueries;
  readonly associations: AssociationQueries;
  readonly network: NetworkQueries;
  readonly indexes: IndexQueries;

  // Of indexes: one that is switched off, or does not hold all of the chain yet, answers as if it had found nothing.

  readonly transactionGroups: TransactionGroupQueries;
  readonly anchors: AnchorQueries;
  readonly associatedAddresses: AssociatedAddressQueries;
  readonly identities: IdentityQueries;
  readonly credentials: CredentialQueries;
  readonly trust: TrustQueries;
  readonly statistics: StatisticsQueries;
  readonly generators: GeneratorQueries;
}

/** Reads the chain. A snapshot is open only while `read` runs: keep nothing of it. */
export interface ChainReader {
  /** Reads that follow each other at once may see the same state; none is older than that of the last `renew`. */
  read<T>(reading: (chain: ChainSnapshot) => T): T;
  /** What is read from now on was committed by now, at least. */
  renew(): void;
}

/**
 * Tells that the chain changed, in this thread or in another one than the writer's. A snapshot says what changed
 * (`changes.since`): a listener that misses a call, or was away, loses nothing.
 */
export interface ChainEvents {
  /**
   * Calls `listener` after each commit, with the newest unit. A snapshot that is taken then holds it, or a later one.
   * @returns how to stop it
   */
  onCommit(listener: (tip: ChainCursor) => void): () => void;
}
