import type { ChainTransaction, IndexName } from "../interfaces.ts";
import type { LedgerRules } from "../ledger/era.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import type { Reader } from "../storage/kv.ts";
import type { StoredLedgerView } from "../storage/ledger/ledger-view.ts";
import type { Place } from "../storage/places.ts";
import type { TrustSettings } from "./trust/settings.ts";

export interface ReaderContext {
  readonly profile: NetworkProfile;
  readonly rules: LedgerRules;
  /** True if address lists contain all types. Page 06 §7.5. */
  readonly indexAll: boolean;
  readonly trust: TrustSettings;
}

export interface QuerySource {
  readonly reader: Reader;
  readonly ledger: StoredLedgerView;
  readonly context: ReaderContext;
  /** Returns true if the index covers the whole chain. */
  isComplete(index: IndexName): boolean;
  /** Returns a reader of an index, without rows if the index is incomplete. */
  rows(index: IndexName): Reader;
  transactionAt(place: Place): ChainTransaction | undefined;
}

export abstract class Queries<Source extends QuerySource = QuerySource> {
  protected readonly source: Source;

  constructor(source: Source) {
    this.source = source;
  }
}
