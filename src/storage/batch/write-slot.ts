import { tables } from "../tables.ts";
import { WriteBatch, type WriteBatchSource } from "./write-batch.ts";

export class StoreStateError extends Error {
  override readonly name = "StoreStateError";
}

/** Allows one write batch at a time. */
export class WriteSlot {
  /** Number of newest blocks whose journal is kept. */
  rollbackDepth: number;
  #batch: WriteBatch | undefined;

  constructor(rollbackDepth = Number.POSITIVE_INFINITY) {
    this.rollbackDepth = rollbackDepth;
  }

  get hasOpenBatch(): boolean {
    return this.#batch !== undefined;
  }

  begin(source: WriteBatchSource): WriteBatch {
    if (this.#batch !== undefined) throw new StoreStateError("Another commit is in progress");
    this.#batch = new WriteBatch(source);
    return this.#batch;
  }

  /**
   * Frees the slot before the caller writes `batch`, and prunes the journal beyond the rollback depth.
   * @throws StoreStateError if a unit is still open, or `batch` is not in the slot
   */
  release(batch: WriteBatch, pruneLimit = Number.POSITIVE_INFINITY): void {
    this.#clear(batch);
    if (batch.openUnit !== undefined) throw new StoreStateError("A unit is still open");
    const height = batch.get(tables.heights, undefined)?.height ?? 0;
    if (height > this.rollbackDepth) batch.pruneJournal(height - this.rollbackDepth, pruneLimit);
  }

  abandon(batch: WriteBatch): void {
    this.#clear(batch);
    batch.discard();
  }

  #clear(batch: WriteBatch): void {
    if (batch !== this.#batch) throw new StoreStateError("This commit is not in progress");
    this.#batch = undefined;
  }
}

interface Writable {
  begin(): WriteBatch;
  commit(batch: WriteBatch): void;
  abandon(batch: WriteBatch): void;
}

export function writeAndCommit<T>(store: Writable, writing: (batch: WriteBatch) => T): T {
  const { batch, result } = fillBatch(store, writing);
  store.commit(batch);
  return result;
}

/** If `writing` throws, the batch is abandoned. */
export function fillBatch<T>(
  store: Writable,
  writing: (batch: WriteBatch) => T,
): { readonly batch: WriteBatch; readonly result: T } {
  const batch = store.begin();
  try {
    return { batch, result: writing(batch) };
  } catch (error) {
    store.abandon(batch);
    throw error;
  }
}

export function readAndClose<S extends { close(): void }, T>(snapshot: S, reading: (snapshot: S) => T): T {
  try {
    return reading(snapshot);
  } finally {
    snapshot.close();
  }
}
