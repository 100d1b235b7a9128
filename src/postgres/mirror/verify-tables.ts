/** Compares the tables with the rows that the node's units should have. */

import { bytesKey } from "../../bytes/compare.ts";
import { chainStart } from "../../chain/reading/changes.ts";
import type { ChainCursor, ChainReader, Clock } from "../../interfaces.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import type { SqlConnection, SqlValue } from "../connection/sql-connection.ts";
import { allTables, tables } from "../schema/all-tables.ts";
import { tableName } from "../schema/statements.ts";
import { findAccountIds } from "./account-ids.ts";
import { arrayParameters, selectRows, unnest } from "./array-literals.ts";
import { type Batch, BatchReader } from "./batch.ts";
import { readPosition, type StoredPosition } from "./stored-position.ts";
import type { AccountIdOf, AnyRow, TargetTable } from "./table-rows.ts";

const LIMITS = { transactions: 2_000, bytes: 4 * 2 ** 20, timeMs: 2_000 };
/** Some statements compare whole tables. */
const TIMEOUT_MS = 3_600_000;
const MAX_FAULTS = 100;
/** Faults that one statement returns. */
const FAULTS_PER_STATEMENT = 10;
const MAX_TEXT_LENGTH = 200;

export interface TableFault {
  readonly table: string;
  /** `missing`: only the node has the row; `surplus`: only the table has it. */
  readonly problem: "missing" | "surplus";
  /** The row, shortened. */
  readonly row: string;
}

export interface VerifiedTables {
  /** At most `MAX_FAULTS`. */
  readonly faults: readonly TableFault[];
  /** Compared blocks. */
  readonly blocks: number;
  readonly rows: number;
  /**
   * `moved`: at the end, the database was not at the node's newest unit, so the newest block, the roles and the number
   * of cancelled leases were not compared; `other chain`: the database's newest unit is not on the node's chain.
   */
  readonly outcome: "complete" | "moved" | "other chain" | "stopped";
}

interface VerifyOptions {
  readonly reader: ChainReader;
  readonly network: NetworkRules;
  readonly clock: Pick<Clock, "monotonic">;
  isStopped(): boolean;
  progress(done: { readonly height: number; readonly total: number; readonly rows: number }): void;
}

/** Tables with their own comparison, because their rows depend on other rows. */
const SEPARATE: readonly string[] = [tables.accountKey, tables.lease, tables.account, tables.role].map(
  ({ name }) => name,
);
const { cancelled_height: _, cancelled_position: __, ...leaseColumns } = tables.lease.columns;
const markColumns = {
  id: tables.lease.columns.id,
  height: tables.lease.columns.height,
  position: tables.lease.columns.position,
};

/**
 * Compares all tables that depend on the chain, in one snapshot of the database.
 * @throws SqlError; RangeError if the store contains a unit that cannot be read
 */
export function verifyTables(sql: SqlConnection, options: VerifyOptions): Promise<VerifiedTables> {
  return sql.transaction(async () => {
    await sql.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    return new TableVerifier(sql, options, await readPosition(sql)).run();
  });
}

class TableVerifier {
  readonly #sql: SqlConnection;
  readonly #options: VerifyOptions;
  readonly #stored: StoredPosition;
  readonly #faults: TableFault[] = [];
  #rows = 0;
  #cancelledCount = 0;

  constructor(sql: SqlConnection, options: VerifyOptions, stored: StoredPosition) {
    this.#sql = sql;
    this.#options = options;
    this.#stored = stored;
  }

  async run(): Promise<VerifiedTables> {
    const { reader, clock, network, isStopped, progress } = this.#options;
    const { cursor, state } = this.#stored;
    const batches = new BatchReader({ reader, clock, network });
    const isOnChain = (): boolean => {
      reader.renew();
      const common = reader.read((chain) => chain.units.common(cursor));
      return common !== undefined && isSameUnit(common, cursor);
    };
    let at: ChainCursor = chainStart;
    const result = (outcome: VerifiedTables["outcome"]): VerifiedTables => ({
      faults: this.#faults.slice(0, MAX_FAULTS),
      blocks: at.height,
      rows: this.#rows,
      outcome,
    });
    if (!isOnChain()) return result("other chain");
    while (at.height < cursor.height - 1) {
      if (isStopped()) return result("stopped");
      const batch = await batches.read(at, at, { ...LIMITS, maxHeight: cursor.height - 1 });
      if (batch === undefined || !isOnChain()) return result("other chain");
      await this.#compare(batch, at.height + 1, batch.next.height);
      at = batch.next;
      progress({ height: at.height, total: cursor.height, rows: this.#rows });
    }
    const last = await batches.read(at, at, LIMITS);
    const isCurrent = last !== undefined && isSameUnit(last.next, cursor);
    if (isCurrent) {
      await this.#compare(last, at.height + 1, cursor.height);
      at = cursor;
      await this.#compareRoles();
    }
    if (state === "live") await this.#compareStates();
    if (isCurrent) await this.#compareCancelledLeases();
    return result(isCurrent ? "complete" : "moved");
  }

  async #compare(batch: Batch, from: number, to: number): Promise<void> {
    const { rows, effects } = batch;
    const addresses = new Map<string, Uint8Array>();
    rows.addresses((address) => addresses.set(bytesKey(address), address));
    const ids = await findAccountIds(this.#sql, [...addresses.values()]);
    const idOf: AccountIdOf = (address) => ids.get(bytesKey(address)) ?? 0n;
    const isInRange = ({ height }: AnyRow): boolean => (height as number) >= from;
    for (const table of allTables) {
      if (table.kind.kind !== "fact" || SEPARATE.includes(table.name)) continue;
      await this.#compareTable(table, rows.of(table).filter(isInRange), idOf, from, to);
    }
    await this.#compareTable(
      { name: tables.lease.name, columns: leaseColumns },
      rows.of(tables.lease),
      idOf,
      from,
      to,
    );
    await this.#compareKeys(rows.of(tables.accountKey), idOf, from, to);
    this.#cancelledCount += effects.cancelledLeases.length;
    await this.#report(
      tables.lease,
      "missing",
      `SELECT ROW(r.*)::text AS row FROM ${unnest(markColumns)}
       WHERE NOT EXISTS (SELECT FROM ${tableName(tables.lease)} l WHERE l.id = r.id
         AND (l.cancelled_height, l.cancelled_position) = (r.height, r.position))`,
      arrayParameters(markColumns, effects.cancelledLeases, idOf),
    );
  }

  async #compareTable(
    table: TargetTable,
    rows: readonly AnyRow[],
    idOf: AccountIdOf,
    from: number,
    to: number,
  ): Promise<void> {
    this.#rows += rows.length;
    const expected = selectRows(table.columns, 3);
    const names = Object.keys(table.columns).map((name) => `"${name}"`);
    const actual = `SELECT ${names.join(", ")} FROM ${tableName(table)} WHERE height >= $1 AND height <= $2`;
    const values = [from, to, ...arrayParameters(table.columns, rows, idOf)];
    const difference = (one: string, other: string): string =>
      `SELECT ROW(d.*)::text AS row FROM (${one} EXCEPT ALL ${other}) d`;
    await this.#report(table, "missing", difference(expected, actual), values);
    await this.#report(table, "surplus", difference(actual, expected), values);
  }

  /** The table has the first key of each account on the chain; a batch has the first one in the batch. */
  async #compareKeys(rows: readonly AnyRow[], idOf: AccountIdOf, from: number, to: number): Promise<void> {
    const table = tables.accountKey;
    const { columns } = table;
    this.#rows += rows.length;
    await this.#report(
      table,
      "missing",
      `SELECT ROW(e.*)::text AS row FROM (${selectRows(columns)}) e
       WHERE NOT EXISTS (SELECT FROM ${tableName(table)} k WHERE k.account = e.account
         AND (k.height, k.position) <= (e.height, e.position))`,
      arrayParameters(columns, rows, idOf),
    );
    const names = Object.keys(columns).map((name) => `"${name}"`);
    await this.#report(
      table,
      "surplus",
      `SELECT ROW(d.*)::text AS row FROM (
         SELECT ${names.join(", ")} FROM ${tableName(table)} WHERE height >= $1 AND height <= $2
         EXCEPT ${selectRows(columns, 3)}) d`,
      [from, to, ...arrayParameters(columns, rows, idOf)],
    );
  }

  async #compareStates(): Promise<void> {
    const names = Object.keys(tables.accountState.columns).map((name) => `"${name}"`);
    const state = `SELECT ${names.join(", ")} FROM ${tableName(tables.accountState)}`;
    const newest = `(SELECT DISTINCT ON (account) ${names.join(", ")} FROM ${tableName(tables.accountChange)}
      ORDER BY account, height DESC, sequence DESC)`;
    const difference = (one: string, other: string): string =>
      `SELECT ROW(d.*)::text AS row FROM (${one} EXCEPT ${other}) d`;
    await this.#report(tables.accountState, "missing", difference(newest, state), []);
    await this.#report(tables.accountState, "surplus", difference(state, newest), []);
  }

  async #compareCancelledLeases(): Promise<void> {
    const { rows } = await this.#sql.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM ${tableName(tables.lease)} WHERE cancelled_height IS NOT NULL`,
      [],
      { deadlineMs: TIMEOUT_MS },
    );
    if (rows[0].count !== this.#cancelledCount)
      this.#faults.push({
        table: tables.lease.name,
        problem: "surplus",
        row: `${rows[0].count} leases are marked as cancelled, but ${this.#cancelledCount} were`,
      });
  }

  async #compareRoles(): Promise<void> {
    const { reader } = this.#options;
    const expected: { account: Uint8Array; role: string; sender: Uint8Array; type: bigint }[] = [];
    for (let after: Uint8Array | undefined; ; ) {
      const page = reader.read((chain) => chain.trust.holders({ after, limit: 500 }));
      for (const { address, grants } of page)
        for (const { role, sender, type } of grants)
          expected.push({ account: address.slice(), role, sender: sender.slice(), type });
      after = page.at(-1)?.address.slice();
      if (after === undefined) break;
    }
    const ids = await findAccountIds(
      this.#sql,
      expected.flatMap(({ account, sender }) => [account, sender]),
    );
    const { columns } = tables.role;
    const values = arrayParameters(columns, expected, (address) => ids.get(bytesKey(address)) ?? 0n);
    const names = Object.keys(columns).map((name) => `"${name}"`);
    const actual = `SELECT ${names.join(", ")} FROM ${tableName(tables.role)}`;
    this.#rows += expected.length;
    const difference = (one: string, other: string): string =>
      `SELECT ROW(d.*)::text AS row FROM (${one} EXCEPT ${other}) d`;
    await this.#report(tables.role, "missing", difference(selectRows(columns), actual), values);
    await this.#report(tables.role, "surplus", difference(actual, selectRows(columns)), values);
  }

  /** @param query returns a text `row` for each fault */
  async #report(
    { name }: Pick<TargetTable, "name">,
    problem: TableFault["problem"],
    query: string,
    values: readonly SqlValue[],
  ): Promise<void> {
    const { rows } = await this.#sql.query<{ row: string }>(
      `SELECT left(row, ${MAX_TEXT_LENGTH}) AS row FROM (${query} LIMIT ${FAULTS_PER_STATEMENT}) f`,
      values,
      { deadlineMs: TIMEOUT_MS },
    );
    for (const { row } of rows) this.#faults.push({ table: name, problem, row });
  }
}
