import type { ChainSnapshot } from "../../interfaces.ts";

/**
 * Caches an expensive value that depends on the chain alone, for the newest requested state.
 * @returns a function; its `network` separates nodes with different rules in one process
 */
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
