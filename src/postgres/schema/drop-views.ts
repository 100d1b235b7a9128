/** Views of another major version cannot be replaced one by one: PostgreSQL refuses other columns or types. */
import type { SqlConnection } from "../connection/sql-connection.ts";
import { roles } from "./roles.ts";
import { SchemaError } from "./schema-error.ts";
import { quoteName, VIEWS_SCHEMA } from "./statements.ts";
import { allViews } from "./views.ts";

/** Deadline of the drop, which waits for queries of these views, ms. */
const DROP_TIMEOUT_MS = 60_000;

const ours = `select oid, relname::text as name, relacl from pg_class
where relnamespace = to_regnamespace('${VIEWS_SCHEMA}') and relkind = 'v' and relowner = '${roles.owner}'::regrole`;

/** Users' views and functions that use our views. Our functions are dropped with the views. */
const DEPENDENTS = `
select n.nspname || '.' || o.name as name from (
  select v.oid, v.relnamespace as namespace, v.relname as name, d.refobjid
  from pg_depend d join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
    join pg_class v on v.oid = r.ev_class
  union
  select p.oid, p.pronamespace, p.proname, d.refobjid
  from pg_depend d join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
  where p.proowner <> '${roles.owner}'::regrole
) o join pg_namespace n on n.oid = o.namespace
where o.refobjid in (select oid from (${ours}) v) and o.oid not in (select oid from (${ours}) v)
order by 1 limit 1`;

const VIEWS = `select name from (${ours}) v order by 1`;

const GRANTS = `select v.name as view, r.rolname::text as role
from (${ours}) v cross join aclexplode(v.relacl) a join pg_roles r on r.oid = a.grantee
where a.privilege_type = 'SELECT' and not r.rolname = any ($1) order by 1, 2`;

/**
 * Drops our views, and the functions that use them, in the current transaction.
 * @returns statements that let other roles read the new views of the same names
 * @throws SchemaError `in use` if users' views or functions depend on them; SqlError
 */
export async function dropOldViews(sql: SqlConnection): Promise<readonly string[]> {
  const { rows: dependents } = await sql.query<{ name: string }>(DEPENDENTS);
  if (dependents.length > 0)
    throw new SchemaError(
      "in use",
      `${dependents[0].name} reads the views of ${sql.name}, which a new major version replaces`,
      "drop it, repeat the command, and create it again",
    );
  const { rows: views } = await sql.query<{ name: string }>(VIEWS);
  const { rows: granted } = await sql.query<{ view: string; role: string }>(GRANTS, [Object.values(roles)]);
  const nameOf = (view: string): string => `${VIEWS_SCHEMA}.${quoteName(view)}`;
  await sql.query(`drop view ${views.map(({ name }) => nameOf(name)).join(", ")} cascade`, [], {
    deadlineMs: DROP_TIMEOUT_MS,
  });
  return granted
    .filter(({ view }) => allViews.some(({ name }) => name === view))
    .map(({ view, role }) => `grant select on ${nameOf(view)} to ${quoteName(role)}`);
}
