/** Simulates power failures: a disk that loses commits that were not flushed. */

import { Overlay } from "../batch/overlay.ts";
import type { WriteBatch } from "../batch/write-batch.ts";
import { MemoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";

/**
 * Keeps one store through any number of power failures. Commits are readable at once, and safe after a flush, in
 * order. As with LMDB, a failure leaves the state after some commit, never one in between.
 */
export class ForgetfulDisk {
  /** Flushed commits, which survive every power failure. */
  readonly #flushed = new Overlay();
  /** Unflushed commits, oldest first. */
  readonly #waiting: Overlay[] = [];
  readonly #rollbackDepth: number | undefined;
  #store: Store | undefined;

  constructor(options: { readonly rollbackDepth?: number } = {}) {
    this.#rollbackDepth = options.rollbackDepth;
  }

  /** Number of unflushed commits. */
  get unflushed(): number {
    return this.#waiting.length;
  }

  /**
   * Opens the store with its current commits. Stores opened before become invalid.
   * @param worked called for each unit that is written
   * @param undoneInVain called when a commit is abandoned after undoing key blocks, with their number
   */
  open(worked: () => void = () => {}, undoneInVain: (blocks: number) => void = () => {}): Store {
    const rows = new Overlay();
    for (const layer of [this.#flushed, ...this.#waiting]) layer.mergeInto(rows);
    const committed = (commit: Overlay) => this.#waiting.push(commit);
    const store = new ForgetfulStore(this.#rollbackDepth, rows, { committed, worked, undoneInVain });
    this.#store = store;
    return store;
  }

  /** Flushes the oldest commits. @param count all by default */
  flush(count = this.#waiting.length): void {
    for (const commit of this.#waiting.splice(0, count)) commit.mergeInto(this.#flushed);
  }

  /**
   * Simulates a power failure: the open store becomes unusable, and `open` returns what was safe.
   * @param kept number of unflushed commits that reached the disk anyway
   */
  async fail(kept: number): Promise<void> {
    this.flush(kept);
    this.#waiting.length = 0;
    await this.#store?.close();
    this.#store = undefined;
  }
}

interface Listeners {
  readonly committed: (commit: Overlay) => void;
  readonly worked: () => void;
  readonly undoneInVain: (blocks: number) => void;
}

class ForgetfulStore extends MemoryStore {
  readonly #listeners: Listeners;
  /** Key blocks undone by the open commit. */
  #undone = 0;

  constructor(rollbackDepth: number | undefined, rows: Overlay, listeners: Listeners) {
    super(rollbackDepth, rows);
    this.#listeners = listeners;
  }

  override begin(): WriteBatch {
    const batch = super.begin();
    this.#undone = 0;
    const endUnit = batch.endUnit.bind(batch);
    const ending: typeof endUnit = () => {
      this.#listeners.worked();
      return endUnit();
    };
    const undoUnit = batch.undoUnit.bind(batch);
    const undoing: typeof undoUnit = (key, restores) => {
      if (key.sequence === 0) this.#undone++;
      undoUnit(key, restores);
    };
    Object.defineProperty(batch, "endUnit", { value: ending });
    Object.defineProperty(batch, "undoUnit", { value: undoing });
    return batch;
  }

  override abandon(batch: WriteBatch): void {
    super.abandon(batch);
    const blocks = this.#undone;
    this.#undone = 0;
    if (blocks > 0) this.#listeners.undoneInVain(blocks);
  }

  protected override merge(batch: WriteBatch): void {
    const commit = new Overlay();
    batch.mergeInto(commit);
    super.merge(batch);
    this.#listeners.committed(commit);
  }
}
