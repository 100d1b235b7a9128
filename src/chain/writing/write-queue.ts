export class ChainBusyError extends Error {
  override readonly name = "ChainBusyError";
  constructor() {
    super("Another change of the chain is running: try again in a moment");
  }
}

export class ChainClosedError extends Error {
  override readonly name = "ChainClosedError";
  constructor() {
    super("The chain was closed");
  }
}

const MAX_QUEUED_TASKS = 100;

/** The right to change the chain. */
export class WriteLock {
  readonly #onRelease: () => void;
  #isHeld = true;

  constructor(onRelease: () => void) {
    this.#onRelease = onRelease;
  }

  /** @throws RangeError after `release` */
  assertHeld(): void {
    if (!this.#isHeld) throw new RangeError("Write lock was already released");
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#onRelease();
  }
}

interface QueuedTask {
  readonly run: () => void;
  readonly fail: (error: Error) => void;
  readonly isUrgent: boolean;
}

/** Grants one lock at a time, in call order. */
export class WriteQueue {
  #isHeld = false;
  #closing: Promise<void> | undefined;
  readonly #queue: QueuedTask[] = [];

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** @throws ChainClosedError */
  assertOpen(): void {
    if (this.#closing !== undefined) throw new ChainClosedError();
  }

  /** True if an urgent task waits. A long change that its caller can repeat should then end. */
  get hasUrgent(): boolean {
    return this.#queue.some(({ isUrgent }) => isUrgent);
  }

  /**
   * @throws ChainBusyError if the lock is held
   * @throws ChainClosedError
   */
  acquireNow(): WriteLock {
    this.assertOpen();
    if (this.#isHeld) throw new ChainBusyError();
    return this.#createLock();
  }

  /**
   * @throws ChainBusyError if the queue is full
   * @throws ChainClosedError
   */
  acquire(): Promise<WriteLock> {
    return this.whenFree(() => this.#createLock());
  }

  /**
   * Runs `task` when the lock is free: now, or after the queued tasks. A task that needs the lock must acquire it
   * synchronously.
   * @param isUrgent true if a long change that can be repeated should end early for this task
   * @throws what `task` and `acquire` throw
   */
  whenFree<T>(task: () => T, isUrgent = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (): void => {
        try {
          resolve(task());
        } catch (error) {
          reject(error);
        }
      };
      if (this.#closing !== undefined) reject(new ChainClosedError());
      else if (!this.#isHeld && this.#queue.length === 0) run();
      else if (this.#queue.length >= MAX_QUEUED_TASKS) reject(new ChainBusyError());
      else this.#queue.push({ run, fail: reject, isUrgent });
    });
  }

  /** Rejects waiting tasks. Resolves after the running change. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve, reject) => {
      for (const { fail } of this.#queue.splice(0)) fail(new ChainClosedError());
      if (this.#isHeld) this.#queue.push({ run: resolve, fail: reject, isUrgent: false });
      else resolve();
    });
    return this.#closing;
  }

  #createLock(): WriteLock {
    this.#isHeld = true;
    return new WriteLock(() => {
      this.#isHeld = false;
      while (!this.#isHeld) {
        const next = this.#queue.shift();
        if (next === undefined) return;
        next.run();
      }
    });
  }
}
