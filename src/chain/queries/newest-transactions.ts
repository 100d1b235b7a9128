/** The transactions of the chain, from the newest down. */
import type { ChainTransaction, NewestTransactions } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import type { Place } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import type { StoredBlockReader } from "./stored-blocks.ts";

/** Blocks and transactions that one walk looks at: where a type is rare, the next one goes on. */
const MOST_BLOCKS = 2_000;
const MOST_TRANSACTIONS = 5_000;

/**
 * The newest transactions first.
 * @param types only these; all where there are none
 * @param after only what stands before this place
 */
export function newestTransactionsOf(
  reader: Reader,
  blocks: Pick<StoredBlockReader, "transaction">,
  tip: number,
  {
    types,
    after,
    limit,
  }: {
    readonly types: readonly number[];
    readonly after?: Place | undefined;
    readonly limit: number;
  },
): NewestTransactions {
  const transactions: ChainTransaction[] = [];
  const top = Math.min(after?.height ?? tip, tip);
  let looked = 0;
  for (let height = top; height >= 1; height--) {
    if (top - height >= MOST_BLOCKS) return { transactions, end: { height: height + 1, position: 0 } };
    const count = reader.get(tables.headers, height)?.transactionCount ?? 0;
    const above = height === after?.height ? Math.min(after.position, count) : count;
    for (let position = above - 1; position >= 0; position--) {
      if (transactions.length >= limit || looked >= MOST_TRANSACTIONS)
        return { transactions, end: { height, position: position + 1 } };
      looked++;
      const found = blocks.transaction({ height, position });
      if (found !== undefined && (types.length === 0 || types.includes(found.transaction.type)))
        transactions.push(found);
    }
  }
  return { transactions, end: undefined };
}
