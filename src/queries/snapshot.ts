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
import type { LargestTransferQueries, RichestQueries } from "./rankings.ts";
import type { SponsorQueries } from "./sponsors.ts";
import type { StatisticsQueries } from "./statistics.ts";
import type { SuggestionQueries } from "./suggestions.ts";
import type { TransactionGroupQueries } from "./transaction-groups.ts";
import type { TransactionQueries } from "./transactions.ts";
import type { TrustQueries } from "./trust.ts";
import type { UnitQueries } from "./units.ts";

/** An operator can disable each index except `keys` and `trust`. Page 07 §4.2. */
export type IndexName =
  | "transactions"
  | "anchors"
  | "associations"
  | "identities"
  | "trust"
  | "keys"
  | "credentials"
  | "statistics"
  | "richest"
  | "largest"
  | "generators";

export interface IndexProgress {
  readonly name: IndexName;
  /** `building` from stored blocks; `clearing`: rows are removed. */
  readonly state: "ready" | "building" | "clearing" | "off";
  readonly isEnabled: boolean;
  /** Height of the last indexed block. */
  readonly height: number;
}

export interface IndexQueries {
  progress(): readonly IndexProgress[];
  /** The first index of `names` that is not ready. */
  unready(names: readonly IndexName[]): IndexProgress | undefined;
}

/**
 * A consistent view of chain, state and indexes. Heights include the liquid block (page 06 §1). For unknown addresses,
 * ids or heights, queries return zero, empty lists or undefined.
 */
export interface ChainSnapshot {
  height(): number;
  /** `height()`, or one less while the tip is liquid. */
  persistedHeight(): number;
  tip(): ChainCursor;
  /** A cache key: snapshots with the same key give the same answers. */
  state(): string;

  readonly blocks: BlockQueries;
  readonly changes: ChangeQueries;
  readonly units: UnitQueries;
  readonly transactions: TransactionQueries;
  readonly leases: LeaseQueries;
  readonly accounts: AccountQueries;
  readonly sponsors: SponsorQueries;
  readonly associations: AssociationQueries;
  readonly network: NetworkQueries;
  readonly suggestions: SuggestionQueries;
  readonly indexes: IndexQueries;

  // These queries read indexes. A disabled or incomplete index answers like an empty one.

  readonly transactionGroups: TransactionGroupQueries;
  readonly anchors: AnchorQueries;
  readonly associatedAddresses: AssociatedAddressQueries;
  readonly identities: IdentityQueries;
  readonly credentials: CredentialQueries;
  readonly trust: TrustQueries;
  readonly statistics: StatisticsQueries;
  readonly generators: GeneratorQueries;
  readonly richest: RichestQueries;
  readonly largestTransfers: LargestTransferQueries;
}

/** A snapshot is valid only while `task` runs. */
export interface ChainReader {
  /** Consecutive reads may share a snapshot, until `renew` is called. */
  read<T>(task: (chain: ChainSnapshot) => T): T;
  /** Faster way to get `ChainSnapshot.state`. */
  state?(): string;
  /** Faster way to get `ChainSnapshot.tip`. */
  tip?(): ChainCursor;
  /** Later reads include everything committed so far. */
  renew(): void;
}

/** A listener may miss commits of another thread; `changes.since` returns all changes. */
export interface ChainEvents {
  /** Snapshots that the listener reads include the commit. */
  onCommit(listener: (tip: ChainCursor) => void): () => void;
}
