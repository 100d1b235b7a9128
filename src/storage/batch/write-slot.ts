import { tables } from "../tables.ts";
import { WriteBatch, type WriteBatchSource } from "./write-batch.ts";

/** A store was used in a way that its state does not allow. */
export class StoreStateError extends Error {
  override readonly name = "StoreStateError";
}

/** The write batch that a store has under way, of which there is one at a time. */
export class WriteSlot {
  readonly #rollbackDepth: number;
  #batch: WriteBatch | undefined;

  /** @param rollbackDepth how many blocks can be undone; all by default */
  constructor(rollbackDepth = Number.POSITIVE_INFINITY) {
    this.#rollbackDepth = rollbackDepth;
  }

  /** Whether one is under way. */
  get isTaken(): boolean {
    return this.#batch !== undefined;
  }

  /** @throws StoreStateError while another one is under way */
  begin(source: WriteBatchSource): WriteBatch {
    if (this.#batch !== undefined) throw new StoreStateError("Another commit is under way");
    this.#batch = new WriteBatch(source);
    return this.#batch;
  }

  /**
   * Lets a write batch go that is to be written, whether that succeeds or not, and drops the journal of what can no longer
   * be undone.
   * @param pruneLimit at most so many units of the journal
   * @throws StoreStateError when a unit is still open, or the write batch is not the one under way
   */
  release(batch: WriteBatch, pruneLimit = Number.POSITIVE_INFINITY): void {
    this.#vacate(batch);
    if (batch.openUnit !== undefined) throw new StoreStateError("A unit is still open");
    const height = batch.get(tables.heights, undefined)?.height ?? 0;
    if (height > this.#rollbackDepth) batch.pruneJournal(height - this.#rollbackDepth, pruneLimit);
  }

  /** Gives a write batch up. @throws StoreStateError when it is not the one under way */
  abandon(batch: WriteBatch): void {
    this.#vacate(batch);
    batch.discard();
  }

  #vacate(batch: WriteBatch): void {
    if (batch !== this.#batch) throw new StoreStateError("This is not the commit that is under way");
    this.#batch = undefined;
  }
}

/** What `writeThrough` needs of a store. */
interface Writable {
  begin(): WriteBatch;
  commit(batch: WriteBatch): void;
  abandon(batch: WriteBatch): void;
}

/** Begin, `writing`, commit; nothing is changed when `writing` throws. */
export function writeAndCommit<T>(store: Writable, writing: (batch: WriteBatch) => T): T {
  const { batch, result } = fillBatch(store, writing);
  store.commit(batch);
  return result;
}

/** Begins a batch and runs `writing` on it. The batch is abandoned when `writing` throws. */
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

/** Runs `reading` on a snapshot and closes it. */
export function readAndClose<S extends { close(): void }, T>(snapshot: S, reading: (snapshot: S) => T): T {
  try {
    return reading(snapshot);
  } finally {
    snapshot.close();
  }
}
