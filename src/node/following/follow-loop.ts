/** Keeps the chain equal to a source's: applies the changes in its stream, and switches to better sources. */
import type { FollowState } from "../../api/following/follow-state.ts";
import { reasonOf } from "../../bytes/errors.ts";
import type { FollowFault, UnitChange } from "../../chain/following/follower.ts";
import { minUnitsBehind } from "../../chain/reading/unit-records.ts";
import type { Result } from "../../errors/result.ts";
import type {
  Cancel,
  ChainCursor,
  Clock,
  Log,
  PersistUnits,
  RevertedRecord,
  SourceDescription,
  UnitSource,
} from "../../interfaces.ts";
import { every, pause, repeat } from "../../runtime/timers.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { UnitSourceError } from "../../units/source-error.ts";
import { findInStream, type SourceEvent, sourceEvents, tipMissingError } from "./source-stream.ts";

const MIN_RETRY_DELAY_MS = 100;
const MAX_RETRY_DELAY_MS = 10_000;
const STATE_UPDATE_INTERVAL_MS = 1_000;
/** Sources send heartbeats every 15 s. After this silence, a source may have newer units. */
const MAX_SILENCE_MS = 20_000;
/** Time between two comparisons with the other sources, ms. */
const COMPARE_INTERVAL_MS = 30_000;

export interface FollowedChain {
  /** Newest unit, and the chain's score. */
  tip(): { readonly cursor: ChainCursor; readonly score: bigint };
  /** Recent persist units below the newest block. */
  persists(): PersistUnits;
  /** Newest unit of a height. */
  newestAt(height: number): ChainCursor;
  /** Lowest height to which the chain can be undone. */
  lowestUndoHeight(): number;
  /** Adds units of a source's earlier branches to the log of reverted units. @throws DiskError */
  addReverted(records: readonly RevertedRecord[]): Promise<number>;
  /** @throws DiskError */
  apply(change: UnitChange): Promise<Result<ChainCursor, FollowFault>>;
}

/** Only a source with at least this score, or with this store, may replace the chain. */
export interface ChainToReplace {
  readonly score: bigint;
  /** Store id of the source followed last. */
  readonly store: string | undefined;
}

interface FollowLoopOptions {
  readonly chain: FollowedChain;
  readonly sources: readonly UnitSource[];
  readonly clock: Clock;
  readonly log: Log;
  readonly state: FollowState;
  /** Returns why a source cannot be followed. */
  readonly check: (description: SourceDescription) => string | undefined;
  /** Store id of the source followed last. It survives restarts. */
  readonly lastStore: { get(): string | undefined; set(description: SourceDescription): Promise<void> };
  /** Set while a new store is filled: the chain that it will replace. */
  readonly toReplace?: ChainToReplace | undefined;
  /** Called once if the store cannot follow its source any more. The loop then ends. */
  readonly onRebuild: (reason: string) => void;
  /** Called when the chain first has the source's newest unit. */
  readonly onCurrent: () => void;
  /** Called for errors other than those of source, network or disk. */
  readonly onError: (error: unknown) => void;
}

/** This source cannot be followed now. */
class SourceRefusedError extends Error {
  override readonly name = "SourceRefusedError";
}

interface SourceState {
  /** Id of the source's store. */
  readonly store: string;
  readonly score: bigint;
}

export interface FollowInfo {
  /** Name of the connected source. */
  readonly source: string | undefined;
  /** Minimum number of units that the chain lacks; undefined if no source was reached. */
  readonly lagUnits: number | undefined;
  /** Time since the chain had the source's newest unit, ms; undefined: never. */
  readonly lagMs: number | undefined;
  readonly sourceHeight: number | undefined;
  /** Why no source is followed, or why the source lacks newer units. */
  readonly problem: string | undefined;
  readonly digestFaults: number;
}

export interface FollowCounts {
  units: number;
  /** Blocks. */
  undone: number;
  sourceChanges: number;
  digestFaults: number;
  refusedUnits: number;
}

export class FollowLoop {
  readonly counts: FollowCounts = {
    units: 0,
    undone: 0,
    sourceChanges: 0,
    digestFaults: 0,
    refusedUnits: 0,
  };
  readonly #options: FollowLoopOptions;
  readonly #stopped = new AbortController();
  readonly #cancels: Cancel[] = [];
  #sourceIndex = 0;
  #connected: string | undefined;
  #problem: string | undefined;
  /** Why the connected source lacks newer units. */
  #staleReason: string | undefined;
  #sourceTip: { readonly cursor: ChainCursor; readonly score: bigint } | undefined;
  #isCurrent = false;
  #lastFrameAt = 0;
  #retryDelayMs = MIN_RETRY_DELAY_MS;
  #hasBeenCurrent = false;
  #hasLoadedReverted = false;
  /** Index of the source to follow after this stream. */
  #switchTo: number | undefined;
  /** Sources that had a better chain at the last comparison. */
  readonly #betterSources = new Set<number>();
  #stream: AbortController | undefined;
  #finished: Promise<void> = Promise.resolve();

  constructor(options: FollowLoopOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, onError } = this.#options;
    this.#cancels.push(
      every(clock, STATE_UPDATE_INTERVAL_MS, "follow state", () => this.#reportCurrent()),
      repeat(clock, COMPARE_INTERVAL_MS, () => this.#compareSources().catch(onError)),
    );
    this.#finished = this.#run().catch(onError);
  }

  /** Resolves when no change is being applied. */
  async stop(): Promise<void> {
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#stopped.abort();
    this.#stream?.abort();
    await this.#finished;
  }

  get info(): FollowInfo {
    const { chain, state, clock } = this.#options;
    const own = chain.tip().cursor;
    const tip = this.#sourceTip?.cursor;
    return {
      source: this.#connected,
      lagUnits: tip && minUnitsBehind(own, tip),
      lagMs: state.lagMs(clock.monotonic()),
      sourceHeight: tip?.height,
      problem: this.#connected === undefined ? this.#problem : this.#staleReason,
      digestFaults: this.counts.digestFaults,
    };
  }

  async #run(): Promise<void> {
    const { sources, log, state } = this.#options;
    let failures = 0;
    while (!this.#stopped.signal.aborted) {
      const source = sources[this.#sourceIndex];
      this.#stream = new AbortController();
      try {
        await this.#follow(source, this.#stream.signal);
        failures = 0;
      } catch (error) {
        const isExpected = [UnitSourceError, SourceRefusedError, DiskError].some(
          (type) => error instanceof type,
        );
        if (!isExpected) throw error;
        // Messages of `UnitSourceError` contain the source's name.
        const reason =
          error instanceof SourceRefusedError ? `${source.name}: ${error.message}` : reasonOf(error);
        if (reason !== this.#problem) log.warn("Cannot follow the source", { reason });
        this.#problem = reason;
        failures++;
      }
      this.#connected = undefined;
      this.#isCurrent = false;
      if (this.#stopped.signal.aborted) return;
      this.#sourceIndex =
        this.#switchTo ?? (failures === 0 ? this.#sourceIndex : (this.#sourceIndex + 1) % sources.length);
      if (this.#switchTo !== undefined) failures = 0;
      this.#switchTo = undefined;
      state.source = this.#sourceIndex;
      if (sources[this.#sourceIndex] !== source) this.counts.sourceChanges++;
      // Each source is tried once before a wait.
      if (failures >= sources.length || failures === 0) await this.#pause();
      if (failures >= sources.length) failures = 0;
    }
  }

  #pause(): Promise<void> {
    const delay = this.#retryDelayMs;
    this.#retryDelayMs = Math.min(this.#retryDelayMs * 2, MAX_RETRY_DELAY_MS);
    return pause(this.#options.clock, delay, this.#stopped.signal);
  }

  /** Follows a source until its stream ends. */
  async #follow(source: UnitSource, signal: AbortSignal): Promise<void> {
    const { chain } = this.#options;
    const after = chain.tip().cursor;
    const persists = chain.persists();
    try {
      await this.#apply(source, sourceEvents(source, { ...after, persists }, undefined, signal));
    } catch (error) {
      if (!(error instanceof UnitSourceError) || error.fault !== "unknown position") throw error;
      const common = await this.#findCommon(source, signal);
      if (common === undefined) {
        const { store, score } = await this.#probeFirstBlock(source, signal);
        this.#requireScore(store, score);
        this.#rebuild(
          `${source.name} does not have block ${chain.lowestUndoHeight()}, below which this store cannot undo`,
        );
        throw new SourceRefusedError("its chain does not contain the blocks of this store");
      }
      this.#options.log.info("The source is on another branch", {
        source: source.name,
        commonHeight: common.height,
        height: after.height,
      });
      await this.#apply(source, sourceEvents(source, { ...common, persists }, common, signal));
    }
  }

  async #apply(source: UnitSource, events: AsyncIterable<SourceEvent>): Promise<void> {
    const { chain, clock, log } = this.#options;
    this.#staleReason = undefined;
    let isFirstTip = true;
    /** True once this stream had no further units. */
    let wasCurrent = false;
    let description: SourceDescription | undefined;
    for await (const event of events) {
      this.#lastFrameAt = clock.monotonic();
      switch (event.kind) {
        case "source":
          description = event.description;
          this.#accept(source, description);
          break;
        case "stale":
          this.#isCurrent = false;
          if (event.reason !== this.#staleReason) log.warn("The source is behind", { reason: event.reason });
          this.#staleReason = event.reason;
          break;
        case "tip":
          this.#staleReason = undefined;
          if (isFirstTip) await this.#requireScoreAndSave(description, event.tip.score);
          isFirstTip = false;
          this.#sourceTip = event.tip;
          if (event.isComplete) await this.#becomeCurrent(source);
          else this.#isCurrent = false;
          wasCurrent ||= event.isComplete;
          break;
        case "change": {
          this.#isCurrent = false;
          const before = chain.tip().cursor.height;
          const result = await chain.apply({ ...event.change, isLive: wasCurrent });
          if (!result.ok) {
            this.#recordFault(source, result.error);
            throw new SourceRefusedError(result.error.reason);
          }
          this.#retryDelayMs = MIN_RETRY_DELAY_MS;
          this.counts.units += event.change.records.length;
          const { undoTo } = event.change;
          if (undoTo !== undefined) this.counts.undone += Math.max(1, before - undoTo.height);
          if (event.isComplete) await this.#becomeCurrent(source);
          wasCurrent ||= event.isComplete;
          break;
        }
      }
      if (this.#stopped.signal.aborted) return;
    }
  }

  /** @throws SourceRefusedError */
  #accept(source: UnitSource, description: SourceDescription): void {
    const { check, log, state } = this.#options;
    const fault = check(description);
    if (fault !== undefined) throw new SourceRefusedError(fault);
    log.info("Following", { source: source.name, program: description.program, store: description.store });
    this.#connected = source.name;
    this.#problem = undefined;
    state.source = this.#sourceIndex;
  }

  /**
   * Refuses a source with a lower score, but not the source followed last: its score falls when it reverts units.
   * @throws SourceRefusedError
   */
  #requireScore(store: string | undefined, score: bigint): void {
    const { chain, lastStore, toReplace } = this.#options;
    if (store !== undefined && store === (lastStore.get() ?? toReplace?.store)) return;
    const own = chain.tip().score;
    const required = toReplace !== undefined && toReplace.score > own ? toReplace.score : own;
    if (score < required)
      throw new SourceRefusedError(`it is behind: score ${score}, this node has ${required}`);
  }

  /** @throws SourceRefusedError, DiskError */
  async #requireScoreAndSave(description: SourceDescription | undefined, score: bigint): Promise<void> {
    const { lastStore } = this.#options;
    this.#requireScore(description?.store, score);
    if (description !== undefined && description.store !== lastStore.get()) await lastStore.set(description);
  }

  /** Counts a unit's fault. Requests a new store, unless every store would refuse the unit. */
  #recordFault(source: UnitSource, { kind, unit, reason }: FollowFault): void {
    const { log } = this.#options;
    if (kind === "parent unknown") return;
    if (kind === "too deep") {
      this.#rebuild(reason);
      return;
    }
    if (kind === "digest") this.counts.digestFaults++;
    else this.counts.refusedUnits++;
    const { height, sequence } = unit;
    log.error(kind === "digest" ? "The digest of a unit differs from its source's" : "A unit was refused", {
      source: source.name,
      height,
      sequence,
      reason,
    });
    if (kind !== "malformed") this.#rebuild(`unit ${height}.${sequence} cannot be applied: ${reason}`);
  }

  #rebuild(reason: string): void {
    this.#stopped.abort();
    this.#options.onRebuild(reason);
  }

  async #becomeCurrent(source: UnitSource): Promise<void> {
    if (!this.#hasLoadedReverted) await this.#loadReverted(source);
    this.#isCurrent = true;
    this.#retryDelayMs = MIN_RETRY_DELAY_MS;
    this.#reportCurrent();
    if (!this.#hasBeenCurrent) this.#options.onCurrent();
    this.#hasBeenCurrent = true;
  }

  /**
   * Adds units that left the source's chain before this node saw them: event clients may resume at them.
   * @throws UnitSourceError, DiskError
   */
  async #loadReverted(source: UnitSource): Promise<void> {
    const { chain, log } = this.#options;
    const units = (await source.reverted?.()) ?? [];
    const added = await chain.addReverted(units);
    if (added > 0) log.info("Loaded units that left the chain", { source: source.name, units: added });
    this.#hasLoadedReverted = true;
  }

  #reportCurrent(): void {
    const { clock, state } = this.#options;
    const now = clock.monotonic();
    if (this.#isCurrent && now - this.#lastFrameAt < MAX_SILENCE_MS) state.caughtUp(now);
  }

  /**
   * Finds, by bisection, the newest block that both chains have, and returns its newest unit; undefined if the undo
   * journal does not reach back to it.
   * @throws UnitSourceError, SourceRefusedError
   */
  async #findCommon(source: UnitSource, signal: AbortSignal): Promise<ChainCursor | undefined> {
    const { chain } = this.#options;
    let known = chain.lowestUndoHeight();
    let unknown = chain.tip().cursor.height + 1;
    if ((await this.#probe(source, chain.newestAt(known), signal)) === undefined) return undefined;
    while (unknown - known > 1) {
      const middle = Math.floor((known + unknown) / 2);
      if ((await this.#probe(source, chain.newestAt(middle), signal)) === undefined) unknown = middle;
      else known = middle;
    }
    return chain.newestAt(known);
  }

  /** @throws UnitSourceError, SourceRefusedError */
  async #probeFirstBlock(source: UnitSource, signal: AbortSignal): Promise<SourceState> {
    const found = await this.#probe(source, this.#options.chain.newestAt(1), signal);
    if (found === undefined) throw new SourceRefusedError("its chain has another first block");
    return found;
  }

  /**
   * Returns a source's store and score; undefined if it does not know the position.
   * @throws UnitSourceError, SourceRefusedError
   */
  async #probe(
    source: UnitSource,
    position: ChainCursor,
    signal: AbortSignal,
  ): Promise<SourceState | undefined> {
    let store = "";
    try {
      return await findInStream(source, position, signal, (frame) => {
        if (frame.kind === "tip") return { store, score: frame.score };
        if (frame.kind === "source") {
          const fault = this.#options.check(frame.description);
          if (fault !== undefined) throw new SourceRefusedError(fault);
          store = frame.description.store;
        } else if (frame.kind !== "undo") throw tipMissingError(source);
        return undefined;
      });
    } catch (error) {
      if (error instanceof UnitSourceError && error.fault === "unknown position") return undefined;
      throw error;
    }
  }

  /** Switches to a source that had a better chain in two successive comparisons. */
  async #compareSources(): Promise<void> {
    const { sources, chain } = this.#options;
    const hasAllUnits = this.#isCurrent || this.#staleReason !== undefined;
    if (this.#connected === undefined || !hasAllUnits || sources.length === 1) return;
    const followed = this.#sourceIndex;
    for (const [i, source] of sources.entries()) {
      if (i === followed) continue;
      try {
        const found = await this.#probe(source, chain.newestAt(1), this.#stopped.signal);
        const isBetter = found !== undefined && found.score > chain.tip().score;
        if (!isBetter) this.#betterSources.delete(i);
        else if (this.#betterSources.has(i) && this.#sourceIndex === followed) {
          this.#betterSources.clear();
          this.#options.log.info("Another source has a better chain", { source: source.name });
          this.#switchTo = i;
          this.#stream?.abort();
          return;
        } else this.#betterSources.add(i);
      } catch (error) {
        if (!(error instanceof UnitSourceError || error instanceof SourceRefusedError)) throw error;
        this.#betterSources.delete(i);
      }
    }
  }
}
