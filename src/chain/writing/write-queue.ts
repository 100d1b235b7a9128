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

/** Who waits at most: nobody honest is behind so many others. */
const MOST_WAITING = 100;

interface Waiting {
  readonly go: () => void;
  readonly fail: (error: Error) => void;
  readonly isUrgent: boolean;
}

/**
 * The right to write, which one change holds at a time. Most changes begin and end within a turn of the event loop and
 * find it free; a long one holds it over many turns, and who wants to write meanwhile waits, in order.
 */
export class WriteQueue {
  private held = false;
  /** Set once it is being closed. */
  private closing: Promise<void> | undefined;
  private readonly waiting: Waiting[] = [];

  /** Whether somebody holds it. */
  get isHeld(): boolean {
    return this.held;
  }

  /** Whether the chain is being closed: a long change gives up at its next turn. */
  get isClosed(): boolean {
    return this.closing !== undefined;
  }

  /** Whether an urgent task waits: a long change that can be repeated should be given up for it. */
  get hasUrgent(): boolean {
    return this.waiting.some(({ isUrgent }) => isUrgent);
  }

  /**
   * Takes it at once.
   * @returns how to let it go: to be called once
   * @throws ChainBusyError when somebody holds it
   * @throws ChainClosedError
   */
  takeNow(): () => void {
    if (this.isClosed) throw new ChainClosedError();
    if (this.held) throw new ChainBusyError();
    return this.hold();
  }

  /**
   * Waits until it is free, and takes it.
   * @throws ChainBusyError when too many wait already
   * @throws ChainClosedError
   */
  take(): Promise<() => void> {
    return this.whenFree(() => this.hold());
  }

  /**
   * Runs `task` as soon as it is free: at once, or when it is this one's turn. The task takes it by itself, within the
   * same turn of the event loop.
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
      if (this.isClosed) reject(new ChainClosedError());
      else if (!this.held && this.waiting.length === 0) go();
      else if (this.waiting.length >= MOST_WAITING) reject(new ChainBusyError());
      else this.waiting.push({ go, fail: reject, isUrgent });
    });
  }

  /** Lets nobody write any more. Resolves once the change under way has ended. */
  close(): Promise<void> {
    this.closing ??= new Promise((resolve, reject) => {
      for (const { fail } of this.waiting.splice(0)) fail(new ChainClosedError());
      if (this.held) this.waiting.push({ go: resolve, fail: reject, isUrgent: false });
      else resolve();
    });
    return this.closing;
  }

  private hold(): () => void {
    this.held = true;
    return () => {
      this.held = false;
      while (!this.held) {
        const next = this.waiting.shift();
        if (next === undefined) return;
        next.go();
      }
    };
  }
}
