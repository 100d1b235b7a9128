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

/** An operator can disable them (page 07 §4.2), except `keys` and `trust`. */
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

export interface IndexProgress {
  readonly name: IndexName;
  /**
   * `building`: from the stored blocks; `clearing`: rows are being removed, because it was disabled or must be
   * rebuilt.
   */
  readonly state: "ready" | "building" | "clearing" | "off";
  /** False if it was disabled. */
  readonly wanted: boolean;
  /** Height up to which it is built. */
  readonly height: number;
}

export interface IndexQueries {
  progress(): readonly IndexProgress[];
  /** The first index that is enabled and not complete. */
  unready(names: readonly IndexName[]): IndexProgress | undefined;
}

/**
 * A consistent view of chain, state and indexes. "Height" counts the liquid block (page 06 §1). Unknown addresses,
 * ids or heights give zero, empty or undefined, never an error.
 */
export interface ChainSnapshot {
  height(): number;
  /** Height of the last persisted block: `height()`, or one less while the tip is liquid. */
  persistedHeight(): number;
  tip(): ChainCursor;
  /** Identifies the whole state: a cache key for values computed from a snapshot. */
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

  // From indexes, which answer as if they were empty while disabled or incomplete.

  readonly transactionGroups: TransactionGroupQueries;
  readonly anchors: AnchorQueries;
  readonly associatedAddresses: AssociatedAddressQueries;
  readonly identities: IdentityQueries;
  readonly credentials: CredentialQueries;
  readonly trust: TrustQueries;
  readonly statistics: StatisticsQueries;
  readonly generators: GeneratorQueries;
}

/** Reads the chain. A snapshot is valid only while `read` runs: keep nothing of it. */
export interface ChainReader {
  /** Consecutive reads may share a snapshot, but none older than the last `renew`. */
  read<T>(reading: (chain: ChainSnapshot) => T): T;
  /** From now on, reads include everything committed so far. */
  renew(): void;
}

/**
 * Announces commits, in the writer's thread or another one. A listener may miss calls: `changes.since` returns what
 * changed.
 */
export interface ChainEvents {
  /**
   * Calls `listener` after each commit. Snapshots taken then include it.
   * @returns unsubscribes
   */
  onCommit(listener: (tip: ChainCursor) => void): () => void;
}
