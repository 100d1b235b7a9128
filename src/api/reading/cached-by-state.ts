import type { ChainSnapshot } from "../../interfaces.ts";

/** Returns a function that computes its value once for each state of the chain, and caches one value per network. */
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
