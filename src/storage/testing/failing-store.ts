/** A store whose disk fails at random, to test what failures leave behind in memory. */
import type { SeededRandom } from "../../testing/seeded-random.ts";
import type { WriteBatch } from "../batch/write-batch.ts";
import { writeAndCommit } from "../batch/write-slot.ts";
import { DiskError } from "../disk/disk-error.ts";
import { DelegatingReader, type Reader } from "../kv.ts";
import type { Snapshot, Store, StoreStatistics } from "../store.ts";

export class DiskFullError extends DiskError {
  constructor() {
    super("The data directory cannot be written: no space is left on the disk");
  }
}

export interface Faults {
  /** Failing commits, in percent. */
  commits: number;
  /** Batches that fail to begin or fail during a read, in percent. */
  reads: number;
  error: () => Error;
}

export class FailingStore extends DelegatingReader implements Store {
  readonly faults: Faults = { commits: 0, reads: 0, error: () => new DiskFullError() };
  /** Number of failures so far. */
  failures = 0;

  readonly id: string;
  readonly #store: Store;
  readonly #random: SeededRandom;

  constructor(store: Store, random: SeededRandom) {
    super();
    this.#store = store;
    this.id = store.id;
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
    // Fail halfway: the store must roll back.
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

  statistics(): StoreStatistics | undefined {
    return this.#store.statistics();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Makes a read of the batch fail after this many others. */
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
