import { encodeBase58 } from "../../bytes/base58.ts";
import type { ChainCursor, ChainReader, SourceDescription, UnitRecord } from "../../interfaces.ts";
import { descriptionJson } from "../../units/description.ts";
import type { SqlConnection, SqlValue } from "../connection/sql-connection.ts";
import { readPersistUnits } from "../mirror/stored-position.ts";
import { PARTITION_BLOCKS, TABLES_SCHEMA } from "../schema/statements.ts";

const KINDS = ["block", "micro", "persist"];
const PAGE = { units: 200, bytes: 8 * 2 ** 20 };

/** A mirror that writes only units, for tests of their readers. */
export class UnitMirror {
  readonly #sql: SqlConnection;
  readonly #reader: ChainReader;
  readonly #description: SourceDescription;
  #written = "";

  constructor(sql: SqlConnection, reader: ChainReader, description: SourceDescription) {
    this.#sql = sql;
    this.#reader = reader;
    this.#description = description;
  }

  /** Makes the database equal to the chain, in one transaction. */
  async sync(state: "filling" | "live" = "live"): Promise<void> {
    const sql = this.#sql;
    const [newest, reverts] = this.#reader.read((chain) => [chain.units.newest(), chain.units.reverts()]);
    const written = `${state} ${reverts} ${newest.sequence} ${newest.height} ${encodeBase58(newest.id)}`;
    if (written === this.#written) return;
    this.#written = written;
    await sql.query(`select ${TABLES_SCHEMA}.ensure_partitions($1::int)`, [PARTITION_BLOCKS - 1]);
    await sql.transaction(async () => {
      const { rows } = await sql.query<ChainCursor & Record<string, unknown>>(
        `select height, sequence, id from ${TABLES_SCHEMA}.chain for update`,
      );
      const before: ChainCursor = rows[0] ?? { height: 0, sequence: 0, id: new Uint8Array(0) };
      let position = (await this.#common(before)) ?? { height: 0, sequence: 0, id: new Uint8Array(0) };
      await this.#undoTo(position);
      for (let isComplete = false; !isComplete; ) {
        const page = this.#reader.read((chain) => chain.units.after(position, PAGE));
        if (page.records.length > 0) await this.#insert(page.records);
        position = page.records.at(-1) ?? position;
        isComplete = page.isComplete;
      }
      await this.#writeChain(position, state);
      for (const [name, value] of Object.entries(descriptionJson(this.#description)))
        await sql.query(
          `insert into ${TABLES_SCHEMA}.setting values ($1, $2::jsonb) on conflict (name) do update set value = $2::jsonb`,
          [name, JSON.stringify(value)],
        );
      await sql.query("notify holdfast");
    });
  }

  async #common(position: ChainCursor): Promise<ChainCursor | undefined> {
    if (position.height === 0) return position;
    const persists = await readPersistUnits(this.#sql, position);
    return this.#reader.read((chain) => chain.units.common({ ...position, persists }));
  }

  async #undoTo({ height, sequence }: ChainCursor): Promise<void> {
    const place = [height, sequence];
    await this.#sql.query(
      `insert into ${TABLES_SCHEMA}.reverted_unit (id, height, sequence, parent, bytes, reverted_at)
       select u.id, u.height, u.sequence, u.parent, b.bytes, clock_timestamp() from ${TABLES_SCHEMA}.unit u
       join ${TABLES_SCHEMA}.unit_body b using (height, sequence) where (height, sequence) > ($1, $2)`,
      place,
    );
    for (const table of ["unit", "unit_body"])
      await this.#sql.query(
        `delete from ${TABLES_SCHEMA}.${table} where (height, sequence) > ($1, $2)`,
        place,
      );
  }

  async #insert(records: readonly UnitRecord[]): Promise<void> {
    const values = (rows: readonly (readonly SqlValue[])[]): readonly [text: string, values: SqlValue[]] => {
      let number = 0;
      return [rows.map((row) => `(${row.map(() => `$${++number}`).join(", ")})`).join(", "), rows.flat()];
    };
    const [units, unitValues] = values(
      records.map(({ height, sequence, id, parent, kind, arrivedAt, isParentPersisted, digest }) => [
        ...[height, sequence, id, parent, KINDS.indexOf(kind), 0, 0],
        ...[arrivedAt, isParentPersisted, digest ?? null],
      ]),
    );
    await this.#sql.query(`insert into ${TABLES_SCHEMA}.unit values ${units}`, unitValues);
    const [bodies, bodyValues] = values(
      records.map(({ height, sequence, bytes }) => [height, sequence, bytes]),
    );
    await this.#sql.query(`insert into ${TABLES_SCHEMA}.unit_body values ${bodies}`, bodyValues);
  }

  async #writeChain({ height, sequence, id }: ChainCursor, state: string): Promise<void> {
    const { network, program, store } = this.#description;
    const [score, persisted] = this.#reader.read((chain) => [chain.blocks.score(), chain.height() - 1]);
    await this.#sql.query(
      `insert into ${TABLES_SCHEMA}.chain values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, now())
       on conflict ((true)) do update set height = $3, sequence = $4, id = $5, persisted_height = $6, score = $7,
         state = $8, source = $9, changed_at = now()`,
      [network.name, network.genesis, height, sequence, id, persisted, String(score), state, store, program],
    );
  }
}
