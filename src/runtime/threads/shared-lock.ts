/** Attempts before a thread sleeps. */
const MAX_SPINS = 100;
/** A sleeping thread tries again after this time, ms. */
const MAX_SLEEP_MS = 1;

/** Cell: number of the thread that holds the lock, plus 1; 0 if the lock is free. */
const OWNER = 0;
/** Cell: number of sleeping threads. */
const SLEEPERS = 1;

/** A mutex for short work on shared memory. Not reentrant. */
export class SharedLock {
  readonly #cells: Int32Array;
  readonly #owner: number;

  /** @param thread number of the calling thread, from 0 */
  constructor(memory: SharedArrayBuffer, thread: number) {
    this.#cells = new Int32Array(memory);
    this.#owner = thread + 1;
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(8);
  }

  /** Runs a task, which must not wait, while holding the lock. */
  run<T>(task: () => T): T {
    this.#acquire();
    try {
      return task();
    } finally {
      this.#release(this.#owner);
    }
  }

  /** Frees the lock of a thread that has ended. */
  releaseFor(thread: number): void {
    this.#release(thread + 1);
  }

  #acquire(): void {
    const cells = this.#cells;
    for (let tries = 0; ; tries++) {
      const owner = Atomics.compareExchange(cells, OWNER, 0, this.#owner);
      if (owner === 0) return;
      if (tries < MAX_SPINS) continue;
      Atomics.add(cells, SLEEPERS, 1);
      Atomics.wait(cells, OWNER, owner, MAX_SLEEP_MS);
      Atomics.sub(cells, SLEEPERS, 1);
    }
  }

  #release(owner: number): void {
    if (Atomics.compareExchange(this.#cells, OWNER, owner, 0) !== owner) return;
    if (Atomics.load(this.#cells, SLEEPERS) > 0) Atomics.notify(this.#cells, OWNER, 1);
  }
}
