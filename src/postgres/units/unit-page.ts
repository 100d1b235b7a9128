/** One poll of a gateway: the mirror's position and the next units, in one statement and one snapshot. */
import type { ChainCursor, FollowedPosition, UnitRecord } from "../../interfaces.ts";
import { MAX_FRAME_BYTES } from "../../units/frames.ts";
import { UnitSourceError } from "../../units/source-error.ts";
import type { SqlConnection, SqlRow } from "../connection/sql-connection.ts";
import { TABLES_SCHEMA } from "../schema/statements.ts";

const PAGE_UNITS = 500;
const PAGE_BYTES = 8 * 2 ** 20;
const ID_BYTES = 64;
const DIGEST_BYTES = 32;
const KINDS = ["block", "micro", "persist"] as const;

export interface UnitPage {
  /** Newest unit in the database. */
  readonly tip: ChainCursor;
  readonly persistedHeight: number;
  readonly score: bigint;
  /** A `MirrorState`. */
  readonly state: string;
  /** Id of the store that the mirror reads. */
  readonly source: string;
  /** Hash of the rows of `setting`. */
  readonly settings: string;
  /** True for a paused replica. */
  readonly isPaused: boolean;
  /** When the mirror's lease ended, by the database's clock; undefined while it is in force or unknown. */
  readonly leaseEnded: string | undefined;
  /** True if the position of the poll is on the chain. */
  readonly isOnChain: boolean;
  /** Unit to which a follower must undo because the database has other persist units; undefined if all are the same. */
  readonly common: ChainCursor | undefined;
  /** Units after the position, oldest first. */
  readonly records: readonly UnitRecord[];
}

interface PageRow extends SqlRow {
  readonly height: number;
  readonly sequence: number;
  readonly id: Uint8Array;
  readonly persisted_height: number;
  readonly score: bigint | string;
  readonly state: string;
  readonly source: string;
  readonly settings: string;
  readonly paused: boolean;
  readonly lease_ended: string | null;
  readonly on_chain: boolean;
  /** Null if all persist units are the same. */
  readonly common_height: number | null;
  readonly common_sequence: number;
  readonly common_id: Uint8Array;
  /** Null without units. */
  readonly unit_height: number | null;
  readonly unit_sequence: number;
  readonly unit_id: Uint8Array;
  readonly parent: Uint8Array;
  readonly kind: number;
  readonly arrived_ms: bigint;
  readonly persisted_alone: boolean;
  readonly digest: Uint8Array | null;
  /** Null if they are missing or too long. */
  readonly bytes: Uint8Array | null;
  readonly size: number | null;
}

const unit = `${TABLES_SCHEMA}.unit`;

/**
 * The lowest block below the position with a persist unit that only the database or only the follower has. Ignores
 * persist units that a node without digests may have lost, because followers append them again.
 */
const OTHER_PERSIST = `
select min(height) as height from (
  select height from ${unit} where kind = 2 and height >= $4 and height < $1 and not height = any ($5::int[])
  union all
  select o.height from unnest($5::int[]) as o (height) where o.height >= $4 and o.height < $1
    and not exists (select from ${unit} where height = o.height and kind = 2)
    and not exists (select from ${unit} where height = o.height + 1 and sequence = 0 and digest is null)
) d`;

/**
 * The limit is inside the join, and the join is lateral: otherwise a catch-up sorts all later units.
 * Parameters: height, sequence and id of the position; lowest height of its known persist units, and their heights.
 * @param mayReadLease true if the role may read the table `writer`
 */
const statement = (mayReadLease: boolean): string => `
select c.height, c.sequence, c.id, c.persisted_height, c.score, c.state, c.source,
  (select md5(string_agg(name || value::text, ',' order by name)) from ${TABLES_SCHEMA}.setting) as settings,
  case when pg_is_in_recovery() then pg_is_wal_replay_paused() else false end as paused,
  ${
    mayReadLease ? `(select until::text from ${TABLES_SCHEMA}.writer where until < now())` : "null::text"
  } as lease_ended,
  $1::int = 0 or exists (
    select from ${unit} where height = $1 and sequence = $2 and id = $3) as on_chain,
  m.*, n.*
from ${TABLES_SCHEMA}.chain c left join lateral (
  select u.height as common_height, u.sequence as common_sequence, u.id as common_id
  from (${OTHER_PERSIST}) o join ${unit} u on u.height = o.height and u.kind <> 2
  order by u.sequence desc limit 1
) m on true left join lateral (
  select unit_height, unit_sequence, unit_id, parent, kind, arrived_ms, persisted_alone, digest, bytes, size
  from (
    select u.height as unit_height, u.sequence as unit_sequence, substring(u.id for ${ID_BYTES + 1}) as unit_id,
      substring(u.parent for ${ID_BYTES + 1}) as parent, u.kind, u.arrived_ms, u.persisted_alone,
      substring(u.digest for ${DIGEST_BYTES + 1}) as digest,
      case when b.size <= ${MAX_FRAME_BYTES} then b.bytes end as bytes, b.size,
      sum(b.size) over (
        order by u.height, u.sequence rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      select * from ${unit} where (height, sequence) > ($1, $2)
      order by height, sequence limit ${PAGE_UNITS}
    ) u left join lateral (
      select bytes, octet_length(bytes) as size from ${TABLES_SCHEMA}.unit_body where height = u.height and sequence = u.sequence
    ) b on true
  ) p where coalesce(bytes_before, 0) < ${PAGE_BYTES}
  order by unit_height, unit_sequence
) n on true`;

const statements = { withLease: statement(true), withoutLease: statement(false) };

/** @throws SqlError; UnitSourceError for invalid rows, and `busy` before the mirror has written */
export async function readUnitPage(
  sql: SqlConnection,
  position: FollowedPosition,
  mayReadLease: boolean,
): Promise<UnitPage> {
  const { height, sequence, id, persists = { from: height, heights: [] } } = position;
  const { rows } = await sql.query<PageRow>(
    mayReadLease ? statements.withLease : statements.withoutLease,
    [height, sequence, id, persists.from, persists.heights],
    { name: "holdfast_units" },
  );
  const [first] = rows;
  if (first === undefined)
    throw new UnitSourceError("busy", `The database ${sql.name} is empty: it waits for the mirror`);
  // A numeric may be NaN.
  if (typeof first.score !== "bigint")
    throw new UnitSourceError("malformed", `The database ${sql.name} has the score ${first.score}`);
  return {
    tip: { height: first.height, sequence: first.sequence, id: first.id },
    persistedHeight: first.persisted_height,
    score: first.score,
    state: first.state,
    source: first.source,
    settings: first.settings,
    isPaused: first.paused,
    leaseEnded: first.lease_ended ?? undefined,
    isOnChain: first.on_chain,
    common:
      first.common_height === null
        ? undefined
        : { height: first.common_height, sequence: first.common_sequence, id: first.common_id },
    records: first.unit_height === null ? [] : rows.map((row) => recordOf(sql, row)),
  };
}

/** @throws UnitSourceError */
function recordOf(sql: SqlConnection, row: PageRow): UnitRecord {
  const height = row.unit_height ?? 0;
  const sequence = row.unit_sequence;
  const invalid = (reason: string): never => {
    throw new UnitSourceError("malformed", `The database ${sql.name}, unit ${height}.${sequence}: ${reason}`);
  };
  const kind = KINDS[row.kind] ?? invalid(`unknown kind ${row.kind}`);
  const arrivedAt = Number(row.arrived_ms);
  if (!Number.isSafeInteger(arrivedAt)) invalid(`arrival at ${row.arrived_ms}`);
  if (row.unit_id.length !== ID_BYTES) invalid(`its id does not have ${ID_BYTES} bytes`);
  if (row.parent.length > ID_BYTES) invalid(`its parent has more than ${ID_BYTES} bytes`);
  if (row.digest !== null && row.digest.length !== DIGEST_BYTES)
    invalid(`its digest does not have ${DIGEST_BYTES} bytes`);
  if (row.size !== null && row.size > MAX_FRAME_BYTES) invalid(`it has ${row.size} bytes`);
  const bytes = row.bytes ?? (kind === "persist" ? new Uint8Array(0) : invalid("its bytes are missing"));
  return {
    kind,
    height,
    sequence,
    id: row.unit_id,
    parent: row.parent,
    bytes,
    arrivedAt,
    isParentPersisted: row.persisted_alone,
    digest: row.digest ?? undefined,
  };
}

const COMMON = `
with recursive reverted as (
  (select parent, 1 as depth from ${TABLES_SCHEMA}.reverted_unit
   where id = $1 and sequence = $2 order by reverted_at desc limit 1)
  union all
  select p.parent, r.depth + 1 from reverted r cross join lateral (
    select parent from ${TABLES_SCHEMA}.reverted_unit
    where id = r.parent and sequence <> 65535 order by reverted_at desc limit 1) p
  where r.depth < 4096 and not exists (select from ${TABLES_SCHEMA}.unit where id = r.parent)
)
select u.height, u.sequence, u.id from reverted r join ${TABLES_SCHEMA}.unit u on u.id = r.parent and u.kind <> 2
limit 1`;

/**
 * Returns a reverted unit's newest ancestor on the chain; undefined if the table of reverted units does not reach back
 * to it.
 * @throws SqlError
 */
export async function commonUnit(
  sql: SqlConnection,
  position: ChainCursor,
): Promise<ChainCursor | undefined> {
  const { rows } = await sql.query<{ height: number; sequence: number; id: Uint8Array }>(
    COMMON,
    [position.id, position.sequence],
    { name: "holdfast_common" },
  );
  return rows[0];
}
