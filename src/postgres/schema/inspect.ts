import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { migrations } from "./migrations.ts";
import { SchemaError } from "./schema-error.ts";
import { FORMAT, TABLES_SCHEMA, VIEWS_SCHEMA } from "./statements.ts";
import { VIEWS_VERSION } from "./views-version.ts";

const MIN_SERVER_VERSION = 140_000;

export interface SchemaState {
  /** Names of the migrations that ran. */
  readonly migrations: readonly string[];
  /** Major and minor version of the views; undefined before the first migration. */
  readonly views: string | undefined;
}

interface ServerRow extends Readonly<Record<string, unknown>> {
  readonly version: string;
  readonly encoding: string;
  readonly formats: readonly string[];
  readonly foreign_name: string | null;
}

/** `foreign_name` is a relation that belongs to neither Holdfast, PostgreSQL nor an extension. */
const SERVER = `select current_setting('server_version_num') as version,
  current_setting('server_encoding') as encoding,
  array(select nspname::text from pg_namespace where nspname ~ '^holdfast_\\d+$' order by 1) as formats,
  (select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'v', 'm', 'p', 'f', 'S') and n.nspname !~ '^(pg_|information_schema$|holdfast_\\d+$)'
     and n.nspname <> '${VIEWS_SCHEMA}'
     and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
   order by 1 limit 1) as foreign_name`;

/** `1.10` is newer than `1.9`. */
function isNewer(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split(".").map(Number);
  return major > otherMajor || (major === otherMajor && minor > otherMinor);
}

/**
 * Checks that this program may migrate or use a database, and changes nothing.
 * @throws SchemaError `old server`, `not UTF-8`, `not ours` or `newer format`; SqlError
 */
export async function inspectSchema(sql: SqlConnection): Promise<SchemaState> {
  const { rows } = await sql.query<ServerRow>(SERVER);
  const [server] = rows;
  if (server === undefined) throw new SchemaError("not ours", `${sql.name} does not report its version`);
  const { version, encoding, formats, foreign_name: foreign } = server;
  if (Number(version) < MIN_SERVER_VERSION)
    throw new SchemaError(
      "old server",
      `${sql.name} runs PostgreSQL ${Math.floor(Number(version) / 10_000)}`,
      "14 or newer is needed",
    );
  if (encoding !== "UTF8")
    throw new SchemaError(
      "not UTF-8",
      `The database ${sql.name} has the encoding ${encoding}`,
      "create it with UTF8",
    );
  const newest = Math.max(0, ...formats.map(formatOf));
  if (newest > FORMAT)
    throw new SchemaError(
      "newer format",
      `The database ${sql.name} has tables of format ${newest}; this program knows format ${FORMAT}`,
      "use the program that wrote them, or drop that format",
    );
  if (!formats.includes(TABLES_SCHEMA)) {
    // Users may have added relations next to tables of an older format.
    if (formats.length === 0 && foreign !== null)
      throw new SchemaError(
        "not ours",
        `The database ${sql.name} is not empty: it contains ${foreign}`,
        "use an empty database",
      );
    return { migrations: [], views: undefined };
  }
  return inspectMigrations(sql);
}

async function inspectMigrations(sql: SqlConnection): Promise<SchemaState> {
  const done = await migrationNames(sql);
  const views = await viewsVersion(sql);
  const unknown = done.find((name) => !migrations.some((one) => one.name === name));
  if (unknown !== undefined || (views !== undefined && isNewer(views, VIEWS_VERSION)))
    throw new SchemaError(
      "newer format",
      `The database ${sql.name} has the schema ${views ?? unknown}; this program knows ${VIEWS_VERSION}`,
      "upgrade this program",
    );
  return { migrations: done, views };
}

/** Checks for a mirror that all migrations of this program ran. @throws SchemaError `not migrated`; SqlError */
export async function requireMigrations(sql: SqlConnection): Promise<void> {
  const done = await migrationNames(sql);
  const missing = migrations.find(({ name }) => !done.includes(name));
  if (missing === undefined) return;
  throw new SchemaError(
    "not migrated",
    `The database ${sql.name} lacks the migration ${missing.name}`,
    "run holdfast mirror migrate",
  );
}

async function migrationNames(sql: SqlConnection): Promise<readonly string[]> {
  const { rows } = await sql.query<{ name: string }>(
    `select name from ${TABLES_SCHEMA}.migration order by name`,
  );
  return rows.map(({ name }) => name);
}

/** Returns the format of the tables that the views read; undefined without views. @throws SqlError */
export async function formatOfViews(sql: SqlConnection): Promise<number | undefined> {
  const { rows } = await sql.query<{ name: string }>(
    `select distinct n.nspname::text as name from pg_depend d join pg_rewrite r on r.oid = d.objid
       join pg_class v on v.oid = r.ev_class join pg_class t on t.oid = d.refobjid
       join pg_namespace n on n.oid = t.relnamespace
     where d.classid = 'pg_rewrite'::regclass and v.relnamespace = to_regnamespace($1) and n.nspname ~ '^holdfast_\\d+$'`,
    [VIEWS_SCHEMA],
  );
  return rows[0] && formatOf(rows[0].name);
}

const formatOf = (schema: string): number => Number(schema.slice(VIEWS_SCHEMA.length + 1));

async function viewsVersion(sql: SqlConnection): Promise<string | undefined> {
  const { rows } = await sql.query<{ views: string }>(`select views from ${TABLES_SCHEMA}.format`);
  return rows[0]?.views;
}

export interface NetworkIdentity {
  readonly name: string;
  /** Id of the genesis block, 64 bytes. */
  readonly genesis: Uint8Array;
}

/**
 * Checks that a mirror or gateway may use the database: it has this program's schema, and no chain of another network.
 * Every role that reads tables may call it.
 * @throws SchemaError `not migrated`, `newer format` or `another network`; SqlError
 */
export async function requireSchema(sql: SqlConnection, network?: NetworkIdentity): Promise<void> {
  const { rows } = await sql.query<{ found: boolean }>("select to_regclass($1) is not null as found", [
    `${TABLES_SCHEMA}.format`,
  ]);
  const views = rows[0]?.found === true ? await viewsVersion(sql) : undefined;
  if (views === undefined || isNewer(VIEWS_VERSION, views))
    throw new SchemaError(
      "not migrated",
      views === undefined
        ? `The database ${sql.name} has no tables of format ${FORMAT}`
        : `The database ${sql.name} has the schema ${views}; this program needs ${VIEWS_VERSION}`,
      "run holdfast mirror migrate",
    );
  if (isNewer(views, VIEWS_VERSION))
    throw new SchemaError(
      "newer format",
      `The database ${sql.name} has the schema ${views}; this program knows ${VIEWS_VERSION}`,
      "upgrade this program",
    );
  if (network !== undefined) await requireNetwork(sql, network);
}

async function requireNetwork(sql: SqlConnection, { name, genesis }: NetworkIdentity): Promise<void> {
  const { rows } = await sql.query<{ network: string; genesis: Uint8Array }>(
    `select network, genesis from ${TABLES_SCHEMA}.chain`,
  );
  const [found] = rows;
  if (found === undefined || (found.network === name && bytesEqual(found.genesis, genesis))) return;
  throw new SchemaError(
    "another network",
    `The database ${sql.name} has the chain of ${found.network} (genesis ${encodeBase58(found.genesis)}), not of ${name} (genesis ${encodeBase58(genesis)})`,
    "use another database",
  );
}
