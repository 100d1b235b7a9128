import { BoundedCache } from "../../collections/bounded-cache.ts";
import type { ChainCursor, ChainReader, SourceDescription } from "../../interfaces.ts";
import type { VirtualClock } from "../../testing/virtual-clock.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { AccountIds } from "../mirror/account-ids.ts";
import { applyBatch, Partitions } from "../mirror/apply-batch.ts";
import { BatchReader } from "../mirror/batch.ts";
import { beginIndexing, createFillIndexes, createIndexes, goLive } from "../mirror/index-tables.ts";
import {
  bisectUnits,
  preparePosition,
  readPersistUnits,
  readPosition,
  writeSettings,
} from "../mirror/stored-position.ts";
import { associatedAfter } from "../mirror/undo.ts";
import { type VerifiedTables, verifyTables } from "../mirror/verify-tables.ts";
import { acquireLease } from "../mirror/writer-lease.ts";

export const testDescription = {
  version: 1,
  program: "test",
  network: { name: "test", chainId: 84, genesis: new Uint8Array(64).fill(1) },
  store: "store one",
  settings: {},
  trustRoot: undefined,
};

interface TestNode {
  readonly reader: ChainReader;
  readonly network: NetworkRules;
  readonly clock: VirtualClock;
  /** Default: `testDescription`. */
  readonly description?: SourceDescription;
}

/** A mirror's database that follows a chain step by step, without timers. */
export class MirrorDatabase {
  readonly #sql: SqlConnection;
  readonly #node: TestNode;
  readonly #batches: BatchReader;
  readonly #ids = new AccountIds();
  readonly #storedKeys = new BoundedCache<true>({ entries: 1_000 });
  readonly #partitions = new Partitions();
  #epoch = 0n;
  /** Number of changes whose common unit was found by bisection. */
  bisections = 0;

  constructor(sql: SqlConnection, node: TestNode) {
    this.#sql = sql;
    this.#node = node;
    this.#batches = new BatchReader(node);
  }

  async begin(): Promise<void> {
    const { description = testDescription } = this.#node;
    await preparePosition(this.#sql, description);
    await writeSettings(this.#sql, description);
    const lease = await acquireLease(this.#sql, "test");
    if (!("epoch" in lease)) throw new Error("Another mirror writes");
    this.#epoch = lease.epoch;
    await createFillIndexes(this.#sql);
  }

  /** Ends the fill. */
  async live(): Promise<void> {
    await beginIndexing(this.#sql, this.#epoch);
    await createIndexes([this.#sql], () => {});
    await goLive(this.#sql, this.#epoch);
  }

  /**
   * Writes one batch of at least one block.
   * @returns the number of undone units, and whether the database has the newest unit
   */
  async follow(transactions: number): Promise<{ readonly undone: number; readonly isComplete: boolean }> {
    const { cursor, state } = await readPosition(this.#sql);
    const common = await this.#common(cursor);
    const undone = isSameUnit(common, cursor) ? [] : await associatedAfter(this.#sql, common);
    const timeMs = transactions === 0 ? 0 : 1e9;
    const limits = { transactions, bytes: 1e9, timeMs, encodes: state === "filling" };
    const batch = await this.#batches.read(cursor, common, limits, undone);
    if (batch === undefined) throw new Error("the common unit left the chain");
    if (batch.units === 0 && batch.undoTo === undefined) return { undone: 0, isComplete: batch.isComplete };
    await this.#partitions.ensure(this.#sql, batch.next.height);
    const count = await applyBatch(batch, {
      sql: this.#sql,
      ids: this.#ids,
      storedKeys: this.#storedKeys,
      epoch: this.#epoch,
      source: (this.#node.description ?? testDescription).store,
      program: "test",
      state,
    });
    return { undone: count, isComplete: batch.isComplete };
  }

  /** Compares all tables with the chain. */
  verify(): Promise<VerifiedTables> {
    return verifyTables(this.#sql, { ...this.#node, isStopped: () => false, progress: () => {} });
  }

  async #common(cursor: ChainCursor): Promise<ChainCursor> {
    const persists = await readPersistUnits(this.#sql, cursor);
    const known = this.#node.reader.read((chain) => chain.units.common({ ...cursor, persists }));
    if (known !== undefined) return known;
    this.bisections++;
    return bisectUnits(this.#sql, this.#node.reader, cursor, persists);
  }
}
