/** What the queries of a snapshot read. */
import type { ChainTransaction, IndexName, LeafProof } from "../interfaces.ts";
import type { LedgerRules } from "../ledger/era.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import type { Reader } from "../storage/kv.ts";
import type { StoredLedgerView } from "../storage/ledger/ledger-view.ts";
import type { Place } from "../storage/places.ts";
import type { TrustSettings } from "./trust/settings.ts";

/** What answers depend on beside the chain. */
export interface ReaderContext {
  readonly profile: NetworkProfile;
  readonly rules: LedgerRules;
  /** Whether the list of an address has transactions of all types. Page 06 §7.5. */
  readonly indexAll: boolean;
  readonly trust: TrustSettings;
  /** Looks a hash up among the leaves of this node's trees; by default it has none. */
  readonly leaves?: ((hash: Uint8Array) => LeafProof | undefined) | undefined;
}

/** One state of the chain. */
export interface QuerySource {
  readonly reader: Reader;
  readonly ledger: StoredLedgerView;
  readonly context: ReaderContext;
  /** Returns true if an index holds all of the chain. */
  holds(index: IndexName): boolean;
  /** The tables as the queries of an index see them: without any row as long as it does not hold all of the chain. */
  rows(index: IndexName): Reader;
  /** The transaction at a place, with what its block did with it. */
  transactionAt(place: Place): ChainTransaction | undefined;
}

/** The queries of a topic. They are made when a snapshot is first asked about it. */
export abstract class Queries<Source extends QuerySource = QuerySource> {
  protected readonly source: Source;

  constructor(source: Source) {
    this.source = source;
  }
}
