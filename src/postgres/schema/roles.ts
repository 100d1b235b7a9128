import type { SqlConnection } from "../connection/sql-connection.ts";
import { tables } from "./all-tables.ts";
import { writerFunctions } from "./functions.ts";
import { quoteName, TABLES_SCHEMA, tableName, VIEWS_SCHEMA } from "./statements.ts";

export const roles = {
  /** Creates and migrates the schemas. */
  owner: "holdfast_owner",
  /** The mirror: writes rows, creates nothing. */
  writer: "holdfast_writer",
  /** Reads units. */
  gateway: "holdfast_gateway",
  /** Reads views. */
  reader: "holdfast_reader",
} as const;

/** Maximum duration of a reader's statement. The reader can change it for a session. */
const READER_TIMEOUT = "60s";

const gatewayTables = [
  tables.chain,
  tables.setting,
  tables.writer,
  tables.unit,
  tables.unitBody,
  tables.revertedUnit,
];

const migrationTables = ["late_index", "format", "migration", "migration_lock"]
  .map((name) => `${TABLES_SCHEMA}.${name}`)
  .join(", ");

/** Statements that create missing roles. They need the attribute CREATEROLE. */
export async function missingRoles(sql: SqlConnection): Promise<readonly string[]> {
  const { rows } = await sql.query<{ rolname: string }>(
    "select rolname from pg_roles where rolname like 'holdfast%'",
  );
  const existing = new Set(rows.map(({ rolname }) => rolname));
  return Object.values(roles)
    .filter((name) => !existing.has(name))
    .map((name) => `create role ${name} login`);
}

/** Statements that the owner runs after each migration. @param views names of the created views */
export function grants(views: readonly string[]): string[] {
  const viewNames = views.map((name) => `${VIEWS_SCHEMA}.${quoteName(name)}`).join(", ");
  const functions = writerFunctions.map((name) => `${TABLES_SCHEMA}.${name}`).join(", ");
  const { writer, gateway, reader } = roles;
  return [
    `revoke all on all functions in schema ${TABLES_SCHEMA} from public`,
    `grant usage on schema ${TABLES_SCHEMA} to ${writer}, ${gateway}`,
    `grant usage on schema ${VIEWS_SCHEMA} to ${writer}, ${gateway}, ${reader}`,
    `revoke all on all tables in schema ${TABLES_SCHEMA} from ${writer}, ${gateway}, ${reader}`,
    `grant select, insert, update, delete, truncate on all tables in schema ${TABLES_SCHEMA} to ${writer}`,
    `revoke insert, update, delete, truncate on ${migrationTables} from ${writer}`,
    `grant execute on function ${functions} to ${writer}`,
    `grant select on ${gatewayTables.map(tableName).join(", ")}, ${TABLES_SCHEMA}.format to ${gateway}`,
    ...(views.length === 0
      ? []
      : [
          `revoke all on ${viewNames} from ${writer}, ${gateway}, ${reader}`,
          `grant select on ${viewNames} to ${writer}, ${reader}`,
        ]),
  ];
}

/** Statements that limit the reader. Only a superuser, or a role with CREATEROLE and rights on the reader, may run them. */
export function roleSettings(database: string): string[] {
  const at = `alter role ${roles.reader} in database ${quoteName(database)} set`;
  return [
    `${at} default_transaction_read_only = on`,
    `${at} statement_timeout = '${READER_TIMEOUT}'`,
    `${at} search_path = ${VIEWS_SCHEMA}`,
    `${at} timezone = 'UTC'`,
  ];
}
