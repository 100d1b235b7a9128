import type { ChainSnapshot } from "../../interfaces.ts";

/**
 * Makes a value of the chain once for each state, however often it is asked for: for what takes thousands of rows and is
 * the same for everybody. The value of the newest state that was asked for is kept.
 * @param make is given nothing but the chain
 * @returns asks for it; `network` tells nodes in one process apart whose rules differ
 */
export function onceForState<T>(
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
