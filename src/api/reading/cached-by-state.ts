import type { ChainSnapshot } from "../../interfaces.ts";

/**
 * Caches a value that follows from the chain alone and takes thousands of rows to compute: it is computed once for each
 * state of the chain. Only the value of the newest requested state is kept.
 * @param make computes the value from the chain
 * @returns a function that returns the value; `network` keeps nodes with different rules in one process apart
 */
export function cachedByState<T>(
  make: (chain: ChainSnapshot) => T,
): (network: object, chain: ChainSnapshot) => T {
  const kept = new WeakMap<object, { readonly state: string; readonly value: T }>();
  return (network, chain) => {
    const state = chain.state();
    const known = kept.get(network);
    if (known?.state === state) return known.value;
    const value = make(chain);
    kept.set(network, { state, value });
    return value;
  };
}
