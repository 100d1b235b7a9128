/** Checks each row of a store in key order, and compares counts and sums of different tables. */
import { bytesEqual } from "../../bytes/compare.ts";
import { reasonOf } from "../../bytes/errors.ts";
import { decodeUtf8 } from "../../bytes/utf8.ts";
import { getU32 } from "../codecs.ts";
import type { StoredRow } from "../disk/lmdb-walk.ts";
import { heightKey } from "../keys.ts";
import type { Table } from "../kv.ts";
import { type UnitPostings, unitPostingsValue } from "../postings/unit-postings.ts";
import { tables } from "../tables.ts";
import type { HeaderRow, Tip } from "../values/chain.ts";
import { CheckedRuns, type Report } from "./check-runs.ts";
import type { StoredTables } from "./stored-tables.ts";

type Check = (key: never, value: never) => void;

class TransactionCounts {
  readonly counts: number[] = [];
  add({ height }: { readonly height: number }, count: number): void {
    this.counts[height - 1] = (this.counts[height - 1] ?? 0) + count;
  }
}

export class RowChecker {
  readonly #stored: StoredTables;
  readonly #report: Report;
  readonly #rowCounts = new Map<string, number>();
  readonly #checks = new Map<string, Check>();
  #tip: Tip | undefined;
  #lastHeader: HeaderRow | undefined;
  #height = 0;
  /** Checksums of the block ids below the tip: equal sets of ids have equal sums. */
  #headerIdSum = 0;
  #blockIdSum = 0;
  readonly #headerTransactions = new TransactionCounts();
  readonly #transactionCounts = {
    bodies: new TransactionCounts(),
    effectiveFees: new TransactionCounts(),
    recorded: new TransactionCounts(),
  };
  #activeLeases = 0n;
  #leasedIn = 0n;
  #leasedOut = 0n;
  #sponsorCount = 0;
  readonly #runs: CheckedRuns;

  constructor(stored: StoredTables, network: string, format: number, report: Report) {
    this.#stored = stored;
    this.#report = report;
    this.#runs = new CheckedRuns(report);
    this.#addCheck(tables.meta, (name, value) => {
      if (name === "network" && decodeUtf8(value) !== network)
        report("meta", `its network is '${decodeUtf8(value)}', not '${network}'`);
      if (name === "format" && heightKey.decode(value) !== format)
        report("meta", `its format is ${heightKey.decode(value)}, not ${format}`);
    });
    this.#addCheck(tables.tip, (_, tip) => {
      this.#tip = tip;
    });
    this.#addCheck(tables.headers, (height, header) => this.#checkHeader(height, header));
    this.#addCheck(tables.bodies, (unit, { lengths, bytes }) => {
      if (lengths.reduce((sum, length) => sum + length, 0) !== bytes.length)
        report("bodies", `height ${unit.height}: its length is not the sum of transaction lengths`);
      this.#transactionCounts.bodies.add(unit, lengths.length);
    });
    this.#addCheck(tables.blockIds, (id, { height }) => {
      if (height !== this.#tip?.height) this.#blockIdSum = addId(this.#blockIdSum, height, id);
    });
    this.#addCheck(tables.effectiveFees, (unit, fees) =>
      this.#transactionCounts.effectiveFees.add(unit, fees.length),
    );
    this.#addCheck(tables.recorded, (place, transactions) =>
      this.#transactionCounts.recorded.add(place, [...transactions].length),
    );
    this.#addCheck(tables.accounts, (_, { leaseIn, leaseOut }) => {
      this.#leasedIn += leaseIn;
      this.#leasedOut += leaseOut;
    });
    this.#addCheck(tables.leases, (_, { active, amount }) => {
      if (active) this.#activeLeases += amount;
    });
    this.#addCheck(tables.heights, (_, { height }) => {
      if (height !== this.#height)
        report("heights", `its height is ${height}, but the last header is at ${this.#height}`);
    });
    this.#addCheck(tables.sponsorLists, (_, { count }) => {
      this.#sponsorCount += count;
    });
    this.#addCheck(tables.sortedRuns, (tree, runs) => this.#runs.addRuns(tree, runs));
    this.#addCheck(tables.runChunks, (key, bytes) => this.#runs.addChunk(key, bytes));
    this.#addCheck(tables.fencePointers, (key, bytes) => this.#runs.addFences(key, bytes));
  }

  get height(): number {
    return this.#height;
  }

  /** Checks a row, and reports faults. */
  readonly add = (row: StoredRow): void => {
    const table = this.#stored.tableOf(row.key);
    const name = this.#stored.nameOf(row.key);
    if (table === undefined) {
      this.#report(name, "a row belongs to no known table");
      return;
    }
    this.#rowCounts.set(name, (this.#rowCounts.get(name) ?? 0) + 1);
    try {
      // Copy the bytes: they are valid only during the visit, and some decoders keep views.
      const key = Uint8Array.from(row.key.subarray(1));
      const decodedKey = table.key.decode(key);
      if (!bytesEqual(table.key.encode(decodedKey), key)) throw new RangeError("invalid key");
      const value = table.value.decode(Uint8Array.from(row.value()));
      if ((table.value as unknown) === unitPostingsValue && !(value as UnitPostings).isWellFormed())
        throw new RangeError("its postings have invalid lengths");
      this.#checks.get(name)?.(decodedKey as never, value as never);
    } catch (error) {
      this.#report(name, `a row cannot be read: ${reasonOf(error)}`);
    }
  };

  /** Compares the tables. Call this after the last row. */
  end(): void {
    const report = this.#report;
    const tip = this.#tip;
    const checkEqual = (
      table: string,
      found: number | bigint,
      expected: number | bigint,
      what: string,
    ): void => {
      if (found !== expected) report(table, `${found} ${what}, and should be ${expected}`);
    };
    const rows = (table: { readonly name: string }): number => this.#rowCounts.get(table.name) ?? 0;
    if (tip !== undefined || this.#height > 0) {
      checkEqual("tip", tip?.height ?? 0, this.#height, "is its height");
      if (tip !== undefined && this.#lastHeader && !bytesEqual(tip.id, this.#lastHeader.signature))
        report("tip", "its id is not that of the last header");
    }
    if (this.#blockIdSum !== this.#headerIdSum) report("blockIds", "its ids are not those of the headers");
    for (const table of [tables.score, tables.generatedBlocks, tables.blockFacts, tables.blockTotals])
      checkEqual(table.name, rows(table), this.#height, "is its number of rows");
    for (const [table, { counts }] of Object.entries(this.#transactionCounts)) {
      const wrongIndex = this.#headerTransactions.counts.findIndex((count, i) => count !== (counts[i] ?? 0));
      if (wrongIndex >= 0)
        report(table, `height ${wrongIndex + 1}: it does not have the number of transactions in the header`);
    }
    checkEqual("accounts", this.#leasedOut, this.#leasedIn, "units are leased out");
    checkEqual("leases", this.#activeLeases, this.#leasedIn, "units are leased");
    checkEqual("sponsors", rows(tables.sponsors), this.#sponsorCount, "is its number of rows");
    checkEqual("sponsorships", rows(tables.sponsorships), this.#sponsorCount, "is its number of rows");
    checkEqual(
      "revertedOrder",
      rows(tables.revertedOrder),
      rows(tables.revertedUnits),
      "is its number of rows",
    );
    this.#runs.end();
  }

  #addCheck<K, V>(table: Table<K, V>, check: (key: K, value: V) => void): void {
    this.#checks.set(table.name, check as Check);
  }

  #checkHeader(height: number, header: HeaderRow): void {
    const parent = this.#lastHeader;
    if (height !== this.#height + 1) this.#report("headers", `height ${height} comes after ${this.#height}`);
    else if (parent !== undefined && !bytesEqual(header.reference, parent.signature))
      this.#report("headers", `height ${height}: its parent is not the block before it`);
    this.#height = height;
    this.#lastHeader = header;
    this.#headerTransactions.add({ height }, header.transactionCount);
    if (height !== this.#tip?.height) this.#headerIdSum = addId(this.#headerIdSum, height, header.signature);
  }
}

function addId(sum: number, height: number, id: Uint8Array): number {
  return (sum + (getU32(id, 0) ^ getU32(id, 28) ^ Math.imul(height, 0x9e3779b1))) >>> 0;
}
