/** Copies the node's chain into PostgreSQL: fills the tables first, then follows each commit. */

import { reasonOf } from "../../bytes/errors.ts";
import { chainStart } from "../../chain/reading/changes.ts";
import { minUnitsBehind } from "../../chain/reading/unit-records.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";
import type {
  Cancel,
  ChainCursor,
  ChainReader,
  ChainSnapshot,
  Clock,
  Log,
  SourceDescription,
} from "../../interfaces.ts";
import { every } from "../../runtime/timers.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { SqlError } from "../connection/sql-error.ts";
import { requireMigrations, requireSchema } from "../schema/inspect.ts";
import { SchemaError } from "../schema/schema-error.ts";
import { AccountIds } from "./account-ids.ts";
import { applyBatch, type MirrorState, OutdatedPositionError, Partitions } from "./apply-batch.ts";
import { type Batch, type BatchLimits, BatchReader } from "./batch.ts";
import { beginIndexing, createFillIndexes, createIndexes, goLive } from "./index-tables.ts";
import {
  bisectUnits,
  preparePosition,
  readPersistUnits,
  readPosition,
  type StoredPosition,
  writeSettings,
} from "./stored-position.ts";
import { associatedAfter } from "./undo.ts";
import { acquireLease, RENEWAL_MS, releaseLease, renewLease } from "./writer-lease.ts";

const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;
/** Interval at which the mirror looks for a new commit of the node, which costs a few µs. */
const POLL_MS = 10;
/** Interval of checks while another mirror writes, or while the node is behind the database. */
const WAIT_MS = 1_000;
/** A fill ends this number of blocks below the tip. Peers cannot replace deeper blocks (page 03 §10). */
const FORK_DEPTH = 100;
/** A batch needs about 20 MB for bytes and rows. */
const FILL_LIMITS: BatchLimits = {
  transactions: 10_000,
  bytes: 8 * 2 ** 20,
  timeMs: 10_000,
  encodes: true,
};
const LIVE_LIMITS: BatchLimits = { transactions: 5_000, bytes: 8 * 2 ** 20, timeMs: 1_000 };
/** One transaction undoes the old branch and writes the new one, if that is within these limits. */
const FORK_LIMITS: BatchLimits = { transactions: 40_000, bytes: 32 * 2 ** 20, timeMs: 10_000 };
/** About 10 MB. */
const MAX_STORED_KEYS = 100_000;

export interface MirrorOptions {
  /** Connects to the primary. @throws SqlError */
  readonly connect: () => Promise<SqlConnection>;
  readonly reader: ChainReader;
  readonly network: NetworkRules;
  readonly description: SourceDescription;
  readonly clock: Clock;
  readonly log: Log;
  /** Name of this mirror, unique among all mirrors. */
  readonly holder: string;
  /** Number of blocks below the tip at which a fill ends. Default: `FORK_DEPTH`. */
  readonly forkDepth?: number | undefined;
}

export interface MirrorInfo {
  /** Undefined until the database was reached. */
  readonly state: MirrorState | undefined;
  /** Position in the database. */
  readonly position: ChainCursor | undefined;
  /** Newest unit of the node. */
  readonly tip: ChainCursor;
  readonly isWriter: boolean;
  /** Minimum number of units by which the database is behind the node. */
  readonly lagUnits: number;
  /** Time since the database was current, ms; undefined if it never was. */
  readonly lagMs: number | undefined;
  /** Why the mirror waits. */
  readonly problem: string | undefined;
}

export interface MirrorCounts {
  units: number;
  transactions: number;
  commits: number;
  undoneUnits: number;
  retries: number;
}

export class Mirror {
  readonly counts: MirrorCounts = { units: 0, transactions: 0, commits: 0, undoneUnits: 0, retries: 0 };
  readonly #options: MirrorOptions;
  readonly #batches: BatchReader;
  readonly #ids = new AccountIds();
  readonly #storedKeys = new BoundedCache<true>({ entries: MAX_STORED_KEYS });
  #partitions = new Partitions();
  readonly #stopped = new AbortController();
  #stored: StoredPosition | undefined;
  #epoch: bigint | undefined;
  #problem: string | undefined;
  #retryMs = MIN_RETRY_MS;
  #currentAt: number | undefined;
  /** `UnitQueries.reverts` when the node's chain last contained the database's position. */
  #reverts: number | undefined;
  #prefetched: Promise<Batch | undefined> | undefined;
  #finished: Promise<void> | undefined;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#batches = new BatchReader(options);
  }

  /** Mirrors until `stop`. @throws SchemaError for another network, a newer format or an old server */
  run(): Promise<void> {
    this.#finished ??= this.#run();
    return this.#finished;
  }

  /** Stops after the current transaction. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#finished?.catch(() => undefined);
  }

  get info(): MirrorInfo {
    const { clock } = this.#options;
    const tip = this.#read((chain) => chain.units.newest());
    const position = this.#stored?.cursor;
    return {
      state: this.#stored?.state,
      position,
      tip,
      isWriter: this.#epoch !== undefined,
      lagUnits: minUnitsBehind(position ?? chainStart, tip),
      lagMs: this.#currentAt === undefined ? undefined : clock.monotonic() - this.#currentAt,
      problem: this.#problem,
    };
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#session();
      } catch (error) {
        if (error instanceof SchemaError && error.refusal !== "not migrated") throw error;
        const isExpected = [SqlError, SchemaError, OutdatedPositionError].some(
          (type) => error instanceof type,
        );
        if (!isExpected) throw error;
        this.#reportProblem(reasonOf(error));
        this.counts.retries++;
        await this.#pause(this.#retryMs);
        this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
      }
    }
  }

  #reportProblem(reason: string): void {
    if (reason !== this.#problem) this.#options.log.warn("The mirror waits", { reason });
    this.#problem = reason;
  }

  #clearProblem(): void {
    if (this.#problem !== undefined) this.#options.log.info("The mirror continues");
    this.#problem = undefined;
    this.#retryMs = MIN_RETRY_MS;
  }

  #pause(delayMs: number): Promise<void> {
    const { signal } = this.#stopped;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = this.#options.clock.after(delayMs, end);
      signal.addEventListener("abort", end, { once: true });
    });
  }

  /** Writes until the connection or the lease is lost, or the mirror stops. */
  async #session(): Promise<void> {
    const { connect, description, holder, log } = this.#options;
    const sql = await connect();
    // The lease has its own connection, because statements of a fill take longer than the lease lasts.
    let leaseSql: SqlConnection | undefined;
    let stopRenewing: Cancel = () => {};
    try {
      leaseSql = await connect();
      await requireSchema(sql, description.network);
      await requireMigrations(sql);
      await preparePosition(sql, description);
      const epoch = await this.#acquire(sql);
      if (epoch === undefined) return;
      this.#epoch = epoch;
      const lease = new AbortController();
      stopRenewing = this.#renew(leaseSql, epoch, lease);
      await writeSettings(sql, description);
      this.#stored = await readPosition(sql);
      log.info("Mirroring", {
        database: sql.name,
        state: this.#stored.state,
        height: this.#stored.cursor.height,
      });
      await this.#write(sql, epoch, lease.signal);
      stopRenewing();
      if (this.#stopped.signal.aborted) await releaseLease(sql, holder, epoch);
    } finally {
      stopRenewing();
      this.#epoch = undefined;
      // The database may lose commits before the next connection.
      this.#ids.clear();
      this.#storedKeys.clear();
      this.#partitions = new Partitions();
      this.#reverts = undefined;
      this.#prefetched = undefined;
      await Promise.all([sql.close(), leaseSql?.close()]);
    }
  }

  async #acquire(sql: SqlConnection): Promise<bigint | undefined> {
    while (!this.#stopped.signal.aborted) {
      const found = await acquireLease(sql, this.#options.holder);
      if ("epoch" in found) return found.epoch;
      this.#reportProblem(`another mirror writes: ${found.holder}`);
      this.#stored = await readPosition(sql);
      this.#retryMs = MIN_RETRY_MS;
      await this.#pause(WAIT_MS);
    }
    return undefined;
  }

  #renew(sql: SqlConnection, epoch: bigint, lease: AbortController): Cancel {
    const { clock, holder } = this.#options;
    const renew = async (): Promise<void> => {
      try {
        if (!(await renewLease(sql, holder, epoch)))
          lease.abort(new OutdatedPositionError("Another mirror became the writer"));
      } catch (error) {
        lease.abort(error);
      }
    };
    return every(clock, RENEWAL_MS, "mirror lease", () => void renew());
  }

  async #write(sql: SqlConnection, epoch: bigint, lease: AbortSignal): Promise<void> {
    const isEnding = (): boolean => {
      lease.throwIfAborted();
      // Without new units, no statement would notice that the server is gone.
      sql.lost.throwIfAborted();
      return this.#stopped.signal.aborted;
    };
    const { forkDepth = FORK_DEPTH } = this.#options;
    let isPrepared = false;
    while (!isEnding()) {
      const stored = await this.#storedPosition(sql);
      const waitMs = this.#nodeWaitMs();
      if (waitMs !== undefined) {
        await this.#pause(waitMs);
        continue;
      }
      if (stored.state === "filling") {
        if (!isPrepared) await createFillIndexes(sql);
        isPrepared = true;
        const limit = this.#read((chain) => chain.height()) - forkDepth;
        if (stored.cursor.height >= limit) {
          await beginIndexing(sql, epoch);
          this.#stored = { ...stored, state: "indexing" };
        } else await this.#writeBatch(sql, epoch, stored, { ...FILL_LIMITS, maxHeight: limit });
      } else if (stored.state === "indexing") {
        await this.#createIndexes(sql, epoch, isEnding);
      } else if (!(await this.#writeBatch(sql, epoch, stored, LIVE_LIMITS))) await this.#pause(POLL_MS);
    }
  }

  async #storedPosition(sql: SqlConnection): Promise<StoredPosition> {
    this.#stored ??= await readPosition(sql);
    return this.#stored;
  }

  #read<T>(reading: (chain: ChainSnapshot) => T): T {
    const { reader } = this.#options;
    reader.renew();
    return reader.read(reading);
  }

  /** Returns the time to wait, ms, if the node still builds an index; otherwise undefined. */
  #nodeWaitMs(): number | undefined {
    const index = this.#read((chain) => chain.indexes.unready(["trust"]));
    if (index === undefined) return undefined;
    this.#reportProblem(`the node builds its index ${index.name}`);
    return WAIT_MS;
  }

  async #createIndexes(sql: SqlConnection, epoch: bigint, isEnding: () => boolean): Promise<void> {
    const { log } = this.#options;
    let isStopped = false;
    const second = await this.#connectAgain();
    try {
      await createIndexes(second === undefined ? [sql] : [sql, second], (index, done, total) => {
        isStopped ||= isEnding();
        if (isStopped) throw new OutdatedPositionError("The mirror stops");
        log.info("Creating an index", { index, done, total });
      });
    } finally {
      await second?.close();
    }
    if (isEnding()) return;
    await goLive(sql, epoch);
    log.info("The mirror is live");
    this.#stored = undefined;
  }

  async #connectAgain(): Promise<SqlConnection | undefined> {
    try {
      return await this.#options.connect();
    } catch (error) {
      if (error instanceof SqlError) return undefined;
      throw error;
    }
  }

  /** @returns false if there is nothing to write */
  async #writeBatch(
    sql: SqlConnection,
    epoch: bigint,
    stored: StoredPosition,
    limits: BatchLimits,
  ): Promise<boolean> {
    const { clock, description, log } = this.#options;
    const batch = (await this.#takePrefetched(stored)) ?? (await this.#nextBatch(sql, stored, limits));
    if (batch === undefined) return false;
    if (batch.units === 0 && batch.undoTo === undefined) {
      if (batch.isComplete) this.#currentAt = clock.monotonic();
      this.#clearProblem();
      return false;
    }
    await this.#partitions.ensure(sql, batch.next.height);
    const { state } = stored;
    const { store: source, program } = description;
    const options = { sql, ids: this.#ids, storedKeys: this.#storedKeys, epoch, source, program, state };
    const startedAt = clock.monotonic();
    const writing = applyBatch(batch, options);
    if (state === "filling") {
      this.#prefetched = this.#batches.read(batch.next, batch.next, limits);
      // No unhandled rejection: the batch is awaited only after the write.
      this.#prefetched.catch(() => undefined);
    }
    const undone = await writing;
    this.#stored = { cursor: batch.next, score: batch.score, state, source };
    this.counts.commits++;
    this.counts.units += batch.units;
    this.counts.transactions += batch.transactions;
    this.counts.undoneUnits += undone;
    if (batch.isComplete) this.#currentAt = clock.monotonic();
    this.#clearProblem();
    const { height, sequence } = batch.next;
    if (undone > 0) log.info("Undid units", { undone, to: batch.undoTo?.height, height });
    log.debug("Mirrored", {
      height,
      sequence,
      transactions: batch.transactions,
      ms: Math.round(clock.monotonic() - startedAt),
    });
    return true;
  }

  async #takePrefetched({ cursor }: StoredPosition): Promise<Batch | undefined> {
    const batch = await this.#prefetched;
    this.#prefetched = undefined;
    return batch !== undefined && batch.units > 0 && isSameUnit(batch.from, cursor) ? batch : undefined;
  }

  /** Reads the next batch; undefined if there is none, or if the mirror must wait. */
  async #nextBatch(
    sql: SqlConnection,
    { cursor, score, source, state }: StoredPosition,
    limits: BatchLimits,
  ): Promise<Batch | undefined> {
    const { reader, description } = this.#options;
    // After a revert, the same unit can be on the chain again after other persist units: compare those too.
    const reverts = this.#read((chain) => chain.units.reverts());
    const persists = reverts === this.#reverts ? undefined : await readPersistUnits(sql, cursor);
    const found = this.#read((chain) => ({
      common: chain.units.common({ ...cursor, persists }),
      score: chain.blocks.score(),
      newest: chain.units.newest(),
    }));
    if (found.common !== undefined && isSameUnit(found.common, cursor)) {
      this.#reverts = reverts;
      if (isSameUnit(found.newest, cursor)) {
        this.#currentAt = this.#options.clock.monotonic();
        this.#clearProblem();
        return undefined;
      }
      return this.#batches.read(cursor, cursor, limits);
    }
    if (found.score < score && source !== description.store) {
      this.#reportProblem(
        `the node is behind the database or on a worse fork: it is at ${found.newest.height}.${found.newest.sequence}, the database at ${cursor.height}.${cursor.sequence}`,
      );
      await this.#pause(WAIT_MS);
      return undefined;
    }
    const common =
      found.common ??
      (await bisectUnits(sql, reader, cursor, persists ?? (await readPersistUnits(sql, cursor))));
    const associated = await associatedAfter(sql, common);
    return this.#batches.read(cursor, common, state === "live" ? FORK_LIMITS : limits, associated);
  }
}
