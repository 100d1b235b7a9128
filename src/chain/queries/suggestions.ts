import { encodeBase58 } from "../../bytes/base58.ts";
import { rangesOfPrefix } from "../../bytes/base58-prefix.ts";
import { bytesKey, compareBytes } from "../../bytes/compare.ts";
import { ADDRESS_LENGTH } from "../../crypto/addresses.ts";
import { pageOf } from "../../indexes/pages.ts";
import { Queries } from "../../indexes/query-source.ts";
import type { Suggestion, SuggestionQueries } from "../../interfaces.ts";
import type { Table } from "../../storage/kv.ts";
import { placesOfIds, recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import { tables } from "../../storage/tables.ts";
import type { SnapshotSource } from "./source.ts";

const ID_LENGTH = 32;
const BLOCK_ID_LENGTH = 64;
const MAX_NEWEST_UNITS = 1_000;
const MAX_NEWEST_TRANSACTIONS = 10_000;

export class StoredSuggestionQueries extends Queries<SnapshotSource> implements SuggestionQueries {
  startingWith(prefix: string, limit: number): readonly Suggestion[] {
    return [this.#addresses(prefix), this.#transactions(prefix, limit), this.#blocks(prefix)].flatMap(
      (found) => pageOf(found, { offset: 0, limit }),
    );
  }

  *#addresses(prefix: string): Generator<Suggestion> {
    for (const [address] of this.#rows(tables.accounts, prefix, ADDRESS_LENGTH))
      yield { kind: "address", address: address.slice() };
  }

  *#blocks(prefix: string): Generator<Suggestion> {
    for (const [id, { height }] of this.#rows(tables.blockIds, prefix, BLOCK_ID_LENGTH))
      yield { kind: "block", id: id.slice(), height };
  }

  *#transactions(prefix: string, limit: number): Generator<Suggestion> {
    const { reader } = this.source;
    const ranges = rangesOfPrefix(prefix, ID_LENGTH);
    if (ranges.length === 0) return;
    const seen = new Set<string>();
    const found = (id: Uint8Array, height: number): Suggestion[] => {
      if (seen.has(bytesKey(id)) || !encodeBase58(id).startsWith(prefix)) return [];
      seen.add(bytesKey(id));
      return [{ kind: "transaction", id: id.slice(), height }];
    };
    for (const { id, height } of this.#newestTransactions())
      if (ranges.some(({ first, last }) => compareBytes(id, first) >= 0 && compareBytes(id, last) <= 0))
        yield* found(id, height);
    for (const range of ranges) {
      for (const place of placesOfIds(reader, range, limit)) {
        const id = recordedAt(reader, place)?.id;
        if (id !== undefined) yield* found(id, place.height);
      }
    }
  }

  /** Yields recent transactions, which the index may lack until it is written. */
  *#newestTransactions(): Generator<{ readonly id: Uint8Array; readonly height: number }> {
    let count = 0;
    for (const [{ height }, recorded] of this.source.reader.range(tables.recorded, {
      reverse: true,
      limit: MAX_NEWEST_UNITS,
    }))
      for (const { id } of recorded) {
        if (count++ === MAX_NEWEST_TRANSACTIONS) return;
        yield { id, height };
      }
  }

  *#rows<V>(table: Table<Uint8Array, V>, prefix: string, length: number): Generator<[Uint8Array, V]> {
    for (const { first, last } of rangesOfPrefix(prefix, length))
      for (const row of this.source.reader.range(table, { from: first })) {
        if (compareBytes(row[0], last) > 0) break;
        if (row[0].length === length) yield row;
      }
  }
}
