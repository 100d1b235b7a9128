import { Kysely, type Migration, Migrator } from "kysely";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { dropOldViews } from "./drop-views.ts";
import { formatOfViews, inspectSchema } from "./inspect.ts";
import { migrations } from "./migrations.ts";
import { grants, missingRoles, roleSettings, roles } from "./roles.ts";
import { SchemaError } from "./schema-error.ts";
import { sqlDialect } from "./sql-dialect.ts";
import { FORMAT, quoteName, quoteText, TABLES_SCHEMA, VIEWS_SCHEMA } from "./statements.ts";
import { allViews, createViews } from "./views.ts";
import { VIEWS_VERSION } from "./views-version.ts";

/** Key of the advisory lock: the bytes of "holdfast". */
const MIGRATION_LOCK = 7_525_352_680_829_580_148n;
const LOCK_TIMEOUT = "30s";
/** Deadline of a script, ms. */
const SCRIPT_TIMEOUT_MS = 60_000;

export interface Migrated {
  /** Names of the migrations that ran now. */
  readonly migrations: readonly string[];
  /** Version of the views. */
  readonly views: string;
  /** Format of the tables that the views read: an older one until the tables of this program's format are filled. */
  readonly shownFormat: number;
  /** Statements that an administrator must run to limit the reader role, if any. */
  readonly forAdministrator: readonly string[];
}

/**
 * Brings the schema to this program's version: roles, tables, functions, views and grants. Mirror and gateways may run
 * meanwhile. An advisory lock serializes concurrent calls. Views of an older format remain until the new tables are
 * live. The next call then replaces them in one transaction.
 * @param program name and version, which the table `format` records
 * @throws SchemaError, before anything is written; SqlError
 */
export async function migrate(sql: SqlConnection, program: string): Promise<Migrated> {
  await inspectSchema(sql);
  await sql.query("select pg_advisory_lock($1)", [MIGRATION_LOCK], { deadlineMs: SCRIPT_TIMEOUT_MS });
  try {
    return await migrateLocked(sql, program);
  } finally {
    if (!sql.lost.aborted)
      await sql.script(["reset role", "reset lock_timeout", `select pg_advisory_unlock(${MIGRATION_LOCK})`]);
  }
}

async function migrateLocked(sql: SqlConnection, program: string): Promise<Migrated> {
  // Another program may have changed the schema while this one waited.
  await inspectSchema(sql);
  const login = await prepareRoles(sql);
  await sql.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  await sql.query(`set role ${roles.owner}`);
  const done = await runMigrations(sql);
  const shown = (await formatOfViews(sql)) ?? FORMAT;
  const replacesViews = shown === FORMAT || (await isLive(sql));
  await sql.transaction(async () => {
    const regrant = replacesViews && shown !== FORMAT ? await dropOldViews(sql) : [];
    const views = replacesViews ? allViews.map(({ name }) => name) : [];
    const statements = [...(replacesViews ? createViews() : []), ...grants(views), ...regrant];
    await sql.script([...migrationComments(), ...statements], {
      deadlineMs: SCRIPT_TIMEOUT_MS,
    });
    await sql.query(
      `insert into ${TABLES_SCHEMA}.format values ($1, $2, $3, now())
       on conflict ((true)) do update set format = $1, views = $2, program = $3, migrated_at = now()`,
      [FORMAT, VIEWS_VERSION, program],
    );
  });
  await sql.query("reset role");
  const settings = roleSettings(login.database);
  if (login.creates_roles) await sql.script(settings);
  return {
    migrations: done,
    views: VIEWS_VERSION,
    shownFormat: replacesViews ? FORMAT : shown,
    forAdministrator: login.creates_roles ? [] : settings,
  };
}

async function isLive(sql: SqlConnection): Promise<boolean> {
  const { count } = await sql.query(`select from ${TABLES_SCHEMA}.chain where state = 'live'`);
  return count > 0;
}

/** Runs the missing migrations in one transaction. */
async function runMigrations(sql: SqlConnection): Promise<readonly string[]> {
  const db = new Kysely<unknown>({ dialect: sqlDialect(sql) });
  await sql.query(`create schema if not exists ${TABLES_SCHEMA}`);
  await sql.query(`create schema if not exists ${VIEWS_SCHEMA}`);
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () =>
        Object.fromEntries(migrations.map(({ name, statements }) => [name, migrationOf(sql, statements)])),
    },
    migrationTableSchema: TABLES_SCHEMA,
    migrationTableName: "migration",
    migrationLockTableName: "migration_lock",
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.map(({ migrationName }) => migrationName);
}

const migrationOf = (sql: SqlConnection, statements: () => readonly string[]): Migration => ({
  // Kysely has begun the transaction on this connection.
  up: () => sql.script(statements(), { deadlineMs: SCRIPT_TIMEOUT_MS }),
});

/** Returns statements that comment Kysely's tables. */
function migrationComments(): string[] {
  const comments = {
    "table migration": "Migrations that ran.",
    "column migration.name": "Name of the migration",
    "column migration.timestamp": "Time at which it ran, ISO 8601",
    "table migration_lock": "One row, which a migration locks.",
    "column migration_lock.id": "Always migration_lock",
    "column migration_lock.is_locked": "Not used by PostgreSQL",
  };
  return Object.entries(comments).map(
    ([target, text]) => `comment on ${target.replace(" ", ` ${TABLES_SCHEMA}.`)} is ${quoteText(text)}`,
  );
}

interface Login extends Readonly<Record<string, unknown>> {
  readonly database: string;
  readonly login: string;
  readonly creates_roles: boolean;
}

/**
 * Creates missing roles, and lets the owner create schemas.
 * @throws SchemaError `missing role`, with the statements for an administrator
 */
async function prepareRoles(sql: SqlConnection): Promise<Login> {
  const { rows } = await sql.query<Login>(
    `select current_database()::text as database, session_user::text as login,
       (select rolsuper or rolcreaterole from pg_roles where rolname = session_user) as creates_roles`,
  );
  const [login] = rows;
  const needed = [...(await missingRoles(sql)), ...(await missingRights(sql, login))];
  if (needed.length > 0 && !login.creates_roles)
    throw new SchemaError(
      "missing role",
      `The role ${login.login} may not prepare the database ${login.database}`,
      `let an administrator run: ${needed.join("; ")}`,
    );
  for (const text of needed) await sql.query(text);
  return login;
}

/** Statements that give the owner its rights, make the login a member of the owner role, and take rights from `public`. */
async function missingRights(sql: SqlConnection, { database, login }: Login): Promise<readonly string[]> {
  const { rows } = await sql.query<Record<"creates" | "member" | "temporary" | "public", boolean>>(
    `select coalesce(has_database_privilege(r.oid, current_database(), 'create'), false) as creates,
       coalesce(pg_has_role(session_user, r.oid, 'member'), false) as member,
       has_database_privilege('public', current_database(), 'temporary') as temporary,
       coalesce(has_schema_privilege('public', to_regnamespace('public'), 'create'), false) as public
     from (select 1) one left join pg_roles r on r.rolname = $1`,
    [roles.owner],
  );
  const [found] = rows;
  const onDatabase = `on database ${quoteName(database)}`;
  return [
    ...(found.creates ? [] : [`grant connect, create, temporary ${onDatabase} to ${roles.owner}`]),
    ...(found.member ? [] : [`grant ${roles.owner} to ${quoteName(login)}`]),
    ...(found.temporary ? [`revoke temporary ${onDatabase} from public`] : []),
    ...(found.public ? ["revoke create on schema public from public"] : []),
  ];
}
