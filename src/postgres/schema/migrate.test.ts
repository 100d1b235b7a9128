import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { startPglite } from "../testing/pglite-connection.ts";
import { allTables } from "./all-tables.ts";
import { migrate } from "./migrate.ts";
import { lateIndexes } from "./statements.ts";
import { allViews } from "./views.ts";
import { VIEWS_VERSION } from "./views-version.ts";

describe("a migration", () => {
  let sql: SqlConnection;
  beforeAll(async () => {
    sql = await startPglite();
  }, 120_000);
  afterAll(() => sql.close());

  test("creates everything once", async () => {
    expect(await migrate(sql, "test 1")).toEqual({
      migrations: ["1.0", "1.1", "1.2"],
      views: "1.0",
      shownFormat: 1,
      forAdministrator: [],
    });
    expect(await migrate(sql, "test 2")).toEqual({
      migrations: [],
      views: "1.0",
      shownFormat: 1,
      forAdministrator: [],
    });
    const { rows } = await sql.query("select format, views, program from holdfast_1.format");
    expect(rows).toEqual([{ format: 1, views: "1.0", program: "test 2" }]);
  }, 60_000);

  test("describes every table, view, column and function", async () => {
    const { rows } = await sql.query(
      `select c.relname, a.attname from pg_class c
       join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('holdfast', 'holdfast_1')
       left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       where c.relkind in ('r', 'p', 'v') and not c.relispartition
         and (obj_description(c.oid, 'pg_class') is null or col_description(c.oid, a.attnum) is null)
       union all
       select p.proname, null from pg_proc p where p.pronamespace = 'holdfast'::regnamespace
         and obj_description(p.oid, 'pg_proc') is null`,
    );
    expect(rows).toEqual([]);
  });

  test("gives every view the columns of its description, with final", async () => {
    const { rows } = await sql.query<{ name: string; columns: string[] }>(
      `select table_name::text as name, array_agg(column_name::text order by ordinal_position) as columns
       from information_schema.columns where table_schema = 'holdfast' group by 1`,
    );
    expect(Object.fromEntries(rows.map(({ name, columns }) => [name, columns]))).toEqual(
      Object.fromEntries(allViews.map(({ name, columns }) => [name, Object.keys(columns)])),
    );
    expect(allViews.filter(({ columns }) => columns.final === undefined).map(({ name }) => name)).toEqual([
      "contract",
    ]);
  });

  test("keeps what the first minor version of the views promised", async () => {
    const { rows: columns } = await sql.query<{ name: string; columns: string[] }>(
      `select c.relname::text as name,
         array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       where c.relnamespace = 'holdfast'::regnamespace and c.relkind = 'v' group by 1 order by 1`,
    );
    const { rows: functions } = await sql.query<{ name: string; columns: string[] }>(
      `select proname || '(' || pg_get_function_arguments(oid) || ')' as name, array[pg_get_function_result(oid)] as columns
       from pg_proc where pronamespace = 'holdfast'::regnamespace order by 1`,
    );
    const current = new Map([...columns, ...functions].map((one) => [one.name, one.columns]));
    const [major] = VIEWS_VERSION.split(".");
    // A new major version gets its own file.
    const file = new URL(`./testing/views-${major}.0.json`, import.meta.url);
    const promised = JSON.parse(readFileSync(file, "utf8")) as Record<string, string[]>;
    expect(Object.keys(promised).length).toBeGreaterThan(30);
    for (const [name, before] of Object.entries(promised))
      expect(current.get(name)?.slice(0, before.length), name).toEqual(before);
  });

  test("creates late indexes one by one, and drops them for a first fill", async () => {
    const indexes = async () =>
      (
        await sql.query<{ name: string }>(
          "select indexname::text as name from pg_indexes where schemaname = 'holdfast_1' and indexname = any ($1) order by 1",
          [lateIndexes.map(({ name }) => name)],
        )
      ).rows.map(({ name }) => name);
    expect(await indexes()).toEqual([]);
    for (const { name } of lateIndexes) {
      const { rows } = await sql.query("select holdfast_1.create_late_index($1) as created", [name]);
      expect(rows, name).toEqual([{ created: true }]);
    }
    expect(await indexes()).toEqual(lateIndexes.map(({ name }) => name).sort());
    const { rows } = await sql.query("select holdfast_1.create_late_index('anchor_key') as created");
    expect(rows).toEqual([{ created: false }]);
    await sql.query("select holdfast_1.analyze_table('anchor')");
    await expect(sql.query("select holdfast_1.analyze_table('anchor_key')")).rejects.toThrow(
      "no table is named anchor_key",
    );
    await sql.query("select holdfast_1.drop_late_indexes()");
    expect(await indexes()).toEqual([]);
    await expect(sql.query("select holdfast_1.create_late_index('account_pkey')")).rejects.toThrow(
      "no late index is named account_pkey",
    );
  }, 60_000);

  test("creates partitions up to a height, without gaps", async () => {
    const parents = allTables.filter(({ isPartitioned }) => isPartitioned === true);
    const ensure = async (height: number) =>
      (await sql.query("select holdfast_1.ensure_partitions($1) as created", [height])).rows;
    expect(await ensure(999_999)).toEqual([{ created: 0 }]);
    expect(await ensure(2_500_000)).toEqual([{ created: 2 * parents.length }]);
    expect(await ensure(2_999_999)).toEqual([{ created: 0 }]);
    const { rows } = await sql.query(
      `select c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bounds from pg_class c
       where c.relispartition and c.relname like 'unit_body%' and c.relkind = 'r' order by 1`,
    );
    expect(rows).toEqual([
      { name: "unit_body_0000000000", bounds: "FOR VALUES FROM (MINVALUE) TO (1000000)" },
      { name: "unit_body_0001000000", bounds: "FOR VALUES FROM (1000000) TO (2000000)" },
      { name: "unit_body_0002000000", bounds: "FOR VALUES FROM (2000000) TO (3000000)" },
    ]);
  });
});
