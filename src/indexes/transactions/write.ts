import { bytesKey } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { AppliedTransaction } from "../../ledger/block.ts";
import type { Writer } from "../../storage/kv.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { writePostings } from "../../storage/postings/inverted-index.ts";
import type { UnitPosting } from "../../storage/postings/unit-postings.ts";
import { counters } from "../../storage/tables.ts";
import { listedFlags, listedLength, writeListed } from "../../storage/values/indexes.ts";
import { definitionOf, type Transaction } from "../../transactions/index.ts";
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
      writePostings(writer, invertedIndexes.addressTransactions, unit, lists.postings());
    },
  };
}

/** Counts the transactions of each address by type. Page 07 §12.1. */
export function groupTotalIndex(): ConfiguredIndex {
  return {
    configuration: { names: ["transactions"], text: "counted by type" },
    apply(writer, unit) {
      if (unit.transactions.length === 0) return;
      const totals = new UnitTotals();
      for (const { transaction } of unit.transactions) totals.add(transaction);
      totals.write(writer);
    },
  };
}

/** May visit an address several times. Page 07 §12.1. */
function visitSenderAndRecipients(transaction: Transaction, visit: (address: Uint8Array) => void): void {
  const { hasSender, payouts } = definitionOf(transaction);
  if (hasSender) visit(transaction.senderAddress);
  if ("recipient" in transaction) {
    if (transaction.recipient !== undefined) visit(transaction.recipient);
  } else if (payouts !== undefined) for (const { recipient } of payouts(transaction)) visit(recipient);
}

interface AddressTotals {
  readonly address: Uint8Array;
  /** `counts[i]` belongs to `types[i]`. */
  readonly types: number[];
  readonly counts: number[];
  lastCounted: Transaction | undefined;
}

class UnitTotals {
  readonly #byAddress = new Map<string, AddressTotals>();
  /** Most calls for an account pass the same object. */
  readonly #byObject = new Map<Uint8Array, AddressTotals>();

  add(transaction: Transaction): void {
    const { type } = transaction;
    visitSenderAndRecipients(transaction, (address) => {
      const totals = this.#totalsOf(address);
      if (totals.lastCounted === transaction) return;
      totals.lastCounted = transaction;
      const at = totals.types.indexOf(type);
      if (at >= 0) totals.counts[at]++;
      else {
        totals.types.push(type);
        totals.counts.push(1);
      }
    });
  }

  write(writer: Writer): void {
    for (const { address, types, counts } of this.#byAddress.values()) {
      const key = counterKeyOf(address);
      for (let i = 0; i < types.length; i++)
        writer.addCount(counters.listedTransactions, key, types[i], counts[i]);
    }
  }

  #totalsOf(address: Uint8Array): AddressTotals {
    return getOrInsert(this.#byObject, address, () =>
      getOrInsert(this.#byAddress, bytesKey(address), () => {
        return { address, types: [], counts: [], lastCounted: undefined };
      }),
    );
  }
}

/** The entries of one address. */
class AddressList {
  readonly address: Uint8Array;
  lastEntry: AppliedTransaction | undefined;
  lastEntryIndex = 0;
  byteLength = 0;
  /** Offset at which `postings` writes the next entry. */
  end = 0;

  constructor(address: Uint8Array) {
    this.address = address;
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
    for (let i = 0; i < addresses.length; i++) this.#addToList(addresses[i], entry, listedFlags.node);
    visitSenderAndRecipients(transaction, (address) => this.#addToList(address, entry, listedFlags.groups));
  }

  postings(): UnitPosting[] {
    let end = 0;
    for (const list of this.#byAddress.values()) {
      list.end = end;
      end += list.byteLength;
    }
    const bytes = new Uint8Array(end);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      const { position, transaction } = this.#entries[i];
      const { type, timestamp } = transaction;
      list.end = writeListed(view, list.end, position, type, timestamp, this.#flags[i]);
    }
    const postings: UnitPosting[] = [];
    for (const { address, end: listEnd, byteLength } of this.#byAddress.values())
      postings.push({ key: address, value: bytes.subarray(listEnd - byteLength, listEnd) });
    return postings;
  }

  #addToList(address: Uint8Array, entry: AppliedTransaction, flag: number): void {
    const list = this.#listOf(address);
    if (list.lastEntry !== entry) {
      list.lastEntry = entry;
      list.lastEntryIndex = this.#entries.length;
      list.byteLength += listedLength(entry.position, entry.transaction.type);
      this.#lists.push(list);
      this.#entries.push(entry);
      this.#flags.push(0);
    }
    this.#flags[list.lastEntryIndex] |= flag;
  }

  #listOf(address: Uint8Array): AddressList {
    return getOrInsert(this.#byObject, address, () =>
      getOrInsert(this.#byAddress, bytesKey(address), () => new AddressList(address)),
    );
  }
}
