import type { ChainTransaction, IndexName, LeafProof } from "../interfaces.ts";
import type { LedgerRules } from "../ledger/era.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import type { Reader } from "../storage/kv.ts";
import type { StoredLedgerView } from "../storage/ledger/ledger-view.ts";
import type { Place } from "../storage/places.ts";
import type { TrustSettings } from "./trust/settings.ts";

/** Data besides the chain that answers depend on. */
export interface ReaderContext {
  readonly profile: NetworkProfile;
  readonly rules: LedgerRules;
  /** True if address lists contain all transaction types. Page 06 §7.5. */
  readonly indexAll: boolean;
  readonly trust: TrustSettings;
  /** Finds a hash among the leaves of this node's trees. */
  readonly leaves?: ((hash: Uint8Array) => LeafProof | undefined) | undefined;
}

export interface QuerySource {
  readonly reader: Reader;
  readonly ledger: StoredLedgerView;
  readonly context: ReaderContext;
  /** True if an index covers the whole chain. */
  holds(index: IndexName): boolean;
  /** Returns an index's tables, empty until it covers the whole chain. */
  rows(index: IndexName): Reader;
  transactionAt(place: Place): ChainTransaction | undefined;
}

/** Queries of a topic, created when a snapshot first needs them. */
export abstract class Queries<Source extends QuerySource = QuerySource> {
  protected readonly source: Source;

  constructor(source: Source) {
    this.source = source;
  }
}
