import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { startPglite } from "../testing/pglite-connection.ts";
import { migrate } from "./migrate.ts";

describe("a migration", () => {
  let sql: SqlConnection;
  beforeAll(async () => {
    sql = await startPglite();
  });
  afterAll(() => sql.close());

  test("creates the tables once", async () => {
    expect(await migrate(sql, "test 1")).toEqual({ migrations: ["1.0"], views: "1.0", forAdministrator: [] });
    expect(await migrate(sql, "test 2")).toEqual({ migrations: [], views: "1.0", forAdministrator: [] });
  });

  test("describes every table and column", async () => {
    const { rows } = await sql.query(
      `select c.relname, a.attname from pg_class c
       join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('holdfast', 'holdfast_1')
       left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       where c.relkind in ('r', 'p', 'v') and not c.relispartition
         and (obj_description(c.oid) is null or col_description(c.oid, a.attnum) is null)`,
    );
    expect(rows).toEqual([]);
  });
});
