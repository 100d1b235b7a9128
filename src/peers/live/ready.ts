import type { Tip } from "../../chain/reading/tip.ts";

/**
 * Whether the chain is near enough to the present for unconfirmed transactions to make sense: its newest key block is
 * young, or a micro block came not long ago. Page 04 §9.
 * @param now the clock, ms
 * @param forMs how long a block counts as young, ms; undefined: always
 */
export function isReady({ keyBlock, microBlocks }: Tip, now: number, forMs: number | undefined): boolean {
  if (forMs === undefined) return true;
  const newest = microBlocks.at(-1);
  return Number(keyBlock.timestamp) + forMs > now || (newest !== undefined && newest.arrivedAt + forMs > now);
}
