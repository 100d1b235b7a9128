/** A store on a disk that fails now and then: for tests of what a failure leaves behind, in memory above all. */
import type { SeededRandom } from "../../testing/seeded-random.ts";
import type { WriteBatch } from "../batch/write-batch.ts";
import { writeAndCommit } from "../batch/write-slot.ts";
import { DiskError } from "../disk/disk-error.ts";
import { DelegatingReader, type Reader } from "../kv.ts";
import type { Snapshot, Store } from "../store.ts";

/** What a full disk says. */
export class DiskFullError extends DiskError {
  constructor() {
    super("The data directory cannot be written: no space is left on the disk");
  }
}

/** When a store fails. */
export interface Faults {
  /** Share of the commits that fail, in percent. */
  commits: number;
  /** Share of the batches that cannot be begun, or fail at a read of theirs, in percent. */
  reads: number;
  /** What the disk says then. */
  error: () => Error;
}

/** Passes everything on to another store, but for what fails. */
export class FailingStore extends DelegatingReader implements Store {
  readonly faults: Faults = { commits: 0, reads: 0, error: () => new DiskFullError() };
  /** How often it failed so far. */
  failures = 0;

  readonly #store: Store;
  readonly #random: SeededRandom;

  constructor(store: Store, random: SeededRandom) {
    super();
    this.#store = store;
    this.#random = random;
  }

  protected source(): Reader {
    return this.#store;
  }

  snapshot(): Snapshot {
    return this.#store.snapshot();
  }

  read<T>(reading: (reader: Reader) => T): T {
    return this.#store.read(reading);
  }

  begin(): WriteBatch {
    if (this.#random.chance(this.faults.reads)) {
      if (this.#random.chance(20)) this.#fail();
      const batch = this.#store.begin();
      this.#failReadOf(batch, this.#random.below(200));
      return batch;
    }
    return this.#store.begin();
  }

  commit(batch: WriteBatch): void {
    if (!this.#random.chance(this.faults.commits)) {
      this.#store.commit(batch);
      return;
    }
    if (this.#random.chance(50)) {
      this.#store.abandon(batch);
      this.#fail();
    }
    // Half written: the store below has to take it back.
    const changes = [...batch.changes()].slice(0, 5);
    const fail = (): never => this.#fail();
    Object.defineProperty(batch, "changes", {
      *value() {
        yield* changes;
        fail();
      },
    });
    this.#store.commit(batch);
  }

  abandon(batch: WriteBatch): void {
    this.#store.abandon(batch);
  }

  write<T>(writing: (batch: WriteBatch) => T): T {
    return writeAndCommit(this, writing);
  }

  async writeAsync<T>(writing: (batch: WriteBatch) => T): Promise<T> {
    return this.write(writing);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Lets the read of a batch fail that comes after so many others. */
  #failReadOf(batch: WriteBatch, after: number): void {
    const find = batch.find.bind(batch);
    let left = after;
    const failing: typeof find = (table, key) => {
      if (left-- === 0) this.#fail();
      return find(table, key);
    };
    Object.defineProperty(batch, "find", { value: failing });
  }

  #fail(): never {
    this.failures++;
    throw this.faults.error();
  }
}
