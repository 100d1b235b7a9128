import type { ChainSnapshot } from "../../interfaces.ts";

/**
 * Caches a value that depends on the chain alone and takes thousands of rows to compute. Keeps the value of the newest
 * requested state.
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
