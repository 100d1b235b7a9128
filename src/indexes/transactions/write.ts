import { bytesKey } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { AppliedTransaction } from "../../ledger/block.ts";
import type { Writer } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { writePostingRow } from "../../storage/postings/inverted-index.ts";
import { type PostingRoom, UnitPostings } from "../../storage/postings/unit-postings.ts";
import { counters, tables } from "../../storage/tables.ts";
import { listedFlags, listedLength, visitListedTypes, writeListed } from "../../storage/values/indexes.ts";
import { definitionOf } from "../../transactions/index.ts";
import type { ChainIndex, ConfiguredIndex } from "../chain-index.ts";
import { counterKeyOf } from "./groups.ts";

/**
 * Indexes transactions by address. Entries with the flag `node` are transactions that touch the account (page 06 §7.5).
 * Entries with the flag `groups` are those that the account sent or received (page 07 §12.1).
 */
export function addressTransactionIndex(): ChainIndex {
  return {
    apply(writer, unit) {
      if (unit.transactions.length === 0) return;
      const lists = new UnitLists();
      for (const entry of unit.transactions) lists.add(entry);
      lists.writeTo(writer, unit);
    },
  };
}

/** Lists store a type in one byte. */
const MAX_TYPES = 256;

/** Counts the transactions of each address by type. Page 07 §12.1. */
export function groupTotalIndex(): ConfiguredIndex {
  return {
    configuration: { names: ["transactions"], text: "counted by type" },
    apply(writer, unit) {
      if (unit.transactions.length === 0) return;
      // The unit's lists contain each transaction of an address once.
      const lists = writer.get(tables.addressTransactions, unit);
      const counts = new Uint32Array(MAX_TYPES);
      const types: number[] = [];
      const count = (type: number): void => {
        if (counts[type]++ === 0) types.push(type);
      };
      lists?.forEach((addressAt, from, to) => {
        visitListedTypes(lists.bytes, from, to, listedFlags.groups, count);
        const key = counterKeyOf(lists.bytes, addressAt);
        for (const type of types) {
          writer.addCount(counters.listedTransactions, key, type, counts[type]);
          counts[type] = 0;
        }
        types.length = 0;
      });
    },
  };
}

/** The entries of one address. */
class AddressList implements PostingRoom {
  readonly key: Uint8Array;
  lastEntry: AppliedTransaction | undefined;
  lastEntryIndex = 0;
  length = 0;
  /** Offset in the row at which `writeTo` writes the next entry. */
  at = 0;

  constructor(address: Uint8Array) {
    this.key = address;
  }
}

class UnitLists {
  readonly #byAddress = new Map<string, AddressList>();
  readonly #byObject = new Map<Uint8Array, AddressList>();
  /** Parallel arrays: the list, the transaction and the `listedFlags` of each entry. */
  readonly #lists: AddressList[] = [];
  readonly #entries: AppliedTransaction[] = [];
  readonly #flags: number[] = [];

  add(entry: AppliedTransaction): void {
    const { transaction, addresses } = entry;
    const { hasSender, payouts } = definitionOf(transaction);
    for (let i = 0; i < addresses.length; i++) this.#addToList(addresses[i], entry, listedFlags.node);
    // Page 07 §12.1: the sender and all recipients.
    if (hasSender) this.#addToList(transaction.senderAddress, entry, listedFlags.groups);
    if ("recipient" in transaction) {
      if (transaction.recipient !== undefined)
        this.#addToList(transaction.recipient, entry, listedFlags.groups);
    } else if (payouts !== undefined)
      for (const { recipient } of payouts(transaction)) this.#addToList(recipient, entry, listedFlags.groups);
  }

  writeTo(writer: Writer, unit: UnitKey): void {
    const lists = [...this.#byAddress.values()];
    const row = UnitPostings.withRoom(lists);
    const view = new DataView(row.bytes.buffer);
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      const { position, transaction } = this.#entries[i];
      const { type, timestamp } = transaction;
      list.at = writeListed(view, list.at, position, type, timestamp, this.#flags[i]);
    }
    if (lists.length > 0) writePostingRow(writer, invertedIndexes.addressTransactions, unit, lists, row);
  }

  #addToList(address: Uint8Array, entry: AppliedTransaction, flag: number): void {
    const list = this.#listOf(address);
    if (list.lastEntry !== entry) {
      list.lastEntry = entry;
      list.lastEntryIndex = this.#entries.length;
      list.length += listedLength(entry.position, entry.transaction.type);
      this.#lists.push(list);
      this.#entries.push(entry);
      this.#flags.push(0);
    }
    this.#flags[list.lastEntryIndex] |= flag;
  }

  #listOf(address: Uint8Array): AddressList {
    let list = this.#byObject.get(address);
    if (list !== undefined) return list;
    list = getOrInsert(this.#byAddress, bytesKey(address), () => new AddressList(address));
    this.#byObject.set(address, list);
    return list;
  }
}
