/** The mirror's position in the database, and the newest unit that is also on the node's chain. */

import { chainStart } from "../../chain/reading/changes.ts";
import type { ChainCursor, ChainReader, PersistUnits, SourceDescription } from "../../interfaces.ts";
import { MAX_PERSIST_UNITS } from "../../queries/units.ts";
import { descriptionJson } from "../../units/description.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { tables } from "../schema/all-tables.ts";
import { tableName } from "../schema/statements.ts";
import { type MirrorState, OutdatedPositionError } from "./apply-batch.ts";

const chain = tableName(tables.chain);
const unit = tableName(tables.unit);
const setting = tableName(tables.setting);

export interface StoredPosition {
  readonly cursor: ChainCursor;
  readonly score: bigint;
  readonly state: MirrorState;
  /** Id of the store from which the newest unit came. */
  readonly source: string;
}

interface ChainRow extends Readonly<Record<string, unknown>> {
  readonly height: number;
  readonly sequence: number;
  readonly id: Uint8Array;
  readonly score: bigint;
  readonly state: MirrorState;
  readonly source: string;
}

/** Creates the position of an empty database. @throws SqlError */
export async function preparePosition(
  sql: SqlConnection,
  { network, store, program }: SourceDescription,
): Promise<void> {
  await sql.query(
    `INSERT INTO ${chain} (network, genesis, height, sequence, id, persisted_height, score, state, source, epoch,
       program, changed_at)
     VALUES ($1, $2, 0, 0, '', 0, 0, 'filling', $3, 0, $4, clock_timestamp()) ON CONFLICT DO NOTHING`,
    [network.name, network.genesis, store, program],
  );
}

/** @throws SqlError; OutdatedPositionError if the database has no position */
export async function readPosition(sql: SqlConnection): Promise<StoredPosition> {
  const { rows } = await sql.query<ChainRow>(
    `SELECT height, sequence, id, score, state, source FROM ${chain}`,
  );
  const [row] = rows;
  if (row === undefined) throw new OutdatedPositionError("The database has no position");
  const { height, sequence, id, score, state, source } = row;
  return { cursor: { height, sequence, id }, score, state, source };
}

/** Replaces the settings that gateways adopt. @throws SqlError */
export async function writeSettings(sql: SqlConnection, description: SourceDescription): Promise<void> {
  const entries = Object.entries(descriptionJson(description)).filter(([, value]) => value !== undefined);
  await sql.transaction(async () => {
    await sql.query(`DELETE FROM ${setting} WHERE NOT name = ANY($1::text[])`, [
      entries.map(([name]) => name),
    ]);
    for (const [name, value] of entries)
      await sql.query(
        `INSERT INTO ${setting} (name, value) VALUES ($1, $2::text::jsonb)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE setting.value <> excluded.value`,
        [name, JSON.stringify(value)],
      );
  });
}

/** No node undoes this many blocks, so older persist units do not change. */
export const PERSIST_BLOCKS = 4_000;

/** Returns the newest persist units below a position. @throws SqlError */
export async function readPersistUnits(sql: SqlConnection, { height }: ChainCursor): Promise<PersistUnits> {
  const from = Math.max(1, height - PERSIST_BLOCKS);
  const { rows } = await sql.query<{ height: number }>(
    `SELECT height FROM ${unit} WHERE height >= $1 AND height < $2 AND kind = 2 ORDER BY height DESC LIMIT $3`,
    [from, height, MAX_PERSIST_UNITS],
  );
  const heights = rows.map((row) => row.height).reverse();
  return { from: heights.length < MAX_PERSIST_UNITS ? from : heights[0], heights };
}

function isOnChain(reader: ChainReader, position: ChainCursor): boolean {
  reader.renew();
  const common = reader.read((snapshot) => snapshot.units.common(position));
  return common !== undefined && isSameUnit(common, position);
}

/**
 * Returns the newest unit of the database that is on the node's chain. Bisects: a chain that contains a unit contains
 * all units before it. Height 0 is on every chain.
 * @throws SqlError; OutdatedPositionError if the database lacks a unit below its position
 */
export async function bisectUnits(
  sql: SqlConnection,
  reader: ChainReader,
  { height }: ChainCursor,
  persists: PersistUnits,
): Promise<ChainCursor> {
  let shared: ChainCursor = chainStart;
  let unsharedHeight = height + 1;
  while (unsharedHeight - shared.height > 1) {
    const middle = Math.floor((shared.height + unsharedHeight) / 2);
    const { rows } = await sql.query<{ id: Uint8Array }>(
      `SELECT id FROM ${unit} WHERE height = $1 AND sequence = 0`,
      [middle],
    );
    const [found] = rows;
    if (found === undefined)
      throw new OutdatedPositionError(
        `The database has no unit ${middle}.0 below its position: \`holdfast mirror verify\` finds changed rows`,
      );
    const position = { height: middle, sequence: 0, id: found.id };
    if (isOnChain(reader, position)) shared = position;
    else unsharedHeight = middle;
  }
  const { rows } = await sql.query<{ sequence: number; id: Uint8Array }>(
    `SELECT sequence, id FROM ${unit} WHERE height = $1 ORDER BY sequence DESC`,
    [shared.height],
  );
  for (const { sequence, id } of rows) {
    const position = { height: shared.height, sequence, id };
    if (isOnChain(reader, position))
      return reader.read((snapshot) => snapshot.units.common({ ...position, persists })) ?? position;
  }
  return shared;
}
