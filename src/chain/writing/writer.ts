import type { Clock, Log } from "../../interfaces.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import type { Store, WriteBatch } from "../../storage/store.ts";
import type { AppendResult } from "../deciding/block-refusal.ts";
import { noTip, type Tip } from "../reading/tip.ts";
import type { ChainChange, ChangeListener, ListenerStage } from "./change.ts";
import { type ChangeDependencies, type ChangeOptions, OpenChange } from "./open-change.ts";
import { readUnfinishedSwitch, type UnfinishedSwitch } from "./switch-row.ts";
import { TimeSlice } from "./time-slice.ts";
import { type WriteLock, WriteQueue } from "./write-queue.ts";

interface CommitOptions {
  /** True if reverted transactions return to the pool. Default: true. */
  readonly returnTransactions?: boolean | undefined;
  /** True if more commits of the same change follow. Default: false. */
  readonly isPart?: boolean | undefined;
  /** Called right after the commit, before the listeners. */
  readonly onCommitted?: (() => void) | undefined;
}

interface WriterDependencies extends ChangeDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after the listeners of each commit. */
  readonly watch: (before: Tip, after: Tip) => void;
  /** Called after a listener's error is logged. The change stays committed. */
  readonly onListenerError?: ((error: unknown) => void) | undefined;
  readonly onDiskError?: ((error: DiskError) => void) | undefined;
}

/** Makes commits, one at a time. A failed commit changes no state here. */
export class ChainWriter {
  /** As of the last commit. */
  tip: Tip = noTip;
  /** As of the last commit. */
  hasSwitchRow = false;
  readonly queue = new WriteQueue();
  readonly #dependencies: WriterDependencies;
  readonly #followers = new Set<ChangeListener>();
  readonly #listeners = new Set<ChangeListener>();

  constructor(dependencies: WriterDependencies) {
    this.#dependencies = dependencies;
  }

  /** Applies to changes that begin from now on. Returns a function that removes the listener. */
  onChange(listener: ChangeListener, stage: ListenerStage): () => void {
    const set = stage === "follower" ? this.#followers : this.#listeners;
    set.add(listener);
    return () => {
      set.delete(listener);
    };
  }

  /** The interrupted switch; undefined if there is none, or our chain cannot be restored any more. */
  get unfinishedSwitch(): UnfinishedSwitch | undefined {
    return this.hasSwitchRow ? this.#dependencies.store.read(readUnfinishedSwitch) : undefined;
  }

  /**
   * The caller holds `lock` until `commit` or `abandon`.
   * @throws what the store throws, after calling `onDiskError`
   */
  begin(lock: WriteLock, { continuesSwitch }: Pick<ChangeOptions, "continuesSwitch"> = {}): OpenChange {
    lock.assertHeld();
    const { tip, hasSwitchRow } = this;
    // An import has no listeners, and must not pay for recording changes.
    const audience = [...this.#followers, ...this.#listeners];
    const batch = this.#reportDiskErrors(() => this.#dependencies.store.begin());
    return new OpenChange(batch, this.#dependencies, { tip, audience, hasSwitchRow, continuesSwitch });
  }

  /** Pauses throw once the chain is closed. */
  timeSlice(): TimeSlice {
    return new TimeSlice(this.#dependencies.clock, () => this.queue.assertOpen());
  }

  /** An error changes nothing. */
  commit(change: OpenChange, options: CommitOptions = {}): void {
    const { store, indexing } = this.#dependencies;
    const { batch, audience, reverted, committed, hasSwitchRow } = change;
    let tip: Tip;
    try {
      change.finish();
      tip = change.tip;
    } catch (error) {
      store.abandon(batch);
      throw error;
    }
    this.#reportDiskErrors(() => store.commit(batch));
    const before = this.tip;
    this.tip = tip;
    this.hasSwitchRow = hasSwitchRow;
    indexing.committed(batch);
    options.onCommitted?.();
    const { returnTransactions = true, isPart = false } = options;
    this.#notify({ reverted, committed, tip, returnTransactions, isPart }, audience);
    this.#callGuarded(tip, () => this.#dependencies.watch(before, tip));
  }

  abandon(change: OpenChange): void {
    this.#dependencies.store.abandon(change.batch);
  }

  /** A rejection or an error changes nothing. */
  change(work: (change: OpenChange) => AppendResult, options: CommitOptions = {}): AppendResult {
    const lock = this.queue.acquireNow();
    try {
      const { change, result } = this.#run(lock, work);
      if (change !== undefined) this.commit(change, options);
      return result;
    } finally {
      lock.release();
    }
  }

  /**
   * As `change`, in one commit. If an index has much work, this holds the lock for several turns of the event loop.
   * @returns a promise only if the work needed more than this turn
   * @throws ChainClosedError if the chain is closed meanwhile
   */
  changeInTurns(work: (change: OpenChange) => AppendResult): AppendResult | Promise<AppendResult> {
    const lock = this.queue.acquireNow();
    let isLong = false;
    try {
      const { change, result } = this.#run(lock, work);
      if (change === undefined) return result;
      isLong = change.isUnfinished;
      if (isLong) return this.#finish(lock, change, result);
      this.commit(change);
      return result;
    } finally {
      if (!isLong) lock.release();
    }
  }

  /** @returns the open change if there is something to commit */
  #run(
    lock: WriteLock,
    work: (change: OpenChange) => AppendResult,
  ): { readonly change?: OpenChange; readonly result: AppendResult } {
    const change = this.begin(lock);
    let result: AppendResult;
    try {
      result = work(change);
    } catch (error) {
      this.abandon(change);
      throw error;
    }
    if (result.ok && result.value === "appended") return { change, result };
    this.abandon(change);
    return { result };
  }

  async #finish(lock: WriteLock, change: OpenChange, result: AppendResult): Promise<AppendResult> {
    const slice = this.timeSlice();
    try {
      try {
        for (const _ of change.finishing()) if (slice.isOver) await slice.yield();
        await slice.yield();
      } catch (error) {
        this.abandon(change);
        throw error;
      }
      this.commit(change);
      return result;
    } finally {
      lock.release();
    }
  }

  /**
   * Commits a batch that does not change the chain.
   * @throws what the store throws, after calling `onDiskError`
   */
  commitSeparately<T>(lock: WriteLock, work: (batch: WriteBatch) => T): T {
    lock.assertHeld();
    return this.#reportDiskErrors(() => this.#dependencies.store.write(work));
  }

  #reportDiskErrors<T>(task: () => T): T {
    try {
      return task();
    } catch (error) {
      if (error instanceof DiskError) this.#dependencies.onDiskError?.(error);
      throw error;
    }
  }

  /** Runs in the turn of the commit: code that reads the chain, the pool and the chain again misses nothing. */
  #notify(change: ChainChange, audience: readonly ChangeListener[]): void {
    for (const listener of audience)
      if (this.#followers.has(listener) || this.#listeners.has(listener))
        this.#callGuarded(change.tip, () => listener(change));
  }

  /** A failing listener does not stop the others. */
  #callGuarded({ height }: Tip, task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#dependencies.log.error("A chain listener failed", { error, height });
      this.#dependencies.onListenerError?.(error);
    }
  }
}
