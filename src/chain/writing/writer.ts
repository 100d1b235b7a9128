import type { Clock, Log } from "../../interfaces.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import type { Store, WriteBatch } from "../../storage/store.ts";
import type { AppendResult } from "../deciding/append-result.ts";
import { noTip, type Tip } from "../reading/tip.ts";
import type { ChainChange, ChangeListener, ListenerStage } from "./change.ts";
import { Pace } from "./pace.ts";
import { Session, type SessionDependencies, type SessionOptions } from "./session.ts";
import { forgetSwitch, hasSwitchRow } from "./unfinished-switch.ts";
import { ChainClosedError, WriteQueue } from "./write-queue.ts";

/** How a change is committed. */
export interface CommitOptions {
  /** Whether the transactions that leave the chain are to wait again. Default: they are. */
  readonly returned?: boolean | undefined;
  /** Whether more commits of the same change follow. Default: none do. */
  readonly isPart?: boolean | undefined;
  /** Called right behind the commit, before anybody is told. */
  readonly committed?: (() => void) | undefined;
}

/** A change that is being made: `commit` or `abandon` ends it. */
export interface OpenChange {
  readonly session: Session;
  /** Makes everything durable that the session did, and tells the listeners. What fails leaves all as it was. */
  commit(options?: CommitOptions): void;
  /** Leaves the chain as it was. */
  abandon(): void;
}

export interface WriterDependencies extends SessionDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each commit, behind the listeners, with the tip before and after it. */
  readonly watch: (before: Tip, after: Tip) => void;
  /** Called with what a listener threw, after it is logged. The change stays committed. */
  readonly onListenerError?: ((error: unknown) => void) | undefined;
  /** Called when the disk does not take a change. */
  readonly onDiskError?: ((error: DiskError) => void) | undefined;
}

/**
 * What is one commit. Whatever fails on the way, the commit itself included, changes nothing here: what is remembered
 * between commits looks by itself whether it belongs to the chain.
 */
export class ChainWriter {
  /** The best block, as committed. */
  tip: Tip = noTip;
  readonly queue = new WriteQueue();
  /** Whether the store has the row of an unfinished switch, as committed. */
  hasUnfinishedSwitch = false;
  private readonly followers = new Set<ChangeListener>();
  private readonly listeners = new Set<ChangeListener>();

  constructor(private readonly dependencies: WriterDependencies) {}

  /** Calls `listener` after every change that begins from now on. Returns how to stop it. */
  onChange(listener: ChangeListener, stage: ListenerStage): () => void {
    const set = stage === "follower" ? this.followers : this.listeners;
    set.add(listener);
    return () => {
      set.delete(listener);
    };
  }

  /**
   * Begins a change.
   * @param release lets the right to write go that the caller holds; by default it is taken here
   * @param options `keepsReverted`: see `SessionOptions`
   * @throws ChainBusyError when another change is under way
   */
  begin(
    release: () => void = this.queue.takeNow(),
    { keepsReverted }: Pick<SessionOptions, "keepsReverted"> = {},
  ): OpenChange {
    const { store } = this.dependencies;
    try {
      const batch = store.begin();
      const audience = [...this.followers, ...this.listeners];
      // What changed is gathered for those who want to hear it: an import of a file pays nothing for it.
      const gathers = audience.length > 0;
      const session = new Session(batch, this.dependencies, { tip: this.tip, gathers, keepsReverted });
      return {
        session,
        commit: (options = {}) => {
          try {
            // The chain goes on otherwise: its way back is void.
            if (this.hasUnfinishedSwitch && keepsReverted !== true) forgetSwitch(session.batch);
            this.commit(session, audience, options);
          } finally {
            release();
          }
        },
        abandon: () => {
          try {
            store.abandon(batch);
          } finally {
            release();
          }
        },
      };
    } catch (error) {
      release();
      this.report(error);
      throw error;
    }
  }

  /** Runs `work` and commits what it appended or removed; what is refused, or fails, leaves everything as it was. */
  change(work: (session: Session) => AppendResult, options: CommitOptions = {}): AppendResult {
    const { open, result } = this.run(work);
    open?.commit(options);
    return result;
  }

  /**
   * As `change`. If an index has much to do for what was appended, it works in several turns of the event loop, during
   * which the right to write is held. It is still one commit, or none.
   * @returns the result itself if all work is done in this turn, as nearly always
   * @throws ChainClosedError if the chain is closed meanwhile
   */
  changeInTurns(work: (session: Session) => AppendResult): AppendResult | Promise<AppendResult> {
    const { open, result } = this.run(work);
    if (open?.session.isUnfinished === true) return this.finish(open, result);
    open?.commit();
    return result;
  }

  /** @returns the open change if there is something to commit; otherwise the change is abandoned */
  private run(work: (session: Session) => AppendResult): { open?: OpenChange; result: AppendResult } {
    const open = this.begin();
    let result: AppendResult;
    try {
      result = work(open.session);
    } catch (error) {
      open.abandon();
      throw error;
    }
    if (result.ok && result.outcome === "appended") return { open, result };
    open.abandon();
    return { result };
  }

  private async finish(open: OpenChange, result: AppendResult): Promise<AppendResult> {
    const pace = new Pace(this.dependencies.clock, () => {
      if (this.queue.isClosed) throw new ChainClosedError();
    });
    try {
      for (const steps = open.session.finishing(); steps.next().done !== true; )
        if (pace.isDue) await pace.turn();
      // The commit has a turn of its own.
      await pace.turn();
    } catch (error) {
      open.abandon();
      throw error;
    }
    open.commit();
    return result;
  }

  /**
   * A commit that changes nothing of the chain, in the caller's turn.
   * @throws what the store throws; whoever looks after the disk is told
   */
  aside<T>(work: (batch: WriteBatch) => T): T {
    try {
      return this.dependencies.store.write(work);
    } catch (error) {
      this.report(error);
      throw error;
    }
  }

  private commit(session: Session, audience: readonly ChangeListener[], options: CommitOptions): void {
    const { store } = this.dependencies;
    const { batch } = session;
    let after: Tip;
    let hasUnfinishedSwitch: boolean;
    let indexesCommitted: () => void;
    try {
      session.finish();
      after = session.tip;
      hasUnfinishedSwitch = hasSwitchRow(batch);
      indexesCommitted = this.dependencies.indexing.committing(batch);
    } catch (error) {
      store.abandon(batch);
      throw error;
    }
    try {
      store.commit(batch);
    } catch (error) {
      this.report(error);
      throw error;
    }
    const before = this.tip;
    this.tip = after;
    this.hasUnfinishedSwitch = hasUnfinishedSwitch;
    indexesCommitted();
    options.committed?.();
    const { reverted, committed } = session.changes;
    const { returned = true, isPart = false } = options;
    const change = { reverted, committed, tip: after, returned, isPart };
    this.tell(change, audience);
    this.guarded(after, () => this.dependencies.watch(before, after));
  }

  private report(error: unknown): void {
    if (error instanceof DiskError) this.dependencies.onDiskError?.(error);
  }

  /** Without a pause behind the commit: whoever looks in the chain, the pool and the chain again misses nothing. */
  private tell(change: ChainChange, audience: readonly ChangeListener[]): void {
    for (const listener of audience)
      if (this.followers.has(listener) || this.listeners.has(listener))
        this.guarded(change.tip, () => listener(change));
  }

  /** What others make of a change is their own affair: it is committed, and everybody hears of it. */
  private guarded({ height }: Tip, task: () => void): void {
    try {
      task();
    } catch (error) {
      this.dependencies.log.error("A part of the node failed at a change of the chain", { error, height });
      this.dependencies.onListenerError?.(error);
    }
  }
}
