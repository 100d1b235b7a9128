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

interface ObservedChain {
  readonly metrics: Metrics;
  readonly store: Store;
  readonly chain: Chain;
  readonly clock: Clock;
}

interface ObservedNode extends ObservedChain {
  readonly pool: Mempool;
  readonly forger: Forger;
  readonly settings: Pick<Settings, "pool">;
}

export function observeStoredChain({ metrics, store, chain, clock }: ObservedChain): void {
  if (metrics === noMetrics) return;
  const changes = new ChangeCounter(metrics);
  chain.onChange((change) => changes.follow(change));
  observeChain(metrics, chain, clock);
  observeIndexes(metrics, () => {
    const { states } = chain.indexing;
    return indexNames.map((name) => indexProgress(name, states.get(name), chain.tip.height));
  });
  observeStore(metrics, store, clock);
}

export function observeNode({ pool, forger, settings, ...observed }: ObservedNode): void {
  const { metrics } = observed;
  if (metrics === noMetrics) return;
  observeStoredChain(observed);
  observeForging(metrics, forger);
  observePool(metrics, pool, settings.pool);
}
