import { allIndexes } from "../../indexes/all.ts";
import type { Store } from "../../storage/store.ts";
import { forgedProfile, forgedTrust } from "../../testing/forged-chain.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { Chain } from "../chain.ts";

/** Opens the chain of `forgeBlocks` with all indexes. */
export function openForgedChain(store: Store): Chain {
  return Chain.open({
    store,
    profile: forgedProfile,
    indexes: allIndexes({ trust: forgedTrust }),
    clock: new VirtualClock(0),
    log: silentLog,
    options: { stopOnUnsupportedFeature: true },
  });
}
