import { GeneratingBalanceCache } from "../../chain/reading/generating-balances.ts";
import { StoredSnapshot } from "../../chain/snapshot.ts";
import type { ReaderContext } from "../../indexes/query-source.ts";
import type { ChainReader } from "../../interfaces.ts";
import type { Snapshot, Store } from "../../storage/store.ts";

/**
 * Reads in one turn of the event loop share a snapshot, which costs as much as a request. The end of the turn, or
 * `renew`, releases it.
 */
export function tickReader(store: Pick<Store, "snapshot" | "commits">, context: ReaderContext): ChainReader {
  let open: { readonly snapshot: Snapshot; readonly chain: StoredSnapshot } | undefined;
  const balances = new GeneratingBalanceCache();
  let activeReads = 0;
  /** State of the chain, read when the store had this number of commits. */
  let known: { readonly commits: bigint; readonly state: string } | undefined;
  const renew = (): void => {
    if (activeReads > 0) return;
    open?.snapshot.close();
    open = undefined;
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
    state() {
      if (open !== undefined) return open.chain.state();
      // Count first: a commit in between makes the next call read again.
      const commits = store.commits?.count;
      if (commits !== undefined && known?.commits === commits) return known.state;
      const state = reader.read((chain) => chain.state());
      known = commits === undefined ? undefined : { commits, state };
      return state;
    },
    renew,
  };
  return reader;
}
