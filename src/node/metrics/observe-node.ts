import type { Chain } from "../../chain/chain.ts";
import { ChangeCounter, observeChain } from "../../chain/metrics.ts";
import { indexProgress } from "../../chain/reading/index-states.ts";
import type { Settings } from "../../config/settings.ts";
import type { Forger } from "../../forging/forger.ts";
import { observeForging } from "../../forging/metrics.ts";
import { indexNames } from "../../indexes/all.ts";
import { observeIndexes } from "../../indexes/metrics.ts";
import type { Clock } from "../../interfaces.ts";
import type { Mempool } from "../../mempool/mempool.ts";
import { observePool } from "../../mempool/metrics.ts";
import { type Metrics, noMetrics } from "../../runtime/metrics.ts";
import { observeStore } from "../../storage/metrics.ts";
import type { Store } from "../../storage/store.ts";

interface ObservedNode {
  readonly metrics: Metrics;
  readonly store: Store;
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly forger: Forger;
  readonly clock: Clock;
  readonly settings: Pick<Settings, "pool">;
}

/** Observes the parts of a node and the changes of its chain; does nothing if metrics are off. */
export function observeNode({ metrics, store, chain, pool, forger, clock, settings }: ObservedNode): void {
  if (metrics === noMetrics) return;
  const changes = new ChangeCounter(metrics, chain.tip);
  chain.onChange((change) => changes.follow(change));
  observeChain(metrics, chain, clock);
  observeForging(metrics, forger);
  observePool(metrics, pool, settings.pool);
  observeIndexes(metrics, () => {
    const { states } = chain.indexing;
    return indexNames.map((name) => indexProgress(name, states.get(name), chain.tip.height));
  });
  observeStore(metrics, store, clock);
}
