import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { Chain } from "../chain.ts";
import { headerRow } from "../reading/rows.ts";
import { yieldToEventLoop } from "../writing/time-slice.ts";
import { type AppliedBlocks, type ApplyBlocksOptions, applyBlocks } from "./apply-blocks.ts";
import { storedBlockSource } from "./stored-block-source.ts";

/** Limits a commit to some 50 ms if the blocks are full. */
const BLOCKS_PER_COMMIT = 20;

/** Returns the lowest height to which the journal can roll back. */
export function lowestRollbackHeight(reader: Reader): number {
  const tip = reader.get(tables.tip, undefined)?.height ?? 0;
  for (const [{ height }] of reader.range(tables.journal, { limit: 1 })) {
    // If the journal starts at a micro block, its block cannot be removed.
    const hasKeyBlock = reader.get(tables.journal, { height, sequence: 0 }) !== undefined;
    return Math.max(hasKeyBlock ? height - 1 : height, 1);
  }
  return tip;
}

export interface RollBackOptions {
  readonly progress?: ((height: number) => void) | undefined;
  readonly isStopped?: (() => boolean) | undefined;
}

/**
 * Removes all blocks above a height, if any, and then persists the last remaining one. An interrupted call can be
 * repeated.
 * @returns false if stopped early
 * @throws JournalPrunedError below `lowestRollbackHeight`
 */
export async function rollBack(
  chain: Chain,
  height: number,
  { progress, isStopped }: RollBackOptions = {},
): Promise<boolean> {
  while (chain.tip.height > height) {
    if (isStopped?.() === true) return false;
    const target = Math.max(height, chain.tip.height - BLOCKS_PER_COMMIT);
    const id = chain.read((reader) => headerRow(reader, target).signature);
    chain.removeAfter(id, { returnTransactions: false });
    progress?.(target);
    await yieldToEventLoop();
  }
  return true;
}

export interface RebuildCost {
  readonly blocks: number;
  readonly transactions: number;
  /** Size of the blocks, bytes. */
  readonly bytes: number;
}

/** Counts blocks 2 to `height`, which a rebuild applies. */
export function rebuildCost(reader: Reader, height: number): RebuildCost {
  let transactions = 0;
  let bytes = 0;
  for (const [, row] of reader.range(tables.headers, { from: 2, to: height + 1 })) {
    transactions += row.transactionCount;
    bytes += row.size;
  }
  return { blocks: height - 1, transactions, bytes };
}

/**
 * Applies stored blocks to an empty chain, with every check. If all are applied, persists the last one.
 * @param snapshot of the store with these blocks
 */
export async function rebuild(
  chain: Chain,
  network: NetworkRules,
  snapshot: Reader,
  height: number,
  options: ApplyBlocksOptions,
): Promise<AppliedBlocks> {
  const applied = await applyBlocks(chain, network, storedBlockSource(snapshot, height), height, options);
  if (applied.outcome === "complete") chain.persistTip();
  return applied;
}
