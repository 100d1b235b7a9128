/** Every table accepts what a chain can contain, and every view and worked question still answers. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bytesKey } from "../src/bytes/compare.ts";
import { encodeHex } from "../src/bytes/hex.ts";
import { encodeUtf8 } from "../src/bytes/utf8.ts";
import { chainStart } from "../src/chain/reading/changes.ts";
import { BoundedCache } from "../src/collections/bounded-cache.ts";
import { addressText } from "../src/crypto/addresses.ts";
import type { ChainCursor } from "../src/interfaces.ts";
import type { SqlConnection } from "../src/postgres/connection/sql-connection.ts";
import { AccountIds } from "../src/postgres/mirror/account-ids.ts";
import { applyBatch, type MirrorState } from "../src/postgres/mirror/apply-batch.ts";
import type { Batch } from "../src/postgres/mirror/batch.ts";
import type { PageBlock, PageUnit } from "../src/postgres/mirror/chain-page.ts";
import { createIndexes } from "../src/postgres/mirror/index-tables.ts";
import { preparePosition } from "../src/postgres/mirror/stored-position.ts";
import { TableRows } from "../src/postgres/mirror/table-rows.ts";
import { addBlockRow, addUnitRows, type UnitEffects } from "../src/postgres/mirror/unit-rows.ts";
import { acquireLease } from "../src/postgres/mirror/writer-lease.ts";
import { allTables, tables } from "../src/postgres/schema/all-tables.ts";
import { migrate } from "../src/postgres/schema/migrate.ts";
import { tableName } from "../src/postgres/schema/statements.ts";
import { allViews } from "../src/postgres/schema/views.ts";
import { testDescription } from "../src/postgres/testing/mirror-database.ts";
import { emptyTables } from "../src/postgres/testing/mirrored-tables.ts";
import { PostgresServer, postgresPrograms } from "../src/postgres/testing/postgres-server.ts";
import { readRevertedUnits } from "../src/postgres/units/reverted-units.ts";
import { dev } from "../src/profiles/index.ts";
import { definitionOf, type Transaction } from "../src/transactions/index.ts";
import { definitions } from "../src/transactions/registry.ts";
import { transactionArbitrary } from "../src/transactions/testing/arbitrary.ts";
import { questions, type SqlVariable, withVariables } from "./support/sql-questions.ts";

/** Runs: 2 in the test run; more with `SOAK_TIMES`. */
const RUNS = Number(process.env.SOAK_TIMES ?? 2);
const MAX_INT64 = 2n ** 63n - 1n;

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: MAX_INT64 });
const numeric = fc.bigInt({ min: 0n, max: 2n ** 80n });
const amount = fc.oneof(fc.constant(MAX_INT64), fc.bigInt({ min: 0n, max: MAX_INT64 }));
const address = bytesOf(26);

/** One transaction of each type. */
const everyType = fc.tuple(
  ...definitions
    .filter(({ existsOn }) => existsOn(dev))
    .map(({ type }) => transactionArbitrary({ network: dev, types: [type] })),
);

interface Unit {
  readonly id: Uint8Array;
  readonly transactions: readonly Transaction[];
  readonly results: readonly {
    readonly id: Uint8Array;
    readonly effectiveFee: bigint;
    readonly effectiveSponsor: Uint8Array | undefined;
  }[];
  readonly accounts: PageUnit["accounts"];
  readonly block: Omit<PageBlock, "height">;
  /** Received many times with the largest amount. */
  readonly rich: Uint8Array;
}

const unit: fc.Arbitrary<Unit> = everyType.chain((transactions) =>
  fc.record({
    id: bytesOf(64),
    transactions: fc.constant(transactions),
    results: fc.tuple(
      ...transactions.map(() =>
        fc.record({
          id: bytesOf(32),
          effectiveFee: amount,
          effectiveSponsor: fc.option(address, { nil: undefined }),
        }),
      ),
    ),
    accounts: fc.uniqueArray(
      fc.record({ address, balance: amount, leaseIn: amount, leaseOut: amount, unbonding: amount }),
      { maxLength: 5, selector: (one) => bytesKey(one.address) },
    ),
    block: fc.record({
      id: bytesOf(64),
      keyBlockId: bytesOf(64),
      version: fc.integer({ min: 1, max: 255 }),
      timestamp: fc.oneof(fc.constant(MAX_INT64), int64),
      reference: bytesOf(64),
      baseTarget: fc.bigInt({ min: 1n, max: MAX_INT64 }),
      generationSignature: bytesOf(32),
      features: fc.array(fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }), { maxLength: 5 }),
      feeVote: fc.integer({ min: -128, max: 127 }),
      generatorKey: bytesOf(32),
      generator: address,
      size: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      transactionCount: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      fees: numeric,
      burnedFees: numeric,
      miningReward: numeric,
      generatorReward: numeric,
      score: numeric,
    }),
    rich: address,
  }),
);

function batchOf(height: number, from: ChainCursor, one: Unit, encodes = false): Batch {
  const rows = new TableRows(encodes);
  const effects: UnitEffects = { cancelledLeases: [], associated: [], accountsWithKey: new Set() };
  const record = {
    kind: "block" as const,
    height,
    sequence: 0,
    id: one.id,
    parent: from.id,
    bytes: one.id,
    arrivedAt: Number.MAX_SAFE_INTEGER,
    isParentPersisted: false,
    digest: undefined,
  };
  const transactions = one.results.map((result) => ({ ...result, accounts: [] }));
  addUnitRows(
    rows,
    effects,
    { record, accounts: one.accounts, results: { firstPosition: 0, transactions } },
    one.transactions,
  );
  addBlockRow(rows, { ...one.block, height });
  const { rich } = one;
  for (let index = 0; index < 4; index++) {
    const place = { height, position: 1_000 + index };
    const both = { sender: one.block.generator, recipient: rich, amount: MAX_INT64 };
    rows.add(tables.transfer, {
      ...place,
      ...both,
      index,
      attachment: Uint8Array.of(0xff, 0),
      attachment_text: null,
    });
    rows.add(tables.burn, { ...place, sender: rich, amount: MAX_INT64 });
    const lease = { id: Uint8Array.of(height, index), cancelled_height: null, cancelled_position: null };
    rows.add(tables.lease, { ...place, ...both, ...lease, recipient: one.block.generator });
  }
  // Longer than any that a transaction can contain.
  const key = encodeUtf8("\u{10ffff}".repeat(255));
  const value = new Uint8Array(64 * 1024).map((_, i) => i * i);
  const values = { integer_value: null, boolean_value: null, binary_value: value, string_value: value };
  const place = { height, position: 2_000 };
  const long = { ...place, ...values, index: 0, key, key_text: null, type: "string", string_text: null };
  rows.add(tables.dataEntry, { ...long, account: rich });
  rows.add(tables.claim, long);
  rows.add(tables.transfer, {
    ...place,
    index: 0,
    sender: null,
    recipient: one.block.generator,
    amount: 1n,
    attachment: value,
    attachment_text: '\u{10ffff}\u0001"\\'.repeat(32 * 1024),
  });
  effects.associated.push(rich);
  rows.add(tables.role, { account: rich, role: "root", sender: rich, type: -(2n ** 63n) });
  const next = { height, sequence: 0, id: one.id };
  return {
    from,
    undoTo: undefined,
    rows,
    effects,
    firstBlock: height,
    next,
    persistedHeight: Math.max(1, height - 1),
    score: one.block.score,
    units: 1,
    transactions: transactions.length,
    isComplete: true,
  };
}

/** Tables whose rows do not all come from the batch, or not as they are in it. */
const derived: readonly string[] = [tables.account, tables.accountKey, tables.lease].map(({ name }) => name);

function valueText(value: unknown): string {
  if (value instanceof Uint8Array) return `x${encodeHex(value)}`;
  if (value instanceof Date) return `t${value.getTime()}`;
  return Array.isArray(value) ? `[${value.join()}]` : String(value);
}

describe.skipIf(postgresPrograms === undefined)("values (scripts/install-postgres.sh)", () => {
  let server: PostgresServer;
  let sql: SqlConnection;
  let reader: SqlConnection;
  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.createDatabase("chain");
    sql = await server.connect("postgres", "chain");
    await migrate(sql, "test");
    reader = await server.connect("holdfast_reader", "chain");
  });
  afterAll(async () => {
    for (const connection of [reader, sql]) await connection?.close();
    await server?.stop();
  });

  const written = new Set<string>();

  async function expectRows({ rows }: Batch, height: number): Promise<void> {
    const { rows: accounts } = await sql.query<{ id: bigint; address: Uint8Array }>(
      `select id, address from ${tableName(tables.account)}`,
    );
    const ids = new Map(accounts.map(({ id, address }) => [bytesKey(address), id]));
    for (const { table, rows: expected } of rows.tables) {
      written.add(table.name);
      if (derived.includes(table.name)) continue;
      const columns = Object.entries(table.columns);
      const textOf = (row: Readonly<Record<string, unknown>>): string =>
        columns
          .map(([name, { type }]) => {
            const value = row[name];
            return valueText(
              type === "bigint" && value instanceof Uint8Array ? ids.get(bytesKey(value)) : value,
            );
          })
          .join(" ");
      const where = "height" in table.columns ? `where height = ${height}` : "";
      const { rows: found } = await sql.query(`select * from ${tableName(table)} ${where}`);
      expect(found.map(textOf).sort(), table.name).toEqual(expected.map(textOf).sort());
    }
  }

  async function expectAnswers(one: Unit): Promise<void> {
    for (const { name } of allViews) await reader.query(`select * from holdfast.${name}`);
    const [{ id }] = one.results;
    const subject = one.transactions.flatMap(
      (transaction) => definitionOf(transaction).statement?.(transaction).subject ?? [],
    );
    const addresses = [
      one.rich,
      one.block.generator,
      ...one.transactions.map(({ senderAddress }) => senderAddress),
    ];
    for (const account of addresses.slice(0, 3)) {
      const text = addressText(account);
      const variables: Readonly<Record<string, SqlVariable>> = {
        address: text,
        did: `did:lto:${text}`,
        moment: "9999-12-31T23:59:59Z",
        height: 2,
        day: "2026-01-01",
        id,
        hash: id,
        credential: subject[0] ?? id,
      };
      for (const statements of questions.values())
        for (const statement of statements) await reader.query(withVariables(statement, variables));
    }
    const richest = await reader.query<{ amount: bigint }>(
      "select sum(amount) as amount from holdfast.transfers where recipient = $1",
      [addressText(one.rich)],
    );
    expect(richest.rows[0].amount).toBe(4n * MAX_INT64);
    expect((await reader.query("select * from holdfast.transaction_by_id($1)", [id])).count).toBe(1);
  }

  test.each([
    ["COPY", "filling"],
    ["arrays", "live"],
  ] as const)("of every kind are written by %s, selected and undone", async (_, state: MirrorState) => {
    await fc.assert(
      fc.asyncProperty(unit, unit, async (first, second) => {
        await emptyTables(sql);
        await preparePosition(sql, testDescription);
        const lease = await acquireLease(sql, "test");
        if (!("epoch" in lease)) throw new Error("Another mirror writes");
        const options = {
          sql,
          ids: new AccountIds(),
          storedKeys: new BoundedCache<true>({ entries: 1_000 }),
          epoch: lease.epoch,
          source: "store",
          program: "test",
          state,
        };
        const encodes = state === "filling";
        const one = batchOf(1, chainStart, first, encodes);
        await createIndexes([sql], () => {});
        await applyBatch(one, options);
        await expectRows(batchOf(1, chainStart, first), 1);
        const two = batchOf(2, one.next, second, encodes);
        await applyBatch(two, options);
        await expectAnswers(second);
        const undo = { ...one, from: two.next, undoTo: one.next, rows: new TableRows(), firstBlock: 2 };
        expect(await applyBatch(undo, options)).toBe(1);
        const [reverted] = await readRevertedUnits(sql);
        expect(reverted).toMatchObject({
          fees: second.results.map(({ effectiveFee }) => effectiveFee),
          payers: second.results.map(({ effectiveSponsor }) => effectiveSponsor),
        });
        for (const { name } of allViews) await reader.query(`select * from holdfast.${name}`);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  test("are in every table with facts", () => {
    const facts = allTables.filter(({ kind }) => kind.kind === "fact");
    expect(facts.filter(({ name }) => !written.has(name)).map(({ name }) => name)).toEqual([]);
  });
});
