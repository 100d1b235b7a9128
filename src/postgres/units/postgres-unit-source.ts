/** Reads the units that a mirror writes to PostgreSQL. */

import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { DecodeError } from "../../bytes/errors.ts";
import type {
  ChainCursor,
  Clock,
  FollowedPosition,
  RevertedRecord,
  SourceDescription,
  SourceFrame,
  UnitFrame,
  UnitSource,
} from "../../interfaces.ts";
import { parseDescription } from "../../units/description.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import { UnitSourceError, type UnitSourceFault } from "../../units/source-error.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { SqlError } from "../connection/sql-error.ts";
import { requireSchema } from "../schema/inspect.ts";
import { SchemaError } from "../schema/schema-error.ts";
import { TABLES_SCHEMA } from "../schema/statements.ts";
import { movedPosition } from "./moved-position.ts";
import { readRevertedUnits } from "./reverted-units.ts";
import { identifyServer, type SeenTimelines, type ServerIdentity } from "./server-identity.ts";
import { commonUnit, readUnitPage, type UnitPage } from "./unit-page.ts";

/** The mirror notifies this channel in each commit. */
const CHANNEL = "holdfast";
/** Replicas are polled, because they refuse to listen. */
const REPLICA_POLL_MS = 100;
/** Primaries are polled too, because notifications may be lost. */
const PRIMARY_POLL_MS = 1_000;

interface PostgresUnitSourceOptions {
  /** Address without secrets. */
  readonly name: string;
  /** @throws SqlError, PostgresUrlError */
  readonly connect: () => Promise<SqlConnection>;
  readonly clock: Pick<Clock, "after">;
  /** Shared by all sources of the gateway. */
  readonly seen: SeenTimelines;
}

interface Server {
  readonly sql: SqlConnection;
  readonly identity: ServerIdentity;
  notificationCount: number;
  onNotification: () => void;
}

export class PostgresUnitSource implements UnitSource {
  readonly name: string;
  readonly #options: PostgresUnitSourceOptions;
  #server: Promise<Server> | undefined;

  constructor(options: PostgresUnitSourceOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async *open(after: FollowedPosition, signal: AbortSignal): AsyncGenerator<SourceFrame, void, undefined> {
    if (signal.aborted) return;
    try {
      yield* this.#frames(after, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw unitSourceError(error);
    }
  }

  async reverted(): Promise<readonly RevertedRecord[]> {
    try {
      return await readRevertedUnits((await this.#connected()).sql);
    } catch (error) {
      if (error instanceof DecodeError)
        throw new UnitSourceError(
          "malformed",
          `The units that left the chain of ${this.name} are invalid: ${error.message}`,
        );
      throw unitSourceError(error);
    }
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.then(
      ({ sql }) => sql.close(),
      () => {},
    );
  }

  async *#frames(after: FollowedPosition, signal: AbortSignal): AsyncGenerator<SourceFrame, void, undefined> {
    const server = await this.#connected();
    const { sql, identity } = server;
    let seenCount = server.notificationCount;
    const read = (position: FollowedPosition): Promise<UnitPage> => {
      seenCount = server.notificationCount;
      return readUnitPage(sql, position, identity.mayReadLease);
    };
    let page = await read(after);
    const { source, settings } = page;
    const description = await readDescription(sql, page);
    let position = after;
    let undoTo = await this.#undoTarget(sql, page, after);
    let announced: ChainCursor | undefined;
    let staleReason: string | undefined;
    yield { kind: "source", description };
    yield tipOf(page);
    for (;;) {
      if (page.source !== source || page.settings !== settings)
        throw new UnitSourceError("unreachable", `The node or the settings of ${this.name} have changed`);
      if (undoTo !== undefined) {
        yield { kind: "undo", to: undoTo };
        position = movedPosition(position, undoTo);
        announced = undefined;
        page = await read(position);
        undoTo = await this.#undoTarget(sql, page, position);
        continue;
      }
      for (const record of page.records) {
        yield { kind: "unit", record };
        position = movedPosition(position, record);
      }
      if (isSamePlace(position, page.tip) && !isSameUnit(position, page.tip))
        throw new UnitSourceError(
          "malformed",
          `The database ${this.name} has two different ids for its newest unit, ${position.height}.${position.sequence}`,
        );
      const stale = staleText(page);
      const isNewTip = announced === undefined || !isSameUnit(announced, page.tip);
      if (page.records.length > 0 || isNewTip || (stale === undefined && staleReason !== undefined))
        yield tipOf(page);
      announced = page.tip;
      staleReason = stale;
      const isComplete = isSameUnit(position, page.tip);
      if (stale !== undefined) yield { kind: "stale", reason: `The source ${this.name} ${stale}` };
      else if (isComplete) yield { kind: "heartbeat" };
      const isIdle = isComplete || page.records.length === 0;
      if (isIdle && seenCount === server.notificationCount) await this.#waitForPoll(server, signal);
      if (signal.aborted) return;
      page = await read(position);
      undoTo = await this.#undoTarget(sql, page, position);
    }
  }

  /** Returns the unit to which a follower must undo; undefined if the database has all units of the follower. */
  async #undoTarget(
    sql: SqlConnection,
    page: UnitPage,
    position: ChainCursor,
  ): Promise<ChainCursor | undefined> {
    if (page.isOnChain) return page.common;
    const found = await commonUnit(sql, position);
    if (found !== undefined) return found;
    const { state, tip } = page;
    // The mirror may still write the follower's unit.
    if (state !== "live")
      throw new UnitSourceError(
        "busy",
        `The database ${this.name} is incomplete: its mirror is ${state}, height ${tip.height}`,
      );
    throw new UnitSourceError(
      "unknown position",
      `The source ${this.name} does not know the position ${position.height}.${position.sequence}`,
    );
  }

  /** Returns the open connection, or opens one. */
  #connected(): Promise<Server> {
    if (this.#server !== undefined) return this.#server;
    const opening = this.#connect();
    this.#server = opening;
    const drop = (): void => {
      if (this.#server === opening) this.#server = undefined;
    };
    opening.then(({ sql }) => sql.lost.addEventListener("abort", drop, { once: true }), drop);
    return opening;
  }

  async #connect(): Promise<Server> {
    const { connect, seen } = this.#options;
    const sql = await connect();
    try {
      await requireSchema(sql);
      const server: Server = {
        sql,
        identity: await identifyServer(sql, seen),
        notificationCount: 0,
        onNotification: () => {},
      };
      const onNotify = (): void => {
        server.notificationCount++;
        server.onNotification();
      };
      if (!server.identity.isReplica) await sql.listen(CHANNEL, onNotify);
      return server;
    } catch (error) {
      await sql.close();
      throw error;
    }
  }

  /** Waits for a notification or the poll interval. */
  #waitForPoll(server: Server, signal: AbortSignal): Promise<void> {
    const { isReplica } = server.identity;
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener("abort", end);
        server.sql.lost.removeEventListener("abort", end);
        server.onNotification = () => {};
        resolve();
      };
      const cancel = this.#options.clock.after(isReplica ? REPLICA_POLL_MS : PRIMARY_POLL_MS, end);
      signal.addEventListener("abort", end, { once: true });
      server.sql.lost.addEventListener("abort", end, { once: true });
      server.onNotification = end;
      if (signal.aborted) end();
    });
  }
}

function isSamePlace(a: ChainCursor, b: ChainCursor): boolean {
  return a.height === b.height && a.sequence === b.sequence;
}

function tipOf({ tip, score, persistedHeight }: UnitPage): UnitFrame {
  return { kind: "tip", cursor: tip, score, persistedHeight };
}

/** Returns why the database is behind; undefined if it is current. */
function staleText({ state, tip, isPaused, leaseEnded }: UnitPage): string | undefined {
  if (isPaused) return "is a paused replica";
  if (state !== "live") return `is incomplete: its mirror is ${state}, height ${tip.height}`;
  if (leaseEnded !== undefined)
    return `has had no mirror since ${leaseEnded}, or is a replica that is behind`;
  return undefined;
}

/**
 * Reads the mirror's description of its node.
 * @throws UnitSourceError, SqlError
 */
export async function readDescription(
  sql: SqlConnection,
  { source }: Pick<UnitPage, "source">,
): Promise<SourceDescription> {
  const { rows } = await sql.query<{ name: string; value: unknown }>(
    `select name, value from ${TABLES_SCHEMA}.setting`,
  );
  if (rows.length === 0)
    throw new UnitSourceError("busy", `The database ${sql.name} has no settings: it waits for the mirror`);
  let description: SourceDescription;
  try {
    description = parseDescription(
      Object.fromEntries(rows.map(({ name, value }) => [name, value])),
      sql.name,
    );
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new UnitSourceError("malformed", `The settings in ${sql.name} are invalid: ${error.message}`);
  }
  const { network } = description;
  const { rows: chains } = await sql.query<{ network: string; genesis: Uint8Array }>(
    `select network, genesis from ${TABLES_SCHEMA}.chain`,
  );
  const [chain] = chains;
  if (chain !== undefined && !bytesEqual(chain.genesis, network.genesis))
    throw new UnitSourceError(
      "malformed",
      `The database ${sql.name} has the chain ${encodeBase58(chain.genesis)}, but settings of ${network.name}`,
    );
  return { ...description, store: source };
}

const FAULTS: Readonly<Partial<Record<SqlError["kind"], UnitSourceFault>>> = {
  unreachable: "unreachable",
  timeout: "stalled",
  "commit unknown": "unreachable",
  conflict: "unreachable",
  "too many connections": "busy",
  "read-only": "busy",
  "disk full": "busy",
  "too little memory": "busy",
};

/** SQLSTATE of a missing role, database, schema or table: a migration may create it later. */
const MISSING_CODES: readonly (string | undefined)[] = ["28000", "3D000", "3F000", "42P01"];

function unitSourceError(error: unknown): unknown {
  if (error instanceof SchemaError)
    return new UnitSourceError(
      { "not migrated": "busy" as const, "newer format": "other version" as const }[
        error.refusal as string
      ] ?? "refused",
      error.message,
    );
  if (!(error instanceof SqlError)) return error;
  const fault = MISSING_CODES.includes(error.code)
    ? "busy"
    : (FAULTS[error.kind] ?? (error.kind === "access" ? "unauthorized" : "refused"));
  return new UnitSourceError(fault, error.message);
}
