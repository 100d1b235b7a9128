import type { Tip } from "../../chain/reading/tip.ts";

/**
 * Returns true if the chain is up to date enough for unconfirmed transactions: its newest key block is young, or a
 * micro block came recently. Page 04 §9.
 * @param now the clock, ms
 * @param forMs how long a block counts as young, ms; undefined: always
 */
export function isReady({ keyBlock, microBlocks }: Tip, now: number, forMs: number | undefined): boolean {
  if (forMs === undefined) return true;
  const newest = microBlocks.at(-1);
  return Number(keyBlock.timestamp) + forMs > now || (newest !== undefined && newest.arrivedAt + forMs > now);
}
