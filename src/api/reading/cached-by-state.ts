import type { ChainSnapshot } from "../../interfaces.ts";

/** Caches the newest value of each network until the chain changes. */
export function cachedByState<T>(
  compute: (chain: ChainSnapshot) => T,
): (network: object, chain: ChainSnapshot) => T {
  const cache = new WeakMap<object, { readonly state: string; readonly value: T }>();
  return (network, chain) => {
    const state = chain.state();
    const cached = cache.get(network);
    if (cached?.state === state) return cached.value;
    const value = compute(chain);
    cache.set(network, { state, value });
    return value;
  };
}
