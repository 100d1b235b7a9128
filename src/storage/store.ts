/** The store on disk: tables in one LMDB file, one writer, any number of readers in this and other threads. */

import { open } from "lmdb";
import { reasonOf } from "../bytes/errors.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import type { WriteBatch } from "./batch/write-batch.ts";
import { fillBatch, readAndClose, StoreStateError, WriteSlot, writeAndCommit } from "./batch/write-slot.ts";
import {
  dataFile,
  emptyStoreError,
  FORMAT_VERSION,
  isUpgradable,
  markWritten,
  prepareDirectory,
  StoreFormatError,
  WrongNetworkError,
} from "./disk/directory.ts";
import { DiskError, diskErrorOf, withDiskErrors } from "./disk/disk-error.ts";
import { type Database, LmdbReader, LmdbSnapshot, rowKey } from "./disk/lmdb-reader.ts";
import { acquireLock, type Lock, type Owner, type OwnerCell } from "./disk/lock.ts";
import { heightKey } from "./keys.ts";
import type { Reader, Table } from "./kv.ts";
import { flushMemtable } from "./lsm/compaction.ts";
import { tables } from "./tables.ts";
import { FORMAT_KEY, formatOf, upgradeStore } from "./upgrade.ts";

export { JournalPrunedError, PERSIST_SEQUENCE, UnitOrderError, WriteBatch } from "./batch/write-batch.ts";
export { StoreStateError } from "./batch/write-slot.ts";
export {
  FORMAT_VERSION,
  ForeignDirectoryError,
  StoreFormatError,
  WrongNetworkError,
} from "./disk/directory.ts";
export { DiskError } from "./disk/disk-error.ts";
export { StoreInUseError } from "./disk/lock.ts";

export interface StoreOptions {
  /** Identity of the network, as a text: genesis id and name, say. A store of another one is refused. */
  readonly network: string;
  /** A further reader in a thread or process: takes no lock, writes nothing, needs an existing store. */
  readonly readOnly?: boolean;
  /** How many blocks can be undone; the journal of older ones is dropped. Everything is kept by default. */
  readonly rollbackDepth?: number;
}

/** One consistent state, kept until `close`. While it is open the file cannot reuse space: close it soon. */
export interface Snapshot extends Reader {
  close(): void;
}

/**
 * Where blocks, state and indexes live. `openStore` keeps it on disk, `memoryStore` in memory. Read directly it
 * shows the newest commit, for the thread that writes; whoever reads while others write takes a snapshot.
 */
export interface Store extends Reader {
  /** A state of its own for a reader: everything that was committed when it was asked for, nothing later. */
  snapshot(): Snapshot;
  /** Runs `reading` on a snapshot and closes it. */
  read<T>(reading: (reader: Reader) => T): T;
  /**
   * Begins a commit. It may gather any number of units, over any time, until `commit`; there is one at a time.
   * @throws StoreStateError while another one is under way, or when the store is read-only
   * @throws DiskError, a lasting one, once the disk has failed in a way that no further commit can be relied on
   */
  begin(): WriteBatch;
  /**
   * Makes a write batch durable: all of it or, if the process dies meanwhile, nothing. Readers see it from now on.
   * The write batch is used up, also when this fails.
   * @throws StoreStateError when a unit is still open, or the write batch is not the one under way
   * @throws DiskError when the disk does not take it
   */
  commit(batch: WriteBatch): void;
  /** Gives up a write batch that was begun. */
  abandon(batch: WriteBatch): void;
  /** Begin, `writing`, commit; nothing is changed when `writing` throws. */
  write<T>(writing: (batch: WriteBatch) => T): T;
  /**
   * As `write`, but that a thread of the database commits and flushes: resolves once all of it is on the disk, and keeps
   * nobody waiting meanwhile. Nothing else may be written until then.
   * @throws DiskError when the disk does not take it, or, a lasting one, does not confirm that it has it: it may be there
   *   behind the next start
   */
  writeAsync<T>(writing: (batch: WriteBatch) => T): Promise<T>;
  /** Waits until everything committed is on the disk, and lets the directory go. */
  close(): Promise<void>;
}

/** Room that is reserved in the address space, not in memory or on disk: far more than any chain needs. */
const MAP_SIZE = 2 ** 40;
const MAX_READERS = 256;
/** lmdb flags: abortable, committed and flushed to the disk on return: the thread that writes waits for the disk. */
const COMMIT_FLAGS = 0x1_0003;
/** Units whose journal one commit drops, beside two for each unit that it brings. */
const MAX_PRUNED_UNITS = 2_000;

/**
 * Opens the store of a directory, making it when the directory is absent or empty.
 * @throws ForeignDirectoryError, StoreFormatError, WrongNetworkError: refused, directory untouched
 * @throws StoreInUseError when another process (or another part of this one) has it open for writing
 * @throws DiskError when the disk, or the system before it, does not let us
 */
export function openStore(directory: string, options: StoreOptions): Promise<Store> {
  return withDiskErrors(directory, () => openLmdb(directory, options));
}

async function openLmdb(directory: string, options: StoreOptions): Promise<Store> {
  const readOnly = options.readOnly ?? false;
  const { written, isMarked } = prepareDirectory(directory, options.network, !readOnly);
  const db: Database = open({
    path: dataFile(directory),
    noSubdir: true,
    keyEncoding: "binary",
    encoding: "binary",
    // Without it, lmdb makes a promise of its own that nobody sees, and its failure would end the process.
    eventTurnBatching: false,
    mapSize: MAP_SIZE,
    maxReaders: MAX_READERS,
    readOnly,
  });
  try {
    const isNew = !checkMeta(db, directory, options);
    if (isNew && (written || readOnly)) throw emptyStoreError(directory);
    const lock = readOnly ? undefined : await acquireLock(directory, ownerCell(db));
    try {
      // Another one may have made it meanwhile.
      if (isNew && !checkMeta(db, directory, options)) writeMeta(db, options.network);
      const store = new LmdbStore(db, directory, lock, options.rollbackDepth);
      if (!readOnly) upgradeStore(store);
      if (!isMarked && !readOnly) {
        await db.flushed;
        markWritten(directory, options.network);
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

/**
 * Format and network stand in the data file too: a file that was moved into the directory is found out.
 * @returns false when they do not stand there yet
 */
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

/** The owner's name among the store's facts; a transaction of the database makes replacing it atomic. */
function ownerCell(db: Database): OwnerCell {
  const reader = new LmdbReader(db);
  const read = (): Owner | undefined => {
    const bytes = reader.get(tables.meta, "owner");
    return bytes && (JSON.parse(decodeUtf8(bytes)) as Owner);
  };
  return {
    replace(expected, next) {
      return transact(db, () => {
        const found = read();
        if (found !== undefined && found.socket !== expected?.socket) return found;
        if (next === undefined) check(db.removeSync(rowKey(tables.meta, tables.meta.key.encode("owner"))));
        else put(db, tables.meta, "owner", encodeUtf8(JSON.stringify(next)));
        return next;
      });
    },
  };
}

class LmdbStore extends LmdbReader implements Store {
  readonly #directory: string;
  readonly #lock: Lock | undefined;
  readonly #slot: WriteSlot;
  /** Why nothing is written any more. */
  #fault: DiskError | undefined;
  /** Whether the newest write aside failed: lmdb waits for its flush for ever. */
  #flushesNoMore = false;
  #closed = false;

  /** @param lock undefined for a read-only store */
  constructor(db: Database, directory: string, lock: Lock | undefined, rollbackDepth: number | undefined) {
    super(db);
    this.#directory = directory;
    this.#lock = lock;
    this.#slot = new WriteSlot(rollbackDepth);
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
    if (this.#lock === undefined) throw new StoreStateError("The store is open for reading only");
    if (this.#fault !== undefined) throw this.#fault;
    return this.#slot.begin(new LmdbReader(this.db, this.fences));
  }

  commit(batch: WriteBatch): void {
    this.#checkOpen();
    this.#slot.release(batch, MAX_PRUNED_UNITS + 2 * batch.unitCount);
    for (const [tree, memtable] of batch.memtables()) flushMemtable(batch, tree, memtable);
    batch.flushCounts();
    let transaction = Number.POSITIVE_INFINITY;
    try {
      transact(this.db, () => {
        transaction = this.db.getWriteTxnId();
        for (const { table, key, value } of batch.changes()) {
          const at = rowKey(table, key);
          if (value !== undefined) check(this.db.putSync(at, value) as unknown as boolean);
          else this.db.removeSync(at);
        }
      });
    } catch (error) {
      this.#judge(error, transaction);
    }
    batch.discard();
  }

  /**
   * What a failure of a commit means. Returns when the commit stands all the same: everyone sees it, but the disk did not
   * confirm that it has it. No later success could tell that it has, so there is no further commit before a start.
   * @throws DiskError when nothing was committed; the error itself when it is about something else
   */
  #judge(error: unknown, transaction: number): void {
    if (this.#newestTransaction() >= transaction) {
      const reason = reasonOf(error);
      this.#fault = new DiskError(
        `The data directory ${this.#directory} cannot be written: the disk did not confirm a commit (${reason}). Look at the disk, then run \`holdfast verify\``,
        { cause: error, lasting: true },
      );
      return;
    }
    throw this.#writeError(error);
  }

  /** The number of the newest commit that is seen. @throws DiskError, a lasting one, when the database reads no more */
  #newestTransaction(): number {
    try {
      this.db.resetReadTxn();
      const { lastTxnId } = this.db.getStats() as { readonly lastTxnId: number };
      return lastTxnId;
    } catch (error) {
      throw this.#writeError(error);
    }
  }

  /** Returns the fault of the disk that an error reports, or else the error. Nothing is written after a lasting fault. */
  #writeError(error: unknown): unknown {
    const fault = diskErrorOf(this.#directory, "written", error);
    if (fault?.lasting === true) this.#fault = fault;
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
    this.#slot.release(batch);
    const before = this.#newestTransaction();
    try {
      await this.db.batch(() => {
        for (const { table, key, value } of batch.changes()) {
          const at = rowKey(table, key);
          if (value !== undefined) void this.db.put(at, value);
          else void this.db.remove(at);
        }
      });
      await this.db.flushed;
      this.#flushesNoMore = false;
    } catch (error) {
      this.#flushesNoMore = true;
      this.#judge(await causeOf(error), before + 1);
      // Whoever waits was promised that it is on the disk.
      throw this.#fault;
    }
    batch.discard();
    return result;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#flushesNoMore) await this.db.flushed;
    try {
      await this.#lock?.release();
    } catch (error) {
      // Our name stays in a store that cannot be written; whoever comes next finds that nobody answers to it.
      if (diskErrorOf(this.#directory, "written", error) === undefined) throw error;
    }
    // The end of the process closes it then.
    if (!this.#flushesNoMore) await this.db.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreStateError("The store is closed");
  }
}

/** What lmdb's failed commit was about: it stands in a promise that is rejected at the same time. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = (error ?? {}) as { readonly commitError?: unknown };
  if (!(commitError instanceof Promise)) return error;
  return commitError.then(
    () => error,
    (cause: unknown) => cause,
  );
}

function put<K, V>(db: Database, table: Table<K, V>, key: K, value: V): void {
  check(db.putSync(rowKey(table, table.key.encode(key)), table.value.encode(value)) as unknown as boolean);
}

function check(written: boolean): void {
  if (written === false) throw new StoreStateError("The database refused a row");
}

function transact<T>(db: Database, action: () => T): T {
  return db.transactionSync(action, COMMIT_FLAGS as never);
}
