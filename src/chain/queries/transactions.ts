import { Queries } from "../../indexes/query-source.ts";
import { nodeListPageOf } from "../../indexes/transactions/query.ts";
import type {
  AddressTransactionsQuery,
  ChainTransaction,
  NewestTransactions,
  NewestTransactionsQuery,
  TransactionQueries,
} from "../../interfaces.ts";
import { checkRequest } from "../../ledger/admission.ts";
import { eraAt } from "../../ledger/era.ts";
import { minimumFee } from "../../ledger/fees.ts";
import type { Refusal } from "../../ledger/refusal.ts";
import { MAX_WALK } from "../../queries/paging.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { Transaction } from "../../transactions/index.ts";
import type { SnapshotSource } from "./source.ts";
import type { StoredBlockReader } from "./stored-blocks.ts";

export class StoredTransactionQueries extends Queries<SnapshotSource> implements TransactionQueries {
  byId(id: Uint8Array): ChainTransaction | undefined {
    return this.source.transactionById(id);
  }

  ofAddress(address: Uint8Array, query: AddressTransactionsQuery): readonly ChainTransaction[] {
    const { reader, blocks, context } = this.source;
    const places = nodeListPageOf(reader, address, query, context.indexAll);
    return places.flatMap((place) => blocks.transaction(place) ?? []);
  }

  newest(query: NewestTransactionsQuery): NewestTransactions {
    const { reader, blocks, ledger } = this.source;
    return newestTransactionsOf(reader, blocks, ledger.height, query);
  }

  minimumFee(transaction: Transaction): bigint | undefined {
    const { ledger, context } = this.source;
    return minimumFee(transaction, eraAt(ledger, context.rules, ledger.height));
  }

  requestRefusal(transaction: Transaction): Refusal | undefined {
    return checkRequest(this.source.ledger, transaction);
  }
}

/**
 * Returns transactions, newest first.
 * @param types empty: all types
 * @param after a chain position: only earlier transactions are returned
 */
export function newestTransactionsOf(
  reader: Reader,
  blocks: Pick<StoredBlockReader, "transaction">,
  tip: number,
  { types, after, limit, from = 1, to = tip, accepts = () => true }: NewestTransactionsQuery,
): NewestTransactions {
  const transactions: ChainTransaction[] = [];
  const top = Math.min(after?.height ?? tip, to, tip);
  let positionsRead = 0;
  for (let height = top; height >= Math.max(from, 1); height--) {
    if (top - height >= MAX_WALK) return { transactions, end: { height: height + 1, position: 0 } };
    const count = reader.get(tables.headers, height)?.transactionCount ?? 0;
    const above = height === after?.height ? Math.min(after.position, count) : count;
    for (let position = above - 1; position >= 0; position--) {
      if (transactions.length >= limit || positionsRead >= MAX_WALK)
        return { transactions, end: { height, position: position + 1 } };
      positionsRead++;
      const found = blocks.transaction({ height, position });
      if (found === undefined || (types.length > 0 && !types.includes(found.transaction.type))) continue;
      if (accepts(found)) transactions.push(found);
    }
  }
  return { transactions, end: undefined };
}
