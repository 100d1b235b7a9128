const NEVER = -1n;

/** Follow state in shared memory: HTTP threads see the growing lag even if the main thread hangs. */
export class FollowState {
  readonly shared: SharedArrayBuffer;
  readonly #source: Int32Array;
  /** Monotonic time, ms. */
  readonly #caughtUpAt: BigInt64Array;

  constructor(shared?: SharedArrayBuffer) {
    this.shared = shared ?? new SharedArrayBuffer(16);
    this.#source = new Int32Array(this.shared, 0, 1);
    this.#caughtUpAt = new BigInt64Array(this.shared, 8, 1);
    if (shared === undefined) Atomics.store(this.#caughtUpAt, 0, NEVER);
  }

  /** Index of the source that the node follows or followed last. */
  get source(): number {
    return Atomics.load(this.#source, 0);
  }

  set source(index: number) {
    Atomics.store(this.#source, 0, index);
  }

  /** Records that the store has a connected source's newest block. @param now monotonic, ms */
  caughtUp(now: number): void {
    Atomics.store(this.#caughtUpAt, 0, BigInt(Math.floor(now)));
  }

  /** Returns the time since the last `caughtUp`, ms; undefined if there was none. */
  lagMs(now: number): number | undefined {
    const caughtUpAt = Atomics.load(this.#caughtUpAt, 0);
    return caughtUpAt === NEVER ? undefined : Math.max(0, now - Number(caughtUpAt));
  }

  isStale(now: number, maxLagMs: number): boolean {
    return (this.lagMs(now) ?? Number.POSITIVE_INFINITY) > maxLagMs;
  }
}
