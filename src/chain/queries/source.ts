import type { QuerySource, ReaderContext } from "../../indexes/query-source.ts";
import type { ChainTransaction, IndexName } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { StoredLedgerView } from "../../storage/ledger/ledger-view.ts";
import { findTransaction } from "../../storage/ledger/recorded-transactions.ts";
import type { Place } from "../../storage/places.ts";
import { emptyReader } from "../../storage/readers/empty-reader.ts";
import type { GeneratingBalanceCache } from "../reading/generating-balances.ts";
import { type IndexState, indexState } from "../reading/index-states.ts";
import { StoredBlockReader } from "./stored-blocks.ts";

export class SnapshotSource implements QuerySource {
  readonly reader: Reader;
  readonly ledger: StoredLedgerView;
  readonly blocks: StoredBlockReader;
  readonly context: ReaderContext;
  readonly balances: GeneratingBalanceCache | undefined;
  readonly #states = new Map<IndexName, IndexState | undefined>();

  constructor(reader: Reader, context: ReaderContext, balances?: GeneratingBalanceCache) {
    this.reader = reader;
    this.ledger = new StoredLedgerView(reader);
    this.blocks = new StoredBlockReader(reader, this.ledger, context);
    this.context = context;
    this.balances = balances;
  }

  indexState(name: IndexName): IndexState | undefined {
    if (!this.#states.has(name)) this.#states.set(name, indexState(this.reader, name));
    return this.#states.get(name);
  }

  isComplete(index: IndexName): boolean {
    return this.indexState(index)?.kind === "whole";
  }

  /** Returns a reader of an index, without rows while it is incomplete. */
  rows(index: IndexName): Reader {
    return this.isComplete(index) ? this.reader : emptyReader;
  }

  transactionAt(place: Place): ChainTransaction | undefined {
    return this.blocks.transaction(place);
  }

  transactionById(id: Uint8Array): ChainTransaction | undefined {
    // Ids have 32 bytes, or 64 for genesis transactions.
    if (id.length !== 32 && id.length !== 64) return undefined;
    const found = findTransaction(this.reader, id);
    return (
      found && this.blocks.transaction({ height: found.height, position: found.position }, found.transaction)
    );
  }
}
