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
import { countedKey } from "./groups.ts";

/**
 * Transactions by address, for both lists that clients know: that of the node (page 06 §7.5: the accounts that a
 * transaction touches) and the groups of the indexer (page 07 §12.1: sender and recipients).
 */
export function addressTransactionIndex(): ChainIndex {
  return {
    apply(writer, unit) {
      const lists = new UnitLists();
      for (const entry of unit.transactions) lists.add(entry);
      writePostings(writer, invertedIndexes.addressTransactions, unit, lists.postings());
    },
  };
}

/** How many transactions of each type groups list for each address. Page 07 §12.1. */
export function groupTotalIndex(): ConfiguredIndex {
  return {
    configuration: { names: ["transactions"], text: "counted by type" },
    apply(writer, unit) {
      const totals = new UnitTotals();
      for (const { transaction } of unit.transactions) totals.add(transaction);
      totals.write(writer);
    },
  };
}

/** The accounts that groups list a transaction for: sender, and recipient or recipients. Page 07 §12.1. */
function eachListed(transaction: Transaction, list: (address: Uint8Array) => void): void {
  const { hasSender, payouts } = definitionOf(transaction);
  if (hasSender) list(transaction.senderAddress);
  if ("recipient" in transaction) {
    if (transaction.recipient !== undefined) list(transaction.recipient);
  } else if (payouts !== undefined) for (const { recipient } of payouts(transaction)) list(recipient);
}

/** What a unit adds to the totals of an address. */
interface AddressTotals {
  readonly address: Uint8Array;
  /** By type: of most addresses there is one transaction. */
  readonly types: number[];
  readonly counts: number[];
  /** The transaction counted last. */
  newest: Transaction | undefined;
}

/** What a unit adds to the totals of its addresses. */
class UnitTotals {
  readonly #byAddress = new Map<string, AddressTotals>();
  /** As in `UnitLists`. */
  readonly #byObject = new Map<Uint8Array, AddressTotals>();

  /** Counts a transaction for each of its addresses: once, however often the address stands in it. */
  add(transaction: Transaction): void {
    const { type } = transaction;
    eachListed(transaction, (address) => {
      const found = this.#totalsOf(address);
      if (found.newest === transaction) return;
      found.newest = transaction;
      const at = found.types.indexOf(type);
      if (at >= 0) found.counts[at]++;
      else {
        found.types.push(type);
        found.counts.push(1);
      }
    });
  }

  write(writer: Writer): void {
    for (const { address, types, counts } of this.#byAddress.values()) {
      const key = countedKey(address);
      for (let i = 0; i < types.length; i++)
        writer.addCount(counters.listedTransactions, key, types[i], counts[i]);
    }
  }

  #totalsOf(address: Uint8Array): AddressTotals {
    return getOrInsert(this.#byObject, address, () =>
      getOrInsert(this.#byAddress, bytesKey(address), () => {
        return { address, types: [], counts: [], newest: undefined };
      }),
    );
  }
}

/** What a unit brings for one address. */
class AddressList {
  readonly address: Uint8Array;
  /** The transaction listed last, and its line among those of the unit. */
  newest: AppliedTransaction | undefined;
  line = 0;
  /** Bytes that its lines take, packed. */
  length = 0;
  /** Where its next line is packed. */
  at = 0;

  constructor(address: Uint8Array) {
    this.address = address;
  }
}

/**
 * What a unit brings for each address. The import goes through here with every transaction: lines are gathered in
 * plain arrays, in the order of the unit, and put into the order of the addresses once it is known how many there are.
 */
class UnitLists {
  readonly #byAddress = new Map<string, AddressList>();
  /** The same by object: an account mostly comes as the same one, which saves making a text of it again. */
  readonly #byObject = new Map<Uint8Array, AddressList>();
  /** Of each line the list, the transaction, and `listedIn`. */
  readonly #lists: AddressList[] = [];
  readonly #entries: AppliedTransaction[] = [];
  readonly #flags: number[] = [];

  add(entry: AppliedTransaction): void {
    const { transaction, addresses } = entry;
    for (let i = 0; i < addresses.length; i++) this.#list(addresses[i], entry, listedFlags.node);
    eachListed(transaction, (address) => this.#list(address, entry, listedFlags.groups));
  }

  /** The lists, packed. */
  postings(): UnitPosting[] {
    let end = 0;
    for (const list of this.#byAddress.values()) {
      list.at = end;
      end += list.length;
    }
    const bytes = new Uint8Array(end);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      const { position, transaction } = this.#entries[i];
      list.at = writeListed(view, list.at, position, transaction.type, transaction.timestamp, this.#flags[i]);
    }
    const postings: UnitPosting[] = [];
    for (const { address, at, length } of this.#byAddress.values())
      postings.push({ key: address, value: bytes.subarray(at - length, at) });
    return postings;
  }

  /** Lists a transaction for an address: one line, however often the address stands in it. */
  #list(address: Uint8Array, entry: AppliedTransaction, flag: number): void {
    const list = this.#listOf(address);
    if (list.newest !== entry) {
      list.newest = entry;
      list.line = this.#entries.length;
      list.length += listedLength(entry.position, entry.transaction.type);
      this.#lists.push(list);
      this.#entries.push(entry);
      this.#flags.push(0);
    }
    this.#flags[list.line] |= flag;
  }

  #listOf(address: Uint8Array): AddressList {
    return getOrInsert(this.#byObject, address, () =>
      getOrInsert(this.#byAddress, bytesKey(address), () => new AddressList(address)),
    );
  }
}
