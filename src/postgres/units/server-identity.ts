import { UnitSourceError } from "../../units/source-error.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { SqlError } from "../connection/sql-error.ts";
import { TABLES_SCHEMA } from "../schema/statements.ts";

const MIN_SERVER_VERSION = 140_000;

export interface ServerIdentity {
  readonly isReplica: boolean;
  /** True if the role may read the mirror's lease. */
  readonly mayReadLease: boolean;
  /** Identifier that a primary and its replicas share; undefined if it cannot be read. */
  readonly system: string | undefined;
  /** Rises with each promotion of a replica. */
  readonly timeline: number | undefined;
}

/** Newest timeline of each system that this process has seen. */
export type SeenTimelines = Map<string, number>;

const SERVER = `select current_setting('server_version_num') as version, pg_is_in_recovery() as replica,
  has_table_privilege('${TABLES_SCHEMA}.writer', 'select') as lease`;

/** The control file of a replica may name an older timeline for a while. */
const IDENTITY = `select (select system_identifier::text from pg_control_system()) as system,
  case when pg_is_in_recovery()
    then greatest((select timeline_id from pg_control_checkpoint()),
      (select min_recovery_end_timeline from pg_control_recovery()))
    else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline`;

/**
 * Identifies a server.
 * @throws UnitSourceError `refused` for a version below 14, or a timeline older than one seen before; SqlError
 */
export async function identifyServer(sql: SqlConnection, seen: SeenTimelines): Promise<ServerIdentity> {
  const { rows } = await sql.query<{ version: string; replica: boolean; lease: boolean }>(SERVER);
  const { version, replica: isReplica, lease: mayReadLease } = rows[0];
  if (Number(version) < MIN_SERVER_VERSION)
    throw new UnitSourceError(
      "refused",
      `${sql.name} runs PostgreSQL ${Math.floor(Number(version) / 10_000)}: 14 or newer is needed`,
    );
  const { system, timeline } = await controlData(sql);
  if (system === undefined || timeline === undefined) return { isReplica, mayReadLease, system, timeline };
  const newest = seen.get(system) ?? 0;
  if (timeline < newest)
    throw new UnitSourceError(
      "refused",
      `${sql.name} is on timeline ${timeline}, but this process has seen timeline ${newest}: it is a former primary or an old replica`,
    );
  seen.set(system, timeline);
  return { isReplica, mayReadLease, system, timeline };
}

/** Returns nothing if the server lacks the functions of `IDENTITY`, or the role may not call them. */
async function controlData(
  sql: SqlConnection,
): Promise<{ readonly system?: string; readonly timeline?: number }> {
  try {
    const { rows } = await sql.query<{ system: string; timeline: number }>(IDENTITY);
    return rows[0] ?? {};
  } catch (error) {
    if (error instanceof SqlError && (error.kind === "statement" || error.kind === "access")) return {};
    throw error;
  }
}
