import { fakeSnapshot } from "../api/testing/snapshot.ts";
import { changesSince, newestUnit, unitOf } from "../chain/reading/changes.ts";
import type { ChainReader } from "../interfaces.ts";
import { dev } from "../profiles/index.ts";
import type { Store } from "../storage/store.ts";

/** Returns a chain reader for event readers over a store of the dev network. */
export function eventChain(store: Pick<Store, "read">): ChainReader {
  return {
    read: (reading) =>
      store.read((reader) =>
        reading(
          fakeSnapshot({
            tip: () => newestUnit(reader),
            changes: {
              since: (...args) => changesSince(reader, dev, ...args),
              unit: (cursor) => unitOf(reader, dev, cursor),
            },
          }),
        ),
      ),
    renew: () => {},
  };
}
