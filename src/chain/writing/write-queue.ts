/** Something else writes to the chain, and will for a while: who cannot wait is told so. */
export class ChainBusyError extends Error {
  override readonly name = "ChainBusyError";
  constructor() {
    super("The chain is being changed: try again in a moment");
  }
}

/** The chain was closed while a change waited, or was under way. */
export class ChainClosedError extends Error {
  override readonly name = "ChainClosedError";
  constructor() {
    super("The chain was closed");
  }
}

/** The maximum number of waiting changes: honest callers never queue behind so many. */
const MAX_WAITING = 100;

/** The right to write, held until `release`. What changes the chain asks for one. */
export class WriteLock {
  readonly #onRelease: () => void;
  #isHeld = true;

  constructor(onRelease: () => void) {
    this.#onRelease = onRelease;
  }

  /** @throws RangeError when it was released: a fault of the caller */
  assertHeld(): void {
    if (!this.#isHeld) throw new RangeError("The right to write was released");
  }

  /** Passes the right on to the next one that waits. Further calls do nothing. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#onRelease();
  }
}

interface Waiting {
  readonly go: () => void;
  readonly fail: (error: Error) => void;
  readonly isUrgent: boolean;
}

/**
 * Hands out the right to write, which one change holds at a time. Most changes begin and end within a turn of the event
 * loop and find it free. A long one holds it over many turns; meanwhile other changes wait in order.
 */
export class WriteQueue {
  #isHeld = false;
  /** Set once it is being closed. */
  #closing: Promise<void> | undefined;
  readonly #waiting: Waiting[] = [];

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** @throws ChainClosedError once the chain is being closed: a long change ends at its next turn */
  assertOpen(): void {
    if (this.#closing !== undefined) throw new ChainClosedError();
  }

  /** Whether an urgent task waits: a long change that can be repeated should be given up for it. */
  get hasUrgent(): boolean {
    return this.#waiting.some(({ isUrgent }) => isUrgent);
  }

  /**
   * Takes the lock at once.
   * @throws ChainBusyError when another change holds it
   * @throws ChainClosedError
   */
  acquireNow(): WriteLock {
    this.assertOpen();
    if (this.#isHeld) throw new ChainBusyError();
    return this.#hold();
  }

  /**
   * Waits until the lock is free, and takes it.
   * @throws ChainBusyError when too many wait already
   * @throws ChainClosedError
   */
  acquire(): Promise<WriteLock> {
    return this.whenFree(() => this.#hold());
  }

  /**
   * Runs `task` as soon as the lock is free: at once, or in its turn. The task takes the lock itself, within the same
   * turn of the event loop.
   * @param isUrgent true: a long change that can be repeated may be given up for this task
   * @throws what `task` throws, and as `take`
   */
  whenFree<T>(task: () => T, isUrgent = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const go = (): void => {
        try {
          resolve(task());
        } catch (error) {
          reject(error);
        }
      };
      if (this.#closing !== undefined) reject(new ChainClosedError());
      else if (!this.#isHeld && this.#waiting.length === 0) go();
      else if (this.#waiting.length >= MAX_WAITING) reject(new ChainBusyError());
      else this.#waiting.push({ go, fail: reject, isUrgent });
    });
  }

  /** Hands out no lock any more. Resolves once the change under way has ended. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve, reject) => {
      for (const { fail } of this.#waiting.splice(0)) fail(new ChainClosedError());
      if (this.#isHeld) this.#waiting.push({ go: resolve, fail: reject, isUrgent: false });
      else resolve();
    });
    return this.#closing;
  }

  #hold(): WriteLock {
    this.#isHeld = true;
    return new WriteLock(() => {
      this.#isHeld = false;
      while (!this.#isHeld) {
        const next = this.#waiting.shift();
        if (next === undefined) return;
        next.go();
      }
    });
  }
}
