import { GeneratingBalanceCache } from "../../chain/reading/generating-balances.ts";
import { StoredSnapshot } from "../../chain/snapshot.ts";
import type { ReaderContext } from "../../indexes/query-source.ts";
import type { ChainReader } from "../../interfaces.ts";
import type { Snapshot, Store } from "../../storage/store.ts";

/**
 * Reads the chain of a store, all reads of one turn of the event loop from one snapshot: opening one costs the HTTP
 * thread as much as answering a request. It is given back at the end of the turn, or by `renew`.
 */
export function tickReader(store: Pick<Store, "snapshot">, context: ReaderContext): ChainReader {
  let open: { readonly snapshot: Snapshot; readonly chain: StoredSnapshot } | undefined;
  const balances = new GeneratingBalanceCache();
  let reading = 0;
  const renew = (): void => {
    // Nobody takes a snapshot away from under a reader.
    if (reading > 0) return;
    open?.snapshot.close();
    open = undefined;
  };
  return {
    read(task) {
      if (open === undefined) {
        const snapshot = store.snapshot();
        open = { snapshot, chain: new StoredSnapshot(snapshot, context, balances) };
        setImmediate(renew);
      }
      reading++;
      try {
        return task(open.chain);
      } finally {
        reading--;
      }
    },
    renew,
  };
}
