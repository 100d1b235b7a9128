/** Counts commits, for all threads. */
export class CommitCounter {
  readonly shared: SharedArrayBuffer;
  readonly #cell: BigInt64Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#cell = new BigInt64Array(shared);
  }

  get count(): bigint {
    return Atomics.load(this.#cell, 0);
  }

  increment(): void {
    Atomics.add(this.#cell, 0, 1n);
  }
}
