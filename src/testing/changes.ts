/** Changes of a chain, for tests. */
import { bytesKey } from "../bytes/compare.ts";
import type { Chain, ChainChange } from "../chain/chain.ts";
import type { UnitChanges } from "../interfaces.ts";
import type { Transaction } from "../transactions/index.ts";

/** Records every change of a chain from now on, oldest first. */
export function recordChanges(chain: Chain): ChainChange[] {
  const changes: ChainChange[] = [];
  chain.onChange((change) => changes.push(change));
  return changes;
}

/** Returns the transactions that left the chain for good, in the order of the chain. */
export function revertedTransactions({ reverted, committed }: UnitChanges): Transaction[] {
  const here = new Set(committed.flatMap(({ transactions }) => transactions.map(({ id }) => bytesKey(id))));
  return [...reverted]
    .reverse()
    .flatMap(({ transactions }) => transactions)
    .filter(({ id }) => !here.has(bytesKey(id)))
    .map(({ transaction }) => transaction);
}

/** Returns the ids of blocks that left the chain, oldest first; for a liquid block the id of its newest total. */
export function revertedBlocks({ reverted }: Pick<UnitChanges, "reverted">): Uint8Array[] {
  const ids = new Map<number, Uint8Array>();
  for (const { height, id } of reverted) if (!ids.has(height)) ids.set(height, id);
  return [...ids.values()].reverse();
}
