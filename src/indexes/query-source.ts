import type { ChainTransaction, IndexName, LeafProof } from "../interfaces.ts";
import type { LedgerRules } from "../ledger/era.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import type { Reader } from "../storage/kv.ts";
import type { StoredLedgerView } from "../storage/ledger/ledger-view.ts";
import type { Place } from "../storage/places.ts";
import type { TrustSettings } from "./trust/settings.ts";

/** What answers depend on apart from the chain. */
export interface ReaderContext {
  readonly profile: NetworkProfile;
  readonly rules: LedgerRules;
  /** Whether address lists contain transactions of all types. Page 06 §7.5. */
  readonly indexAll: boolean;
  readonly trust: TrustSettings;
  /** Finds a hash among the leaves of this node's trees, if it has any. */
  readonly leaves?: ((hash: Uint8Array) => LeafProof | undefined) | undefined;
}

export interface QuerySource {
  readonly reader: Reader;
  readonly ledger: StoredLedgerView;
  readonly context: ReaderContext;
  /** Returns true if an index covers the whole chain. */
  holds(index: IndexName): boolean;
  /** Returns the tables of an index; they are empty until the index covers the whole chain. */
  rows(index: IndexName): Reader;
  /** Returns the transaction at a place, with its effective fee and sponsor. */
  transactionAt(place: Place): ChainTransaction | undefined;
}

/** The queries of a topic, created when a snapshot is first asked about it. */
export abstract class Queries<Source extends QuerySource = QuerySource> {
  protected readonly source: Source;

  constructor(source: Source) {
    this.source = source;
  }
}
