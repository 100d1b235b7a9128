import { GeneratingBalanceCache } from "../../chain/reading/generating-balances.ts";
import { StoredSnapshot } from "../../chain/snapshot.ts";
import type { ReaderContext } from "../../indexes/query-source.ts";
import type { ChainCursor, ChainReader } from "../../interfaces.ts";
import type { Snapshot, Store } from "../../storage/store.ts";

interface NewestUnit {
  /** `ChainSnapshot.state`. */
  readonly state: string;
  readonly tip: ChainCursor;
}

/** Returns a reader whose reads share a snapshot within one turn of the event loop. */
export function tickReader(store: Pick<Store, "snapshot" | "commits">, context: ReaderContext): ChainReader {
  let open: { readonly snapshot: Snapshot; readonly chain: StoredSnapshot } | undefined;
  const balances = new GeneratingBalanceCache();
  let activeReads = 0;
  /** Valid while the store has this number of commits. */
  let cached: (NewestUnit & { readonly commits: bigint }) | undefined;
  const renew = (): void => {
    if (activeReads > 0) return;
    open?.snapshot.close();
    open = undefined;
  };
  const newest = (): NewestUnit => {
    // Get the count first: after a commit in between, the next call reads again.
    const commits = store.commits?.count;
    if (commits !== undefined && cached?.commits === commits) return cached;
    const read = reader.read((chain) => ({ state: chain.state(), tip: chain.tip() }));
    cached = commits === undefined ? undefined : { commits, ...read };
    return read;
  };
  const reader: ChainReader = {
    read(task) {
      if (open === undefined) {
        const snapshot = store.snapshot();
        open = { snapshot, chain: new StoredSnapshot(snapshot, context, balances) };
        setImmediate(renew);
      }
      activeReads++;
      try {
        return task(open.chain);
      } finally {
        activeReads--;
      }
    },
    state: () => open?.chain.state() ?? newest().state,
    tip: () => open?.chain.tip() ?? newest().tip,
    renew,
  };
  return reader;
}
