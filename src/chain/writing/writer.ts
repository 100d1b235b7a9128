import type { Clock, Log, Reorganisation } from "../../interfaces.ts";
import type { HistogramSeries } from "../../runtime/metrics.ts";
import { fillBatch } from "../../storage/batch/write-slot.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import type { Store, WriteBatch } from "../../storage/store.ts";
import type { AppendResult } from "../deciding/block-refusal.ts";
import { addReorganisation } from "../reading/reorganisations.ts";
import { noTip, type Tip } from "../reading/tip.ts";
import type { ChainChange, ChangeListener, ChangeSource, ListenerStage } from "./change.ts";
import { type ChangeDependencies, type ChangeOptions, OpenChange } from "./open-change.ts";
import { continueReorganisation, finishReorganisation, type OpenReorganisation } from "./reorganisation.ts";
import { readUnfinishedSwitch, type UnfinishedSwitch } from "./switch-row.ts";
import { TimeSlice } from "./time-slice.ts";
import { type WriteLock, WriteQueue } from "./write-queue.ts";

interface CommitOptions {
  /** See `ChainChange`. Default: true. */
  readonly returnTransactions?: boolean | undefined;
  /** True if further commits of the same change follow. Default: false. */
  readonly isPart?: boolean | undefined;
  /** Default: other. */
  readonly source?: ChangeSource | undefined;
  readonly onCommitted?: (() => void) | undefined;
}

interface WriterDependencies extends ChangeDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly onTipChanged: (before: Tip, after: Tip) => void;
  readonly onListenerError?: ((error: unknown) => void) | undefined;
  readonly onDiskError?: ((error: DiskError) => void) | undefined;
  readonly commitSeconds?: HistogramSeries | undefined;
  /** See `ChainDependencies`. */
  readonly writeFault?: (() => DiskError | undefined) | undefined;
}

export class ChainWriter {
  tip: Tip = noTip;
  /** True if the last commit left a switch row. */
  hasSwitchRow = false;
  #openReorganisation: OpenReorganisation | undefined;
  readonly queue = new WriteQueue();
  readonly #dependencies: WriterDependencies;
  readonly #followers = new Set<ChangeListener>();
  readonly #listeners = new Set<ChangeListener>();

  constructor(dependencies: WriterDependencies) {
    this.#dependencies = dependencies;
  }

  onChange(listener: ChangeListener, stage: ListenerStage): () => void {
    const set = stage === "follower" ? this.#followers : this.#listeners;
    set.add(listener);
    return () => {
      set.delete(listener);
    };
  }

  /** See `readUnfinishedSwitch`. */
  get unfinishedSwitch(): UnfinishedSwitch | undefined {
    return this.hasSwitchRow ? this.#dependencies.store.read(readUnfinishedSwitch) : undefined;
  }

  /**
   * Hold `lock` until `commit` or `abandon`.
   * @throws what the store throws, after calling `onDiskError`
   * @throws DiskError if writes are paused, except for changes that continue an interrupted switch
   */
  begin(lock: WriteLock, { continuesSwitch }: Pick<ChangeOptions, "continuesSwitch"> = {}): OpenChange {
    lock.assertHeld();
    if (continuesSwitch !== true) this.#assertWritable();
    const { tip, hasSwitchRow } = this;
    const listeners = [...this.#followers, ...this.#listeners];
    const batch = this.#reportDiskErrors(() => this.#dependencies.store.begin());
    return new OpenChange(batch, this.#dependencies, { tip, listeners, hasSwitchRow, continuesSwitch });
  }

  /** Pauses of the time slice throw `ChainClosedError` once the chain is closed. */
  timeSlice(): TimeSlice {
    return new TimeSlice(this.#dependencies.clock, () => this.queue.assertOpen());
  }

  /** Commits a change and calls the listeners. A failed commit changes nothing. */
  commit(change: OpenChange, options: CommitOptions = {}): void {
    const { store, indexing, clock } = this.#dependencies;
    const { batch, listeners, reverted, committed, hasSwitchRow } = change;
    const { returnTransactions = true, isPart = false, source = "other" } = options;
    const before = this.tip;
    const open = continueReorganisation(this.#openReorganisation, before, { reverted, source });
    let tip: Tip;
    let reorganisation: Reorganisation | undefined;
    try {
      change.finish();
      tip = change.tip;
      if (open !== undefined && !isPart) reorganisation = finishReorganisation(open, batch, tip, clock.now());
      if (reorganisation !== undefined) addReorganisation(batch, reorganisation);
    } catch (error) {
      store.abandon(batch);
      throw error;
    }
    this.#commitBatch(batch);
    this.#openReorganisation = isPart ? open : undefined;
    this.tip = tip;
    this.hasSwitchRow = hasSwitchRow;
    indexing.onCommitted(batch);
    options.onCommitted?.();
    this.#notify({ reverted, committed, tip, returnTransactions, isPart, source, reorganisation }, listeners);
    this.#callListener(tip, () => this.#dependencies.onTipChanged(before, tip));
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
   * Like `change`, but pauses during a long update of an index.
   * @returns a promise if it pauses
   * @throws ChainClosedError if the chain is closed during that update
   */
  changeInSteps(
    work: (change: OpenChange) => AppendResult,
    source: ChangeSource,
  ): AppendResult | Promise<AppendResult> {
    const lock = this.queue.acquireNow();
    let isLong = false;
    try {
      const { change, result } = this.#run(lock, work);
      if (change === undefined) return result;
      isLong = change.isUnfinished;
      if (isLong) return this.#finish(lock, change, result, source);
      this.commit(change, { source });
      return result;
    } finally {
      if (!isLong) lock.release();
    }
  }

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

  async #finish(
    lock: WriteLock,
    change: OpenChange,
    result: AppendResult,
    source: ChangeSource,
  ): Promise<AppendResult> {
    const slice = this.timeSlice();
    try {
      try {
        for (const _ of change.finishing()) if (slice.isOver) await slice.yield();
        await slice.yield();
      } catch (error) {
        this.abandon(change);
        throw error;
      }
      this.commit(change, { source });
      return result;
    } finally {
      lock.release();
    }
  }

  /**
   * Commits a batch that does not change the chain.
   * @throws what the store throws, after calling `onDiskError`
   * @throws DiskError if writes are paused
   */
  commitSeparately<T>(lock: WriteLock, work: (batch: WriteBatch) => T): T {
    lock.assertHeld();
    this.#assertWritable();
    const { batch, result } = this.#reportDiskErrors(() => fillBatch(this.#dependencies.store, work));
    this.#commitBatch(batch);
    return result;
  }

  #commitBatch(batch: WriteBatch): void {
    const { store, clock, commitSeconds } = this.#dependencies;
    const startedAt = commitSeconds && clock.monotonic();
    this.#reportDiskErrors(() => store.commit(batch));
    if (startedAt !== undefined) commitSeconds?.record((clock.monotonic() - startedAt) / 1_000);
  }

  #assertWritable(): void {
    const fault = this.#dependencies.writeFault?.();
    if (fault !== undefined) throw fault;
  }

  #reportDiskErrors<T>(task: () => T): T {
    try {
      return task();
    } catch (error) {
      if (error instanceof DiskError) this.#dependencies.onDiskError?.(error);
      throw error;
    }
  }

  /** Synchronous, so that chain and pool agree. */
  #notify(change: ChainChange, listeners: readonly ChangeListener[]): void {
    for (const listener of listeners)
      if (this.#followers.has(listener) || this.#listeners.has(listener))
        this.#callListener(change.tip, () => listener(change));
  }

  #callListener({ height }: Tip, task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#dependencies.log.error("A chain listener failed", { error, height });
      this.#dependencies.onListenerError?.(error);
    }
  }
}
