import type { SqlConnection } from "../connection/sql-connection.ts";
import { formatOfViews } from "./inspect.ts";
import { SchemaError } from "./schema-error.ts";
import { quoteName, VIEWS_SCHEMA } from "./statements.ts";

const DROP_TIMEOUT_MS = 60_000;

export interface DroppedSchema {
  readonly name: string;
  readonly bytes: number;
}

/**
 * Returns the schema of a format; by default the schemas of all formats and of the views.
 * @throws SchemaError `in use` if the views read the tables of this format
 */
export async function schemasToDrop(sql: SqlConnection, format?: number): Promise<readonly DroppedSchema[]> {
  if (format !== undefined && (await formatOfViews(sql)) === format)
    throw new SchemaError(
      "in use",
      `The views of ${sql.name} read the tables of format ${format}`,
      "leave out --format to drop the views too",
    );
  const { rows } = await sql.query<{ name: string; bytes: bigint }>(
    `select n.nspname::text as name, coalesce(sum(pg_total_relation_size(c.oid)) filter (where c.relkind = 'r'), 0) as bytes
     from pg_namespace n left join pg_class c on c.relnamespace = n.oid
     where n.nspname = $1 or ($1 is null and (n.nspname ~ '^${VIEWS_SCHEMA}_\\d+$' or n.nspname = '${VIEWS_SCHEMA}'))
     group by 1 order by 1`,
    [format === undefined ? null : `${VIEWS_SCHEMA}_${format}`],
  );
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }));
}

/**
 * Drops schemas in one transaction.
 * @throws SqlError if other relations depend on them, such as the views of another format
 */
export async function dropSchemas(sql: SqlConnection, schemas: readonly DroppedSchema[]): Promise<void> {
  const views = schemas.filter(({ name }) => name === VIEWS_SCHEMA);
  const others = schemas.filter(({ name }) => name !== VIEWS_SCHEMA);
  await sql.transaction(() =>
    sql.script(
      // The views depend on the tables.
      [...views, ...others].map(({ name }) => `drop schema ${quoteName(name)} cascade`),
      { deadlineMs: DROP_TIMEOUT_MS },
    ),
  );
}
