/** A disk that forgets what was not flushed: what a power failure leaves of a store. */

import { Overlay } from "../batch/overlay.ts";
import type { WriteBatch } from "../batch/write-batch.ts";
import { MemoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";

/**
 * Holds one store through any number of power failures. Commits are readable at once and safe once they were flushed, in
 * their order; as with LMDB, a failure leaves the state behind some commit, never one in between.
 */
export class ForgetfulDisk {
  /** What a power failure leaves at least. */
  readonly #flushed = new Overlay();
  /** Commits that were not flushed, oldest first. */
  readonly #waiting: Overlay[] = [];
  readonly #rollbackDepth: number | undefined;
  #store: Store | undefined;

  constructor(options: { readonly rollbackDepth?: number } = {}) {
    this.#rollbackDepth = options.rollbackDepth;
  }

  /** Number of commits that a power failure may take. */
  get unflushed(): number {
    return this.#waiting.length;
  }

  /**
   * The store as it is. What was opened before must not be used any more.
   * @param worked told of each unit as it is written: what takes a writer its time
   * @param undoneInVain called when a commit is abandoned after it undid key blocks, with their number
   */
  open(worked: () => void = () => {}, undoneInVain: (blocks: number) => void = () => {}): Store {
    const rows = new Overlay();
    for (const layer of [this.#flushed, ...this.#waiting]) layer.mergeInto(rows);
    const committed = (commit: Overlay) => this.#waiting.push(commit);
    const store = new ForgetfulStore(this.#rollbackDepth, rows, { committed, worked, undoneInVain });
    this.#store = store;
    return store;
  }

  /** Makes the oldest commits safe. @param count how many; all by default */
  flush(count = this.#waiting.length): void {
    for (const commit of this.#waiting.splice(0, count)) commit.mergeInto(this.#flushed);
  }

  /**
   * The power fails: who still has the store can do nothing with it, and `open` finds what was safe.
   * @param kept so many of the commits that were not flushed had reached the disk all the same
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
  /** Key blocks that the commit under way has undone. */
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

  protected override take(batch: WriteBatch): void {
    const commit = new Overlay();
    batch.mergeInto(commit);
    super.take(batch);
    this.#listeners.committed(commit);
  }
}
