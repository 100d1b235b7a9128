import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { reasonOf } from "../bytes/errors.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import { writeToStandardError } from "../runtime/logging/standard-error.ts";
import type { WriteBatch } from "./batch/write-batch.ts";
import { fillBatch, readAndClose, StoreStateError, WriteSlot, writeAndCommit } from "./batch/write-slot.ts";
import { CommitCounter } from "./disk/commit-counter.ts";
import {
  compactDraft,
  dataFile,
  emptyStoreError,
  FORMAT_VERSION,
  ForeignDirectoryError,
  isUpgradable,
  markWritten,
  prepareDirectory,
  StoreFormatError,
  WrongNetworkError,
} from "./disk/directory.ts";
import { DiskError, diskErrorOf, withDiskErrors } from "./disk/disk-error.ts";
import { type Database, LmdbReader, LmdbSnapshot, openDatabase, rowKey } from "./disk/lmdb-reader.ts";
import { type StoreStatistics, statisticsOf } from "./disk/lmdb-statistics.ts";
import { acquireLock, fileIdentity, type Lock, type Owner, type OwnerCell, parseOwner } from "./disk/lock.ts";
import { heightKey } from "./keys.ts";
import type { Reader, Table } from "./kv.ts";
import { flushMemtable } from "./lsm/compaction.ts";
import { tables } from "./tables.ts";
import { FORMAT_KEY, formatOf, hasOldFormat, upgradeStore } from "./upgrade.ts";

export { JournalPrunedError, PERSIST_SEQUENCE, UnitOrderError, WriteBatch } from "./batch/write-batch.ts";
export { StoreStateError } from "./batch/write-slot.ts";
export {
  FORMAT_VERSION,
  ForeignDirectoryError,
  StoreFormatError,
  WrongNetworkError,
} from "./disk/directory.ts";
export { DiskError } from "./disk/disk-error.ts";
export type { StoreStatistics } from "./disk/lmdb-statistics.ts";
export { StoreInUseError } from "./disk/lock.ts";

export interface StoreOptions {
  readonly network: string;
  /** A read-only store must exist, acquires no lock and is never written. */
  readonly readOnly?: boolean;
  /** Called when an upgrade of the format begins, after each of its commits, and at its end. */
  readonly onUpgrade?: ((progress: UpgradeProgress) => void) | undefined;
  /** Number of newest blocks that can be undone. Unlimited by default. */
  readonly rollbackDepth?: number;
  /** Aborts an upgrade of the store between two commits. */
  readonly signal?: AbortSignal | undefined;
  /** For a read-only store: `commits.shared` of the writable store. */
  readonly commits?: SharedArrayBuffer | undefined;
}

export interface UpgradeProgress {
  readonly from: number;
  readonly step: "begin" | "commit" | "end";
  /** E.g. `associations, block 29`. */
  readonly progressText?: string;
}

/** A reader of one consistent state. Close it soon: until then, the file cannot reuse space. */
export interface Snapshot extends Reader {
  close(): void;
}

/** Only the writer may read from the store itself, which shows the newest commit. Other readers use a snapshot. */
export interface Store extends Reader {
  /** A rebuilt or restored store has a new id. */
  readonly id: string;
  snapshot(): Snapshot;
  read<T>(reading: (reader: Reader) => T): T;
  /**
   * Begins a commit of any number of units. Only one commit can be open.
   * @throws StoreStateError if another commit is open, or the store is read-only
   * @throws DiskError (lasting) if an earlier failure makes further commits unreliable
   */
  begin(): WriteBatch;
  /**
   * Commits a write batch atomically and durably. A failed batch cannot be reused.
   * @throws StoreStateError if a unit is still open, or the batch is not the open one
   * @throws DiskError if the disk rejects the commit
   */
  commit(batch: WriteBatch): void;
  abandon(batch: WriteBatch): void;
  /** If `writing` throws, nothing changes. */
  write<T>(writing: (batch: WriteBatch) => T): T;
  /**
   * Like `write`, but a thread of the database commits and flushes. The promise resolves once everything is on the
   * disk. Do not begin another commit before that.
   * @throws DiskError. If the error is lasting, the commit is unconfirmed: it may be missing after a restart
   */
  writeAsync<T>(writing: (batch: WriteBatch) => T): Promise<T>;
  /** Undefined for a store in memory. */
  readonly commits?: CommitCounter | undefined;
  statistics(): StoreStatistics | undefined;
  /** Waits until all commits are on the disk. */
  close(): Promise<void>;
}

/** lmdb flags: the commit is on the disk when the call returns. */
const COMMIT_FLAGS = 0x1_0003;
/** A commit prunes at most this many units from the journal, plus two for each unit that it adds. */
const MAX_PRUNED_UNITS = 2_000;

/**
 * Opens a store, or creates it if the directory is absent or empty.
 * @throws ForeignDirectoryError, StoreFormatError, WrongNetworkError: the directory is unchanged
 * @throws StoreInUseError if the store is already open for writing
 * @throws DiskError if the disk or the system fails
 * @throws the reason of `signal` if it ends an upgrade
 */
export function openStore(directory: string, options: StoreOptions): Promise<Store> {
  return withDiskErrors(directory, () => openLmdb(directory, options));
}

async function openLmdb(directory: string, options: StoreOptions): Promise<Store> {
  const readOnly = options.readOnly ?? false;
  const {
    isWritten,
    isMarkerCurrent,
    id = randomUUID(),
  } = prepareDirectory(directory, options.network, !readOnly);
  const data = dataFile(directory);
  const identityBefore = existsSync(data) ? fileIdentity(data) : undefined;
  const db = openDatabase(data, readOnly);
  try {
    const isNew = !checkMeta(db, directory, options);
    if (isNew && (isWritten || readOnly)) throw emptyStoreError(directory);
    const lock = readOnly ? undefined : await acquireLock(directory, data, ownerCell(db));
    try {
      if (lock !== undefined) {
        if (identityBefore !== undefined && fileIdentity(data) !== identityBefore)
          throw new ForeignDirectoryError(directory, "its data file was replaced meanwhile: start again");
        // A killed compaction may have left its draft.
        rmSync(compactDraft(directory), { force: true });
      }
      // Another process may have written these rows before this one had the lock.
      if (isNew && !checkMeta(db, directory, options)) writeMeta(db, options.network);
      const store = new LmdbStore(db, directory, id, lock, new CommitCounter(options.commits));
      if (!readOnly) await upgrade(store, directory, options);
      store.setRollbackDepth(options.rollbackDepth);
      if (!isMarkerCurrent && !readOnly) {
        await db.flushed;
        markWritten(directory, options.network, id);
      }
      return store;
    } catch (error) {
      await lock?.release();
      throw error;
    }
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Upgrades an older format. Lets the event loop run between the commits. */
async function upgrade(store: Store, directory: string, { onUpgrade, signal }: StoreOptions): Promise<void> {
  const from = formatOf(store);
  if (from === undefined || from === FORMAT_VERSION) return;
  onUpgrade?.({ from, step: "begin" });
  let isReadableByOldVersion = hasOldFormat(store);
  try {
    for (const progressText of upgradeStore(store)) {
      isReadableByOldVersion = hasOldFormat(store);
      onUpgrade?.({ from, step: "commit", progressText });
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    }
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    throw interruptedUpgrade(error, directory, from, isReadableByOldVersion);
  }
  onUpgrade?.({ from, step: "end" });
}

function interruptedUpgrade(
  error: DiskError,
  directory: string,
  from: number,
  isReadableByOldVersion: boolean,
): DiskError {
  const compatibility = isReadableByOldVersion
    ? "the version that wrote it can still read it"
    : "older versions cannot read it: to go back to one, restore a backup";
  return new DiskError(
    `${error.message}. The upgrade of ${directory} from format ${from} to ${FORMAT_VERSION} is incomplete: free space or repair the disk, then start again to continue; ${compatibility}`,
    { cause: error, lasting: error.lasting },
  );
}

/** Checks format and network: the data file may be a copy from another directory. @returns false if the file is new */
function checkMeta(db: Database, directory: string, { network, readOnly }: StoreOptions): boolean {
  const reader = new LmdbReader(db);
  const version = formatOf(reader);
  if (version === undefined) return false;
  if (version !== FORMAT_VERSION && (readOnly === true || !isUpgradable(version)))
    throw new StoreFormatError(directory, version);
  const found = decodeUtf8(reader.get(tables.meta, "network") ?? new Uint8Array(0));
  if (found !== network) throw new WrongNetworkError(directory, found, network);
  return true;
}

function writeMeta(db: Database, network: string): void {
  transact(db, () => {
    put(db, tables.meta, FORMAT_KEY, heightKey.encode(FORMAT_VERSION));
    put(db, tables.meta, "network", encodeUtf8(network));
  });
}

function ownerCell(db: Database): OwnerCell {
  const reader = new LmdbReader(db);
  const read = (): Owner | undefined => {
    const bytes = reader.get(tables.meta, "owner");
    return bytes && parseOwner(decodeUtf8(bytes));
  };
  return {
    replace(expected, next) {
      return transact(db, () => {
        const found = read();
        if (found !== undefined && found.socket !== expected?.socket) return found;
        if (next === undefined)
          assertWritten(db.removeSync(rowKey(tables.meta, tables.meta.key.encode("owner"))));
        else put(db, tables.meta, "owner", encodeUtf8(JSON.stringify(next)));
        return next;
      });
    },
  };
}

class LmdbStore extends LmdbReader implements Store {
  readonly #directory: string;
  readonly id: string;
  readonly #lock: Lock | undefined;
  readonly commits: CommitCounter;
  readonly #slot = new WriteSlot();
  #lastingError: DiskError | undefined;
  /** If true, `db.flushed` never settles. */
  #hasFlushFailed = false;
  #closed = false;

  constructor(db: Database, directory: string, id: string, lock: Lock | undefined, commits: CommitCounter) {
    super(db);
    this.id = id;
    this.commits = commits;
    this.#directory = directory;
    this.#lock = lock;
  }

  setRollbackDepth(rollbackDepth = Number.POSITIVE_INFINITY): void {
    this.#slot.rollbackDepth = rollbackDepth;
  }

  snapshot(): Snapshot {
    this.#checkOpen();
    return new LmdbSnapshot(this.db, this.fences);
  }

  read<T>(reading: (reader: Reader) => T): T {
    return readAndClose(this.snapshot(), reading);
  }

  begin(): WriteBatch {
    this.#checkOpen();
    if (this.#lock === undefined) throw new StoreStateError("The store is read-only");
    if (this.#lastingError !== undefined) throw this.#lastingError;
    return this.#slot.begin(new LmdbReader(this.db, this.fences));
  }

  commit(batch: WriteBatch): void {
    this.#checkOpen();
    this.#prepareRows(batch);
    let transactionId = Number.POSITIVE_INFINITY;
    try {
      transact(this.db, () => {
        transactionId = this.db.getWriteTxnId();
        for (const { table, key, value } of batch.changes()) {
          const storedKey = rowKey(table, key);
          if (value !== undefined) assertWritten(this.db.putSync(storedKey, value) as unknown as boolean);
          else this.db.removeSync(storedKey);
        }
      });
    } catch (error) {
      this.#handleCommitFailure(error, transactionId);
    } finally {
      this.commits.increment();
    }
    batch.discard();
  }

  #prepareRows(batch: WriteBatch): void {
    this.#slot.release(batch, MAX_PRUNED_UNITS + 2 * batch.unitCount);
    for (const [tree, memtable] of batch.memtables()) flushMemtable(batch, tree, memtable);
    batch.flushCounts();
  }

  /**
   * Returns normally if the commit is visible but unconfirmed. The store then refuses commits until a restart.
   * @throws DiskError if nothing was committed
   */
  #handleCommitFailure(error: unknown, transactionId: number): void {
    if (this.#newestTransactionId() >= transactionId) {
      const reason = reasonOf(error);
      this.#lastingError = new DiskError(
        `The data directory ${this.#directory} cannot be written: the disk did not confirm a commit (${reason}). Check the disk, then run \`holdfast verify\``,
        { cause: error, lasting: true },
      );
      return;
    }
    throw this.#writeError(error);
  }

  #newestTransactionId(): number {
    try {
      this.db.resetReadTxn();
      const { lastTxnId } = this.db.getStats() as { readonly lastTxnId: number };
      return lastTxnId;
    } catch (error) {
      throw this.#writeError(error);
    }
  }

  #writeError(error: unknown): unknown {
    const fault = diskErrorOf(this.#directory, "written", error);
    if (fault?.lasting === true) this.#lastingError = fault;
    return fault ?? error;
  }

  abandon(batch: WriteBatch): void {
    this.#slot.abandon(batch);
  }

  write<T>(writing: (batch: WriteBatch) => T): T {
    return writeAndCommit(this, writing);
  }

  async writeAsync<T>(writing: (batch: WriteBatch) => T): Promise<T> {
    const { batch, result } = fillBatch(this, writing);
    this.#prepareRows(batch);
    const newestBefore = this.#newestTransactionId();
    try {
      await this.db.batch(() => {
        for (const { table, key, value } of batch.changes()) {
          const storedKey = rowKey(table, key);
          if (value !== undefined) void this.db.put(storedKey, value);
          else void this.db.remove(storedKey);
        }
      });
      await this.db.flushed;
      this.#hasFlushFailed = false;
    } catch (error) {
      this.#hasFlushFailed = true;
      const cause = await causeOf(error);
      endNativeLine(cause);
      this.#handleCommitFailure(cause, newestBefore + 1);
      // Even a visible commit may not be on the disk.
      throw this.#lastingError;
    } finally {
      this.commits.increment();
    }
    batch.discard();
    return result;
  }

  statistics(): StoreStatistics {
    this.#checkOpen();
    return statisticsOf(this.db);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#hasFlushFailed) await this.db.flushed;
    try {
      await this.#lock?.release();
    } catch (error) {
      // The owner row remains, but its socket is closed, so the next process becomes the owner.
      if (diskErrorOf(this.#directory, "written", error) === undefined) throw error;
    }
    if (!this.#hasFlushFailed) await this.db.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreStateError("The store is closed");
  }
}

/** Returns why a batch failed: lmdb rejects the promise `commitError` with the cause. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = (error ?? {}) as { readonly commitError?: unknown };
  if (!(commitError instanceof Promise)) return error;
  return commitError.then(
    () => error,
    (cause: unknown) => cause,
  );
}

function put<K, V>(db: Database, table: Table<K, V>, key: K, value: V): void {
  assertWritten(
    db.putSync(rowKey(table, table.key.encode(key)), table.value.encode(value)) as unknown as boolean,
  );
}

function assertWritten(written: boolean): void {
  if (written === false) throw new StoreStateError("The database refused a row");
}

function transact<T>(db: Database, action: () => T): T {
  try {
    return db.transactionSync(action, COMMIT_FLAGS as never);
  } catch (error) {
    endNativeLine(error);
    throw error;
  }
}

/** LMDB prints failures to standard error without a line end. */
function endNativeLine(error: unknown): void {
  if (typeof (error as { readonly code?: unknown } | null)?.code === "number") writeToStandardError("\n");
}
