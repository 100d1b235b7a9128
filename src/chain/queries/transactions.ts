import { pageOf } from "../../indexes/pages.ts";
import { Queries } from "../../indexes/query-source.ts";
import { nodeListOf } from "../../indexes/transactions/query.ts";
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
import type { Transaction } from "../../transactions/index.ts";
import { newestTransactionsOf } from "./newest-transactions.ts";
import type { SnapshotSource } from "./source.ts";

export class StoredTransactionQueries extends Queries<SnapshotSource> implements TransactionQueries {
  byId(id: Uint8Array): ChainTransaction | undefined {
    return this.source.transactionById(id);
  }

  ofAddress(address: Uint8Array, query: AddressTransactionsQuery): readonly ChainTransaction[] {
    const { reader, blocks, context } = this.source;
    const places = nodeListOf(reader, address, query, context.indexAll);
    return pageOf(places, query).flatMap((place) => blocks.transaction(place) ?? []);
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
