import { bytesKey } from "../bytes/compare.ts";
import { indexNames, indexQueries } from "../indexes/all.ts";
import type { ReaderContext } from "../indexes/query-source.ts";
import type { ChainCursor, ChainReader, ChainSnapshot } from "../interfaces.ts";
import type { Reader } from "../storage/kv.ts";
import { StoredAccountQueries } from "./queries/accounts.ts";
import { StoredAssociationQueries } from "./queries/associations.ts";
import { StoredBlockQueries } from "./queries/blocks.ts";
import { StoredChangeQueries } from "./queries/changes.ts";
import { StoredIndexQueries } from "./queries/indexes.ts";
import { StoredLeaseQueries } from "./queries/leases.ts";
import { StoredNetworkQueries } from "./queries/network.ts";
import { SnapshotSource } from "./queries/source.ts";
import { StoredSponsorQueries } from "./queries/sponsors.ts";
import { StoredSuggestionQueries } from "./queries/suggestions.ts";
import { StoredTransactionQueries } from "./queries/transactions.ts";
import { StoredUnitQueries } from "./queries/units.ts";
import { newestUnit } from "./reading/changes.ts";
import type { GeneratingBalanceCache } from "./reading/generating-balances.ts";

type TopicClasses = Readonly<Record<string, new (source: SnapshotSource) => object>>;
type Topics<T extends TopicClasses> = { readonly [name in keyof T]: InstanceType<T[name]> };

const topics = {
  blocks: StoredBlockQueries,
  changes: StoredChangeQueries,
  units: StoredUnitQueries,
  transactions: StoredTransactionQueries,
  leases: StoredLeaseQueries,
  accounts: StoredAccountQueries,
  sponsors: StoredSponsorQueries,
  associations: StoredAssociationQueries,
  network: StoredNetworkQueries,
  suggestions: StoredSuggestionQueries,
  indexes: StoredIndexQueries,
  ...indexQueries,
} as const satisfies TopicClasses;

/** Returns a class that creates each topic on first use. */
function topicsOf<T extends TopicClasses>(classes: T): new (source: SnapshotSource) => Topics<T> {
  class LazyTopics {
    readonly #source: SnapshotSource;
    readonly #created: object[] = [];

    constructor(source: SnapshotSource) {
      this.#source = source;
    }

    static {
      for (const [i, [name, Topic]] of Object.entries(classes).entries())
        Object.defineProperty(LazyTopics.prototype, name, {
          get(this: LazyTopics): object {
            this.#created[i] ??= new Topic(this.#source);
            return this.#created[i];
          },
        });
    }
  }
  return LazyTopics as unknown as new (
    source: SnapshotSource,
  ) => Topics<T>;
}

export class StoredSnapshot extends topicsOf(topics) implements ChainSnapshot {
  readonly #source: SnapshotSource;
  #state: string | undefined;
  #tip: ChainCursor | undefined;

  constructor(reader: Reader, context: ReaderContext, balances?: GeneratingBalanceCache) {
    const source = new SnapshotSource(reader, context, balances);
    super(source);
    this.#source = source;
  }

  height(): number {
    return this.#source.ledger.height;
  }

  persistedHeight(): number {
    return this.#source.ledger.persistedHeight;
  }

  tip(): ChainCursor {
    this.#tip ??= newestUnit(this.#source.reader);
    return this.#tip;
  }

  /** Returns a text for comparison: snapshots with equal texts give equal answers. */
  state(): string {
    if (this.#state === undefined) {
      const { height, sequence, id } = this.tip();
      const complete = indexNames.map((name) => (this.#source.isComplete(name) ? name : "")).join();
      this.#state = `${this.persistedHeight()} ${height} ${sequence} ${complete} ${bytesKey(id)}`;
    }
    return this.#state;
  }
}

export interface ReadableStore {
  read<T>(reading: (reader: Reader) => T): T;
}

/** Creates a reader of the writer's store, or of a read-only store in another thread. */
export function chainReader(store: ReadableStore, context: ReaderContext): ChainReader {
  return {
    read: (reading) => store.read((reader) => reading(new StoredSnapshot(reader, context))),
    renew: () => {},
  };
}
