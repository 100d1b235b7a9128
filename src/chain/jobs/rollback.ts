/** Rolling the chain back by an operator: within the undo journal, or deeper by applying the stored blocks again. */
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { Chain } from "../chain.ts";
import { headerRow } from "../reading/rows.ts";
import { yieldToEventLoop } from "../writing/time-slice.ts";
import { type AppliedBlocks, type ApplyBlocksOptions, applyBlocks } from "./apply-blocks.ts";
import { storedBlockSource } from "./stored-block-source.ts";

/** Blocks removed in one commit, if full of transactions in some 50 ms. */
const BLOCKS_PER_COMMIT = 20;

/** The lowest height that `rollBack` can reach. */
export function lowestRollbackHeight(reader: Reader): number {
  const tip = reader.get(tables.tip, undefined)?.height ?? 0;
  for (const [{ height }] of reader.range(tables.journal, { limit: 1 })) {
    // Undoing the oldest unit of the journal leaves the block below, if it is the first unit of its block.
    const first = reader.get(tables.journal, { height, sequence: 0 }) !== undefined;
    return Math.max(first ? height - 1 : height, 1);
  }
  return tip;
}

export interface RollBackOptions {
  /** Called after each step with the height reached. */
  readonly progress?: ((height: number) => void) | undefined;
  /** Asked between the steps: the work ends as soon as this says so. */
  readonly isStopped?: (() => boolean) | undefined;
}

/**
 * Removes all blocks above a height; the block that is left is persisted. In steps, so that any number of blocks
 * takes little memory: when it is interrupted, the chain ends somewhere between, and the same again goes on from there.
 * @returns whether the height was reached: not when it was stopped
 * @throws JournalPrunedError when the height is below `lowestRollbackHeight`
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

/** What building the chain anew up to a height means. */
export interface RebuildCost {
  readonly blocks: number;
  readonly transactions: number;
  /** Bytes of the blocks; the store takes several times as much. */
  readonly bytes: number;
}

/** What `rebuild` up to a height will have to do. */
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
 * Applies the stored blocks up to a height to an empty chain, with every check, and persists the last one.
 * @param from the store that has the blocks, in one state
 */
export async function rebuild(
  chain: Chain,
  network: NetworkRules,
  from: Reader,
  height: number,
  options: ApplyBlocksOptions,
): Promise<AppliedBlocks> {
  const applied = await applyBlocks(chain, network, storedBlockSource(from, height), height, options);
  if (applied.outcome === "complete") chain.persistTip();
  return applied;
}
