/** What readers of events read of a chain, for their tests. */
import { fakeSnapshot } from "../api/testing/snapshot.ts";
import { changesSince, newestUnit, unitOf } from "../chain/reading/changes.ts";
import type { ChainReader } from "../interfaces.ts";
import { dev } from "../profiles/index.ts";
import type { Store } from "../storage/store.ts";

/** Reads a store of the development network. */
export function eventChain(store: Pick<Store, "read">): ChainReader {
  return {
    read: (reading) =>
      store.read((reader) =>
        reading(
          fakeSnapshot({
            tip: () => newestUnit(reader),
            changes: {
              since: (cursor, limit, enough) => changesSince(reader, dev, cursor, limit, enough),
              unit: (cursor) => unitOf(reader, dev, cursor),
            },
          }),
        ),
      ),
    renew: () => {},
  };
}
