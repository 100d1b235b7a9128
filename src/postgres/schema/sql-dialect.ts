import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import type { SqlConnection, SqlValue } from "../connection/sql-connection.ts";

/** Lets Kysely use one of our connections, which it does not close. */
export function sqlDialect(sql: SqlConnection): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql: text, parameters }: CompiledQuery) {
      const { rows, count } = await sql.query(text, parameters as readonly SqlValue[]);
      return { rows: rows as unknown as R[], numAffectedRows: BigInt(count) };
    },
    streamQuery() {
      throw new RangeError("Kysely does not stream here");
    },
  };
  const run = (text: string) => async (one: DatabaseConnection) => {
    await one.executeQuery(CompiledQuery.raw(text));
  };
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: run("begin"),
    commitTransaction: run("commit"),
    rollbackTransaction: run("rollback"),
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  };
  return {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}
