import { indexTables } from "../../indexes/all.ts";
import type { ConfiguredIndex } from "../../indexes/chain-index.ts";
import type { Clock, IndexName, Log } from "../../interfaces.ts";
import { allTables } from "../../storage/batch/write-batch.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { clearTree } from "../../storage/lsm/removal.ts";
import { isAfter, type UnitKey } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import type { WriteBatch } from "../../storage/store.ts";
import { counters } from "../../storage/tables.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import type { Chain } from "../chain.ts";
import { type IndexState, indexStates, putIndexState } from "../reading/index-states.ts";
import { type ChainUnit, unitsFrom } from "../reading/stored-units.ts";
import { isConfigured } from "../writing/indexing.ts";
import { ChainBusyError, ChainClosedError } from "../writing/write-queue.ts";

/** Units plus transactions. */
const MAX_READ_WEIGHT_PER_COMMIT = 1_000;
const MAX_ROWS_PER_COMMIT = 5_000;
const MAX_CLEARED_ROWS_PER_COMMIT = 1_000;
const MAX_COMMIT_DURATION_MS = 25;
const RETRY_DELAY_MS = 1_000;
const MIN_BLOCKS_PER_REPORT = 10_000;

const firstUnit: UnitKey = { height: 1, sequence: 0 };

interface UnfinishedIndex {
  readonly index: ConfiguredIndex;
  /** First unit that the index lacks. */
  readonly next: UnitKey;
}

interface IndexBuilderOptions {
  readonly chain: Chain;
  readonly network: NetworkRules;
  readonly clock: Clock;
  readonly log: Log;
}

/** Builds and clears indexes as configured, while the node runs. */
export class IndexBuilder {
  readonly #chain: Chain;
  readonly #network: NetworkRules;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #indexes: readonly ConfiguredIndex[];
  #isStopped = false;
  #endPause: () => void = () => {};
  #running: Promise<void> | undefined;
  /** Height of the next progress line; 0 before the first commit. */
  #reportAt = 0;

  constructor({ chain, network, clock, log }: IndexBuilderOptions) {
    this.#chain = chain;
    this.#network = network;
    this.#clock = clock;
    this.#log = log;
    this.#indexes = chain.indexing.indexes.filter(isConfigured);
  }

  /** Marks indexes to clear: those disabled or configured differently. Call this before `run`. */
  begin(): void {
    const states = this.#chain.read(indexStates);
    const changes = new Map<IndexName, IndexState>();
    const markForClearing = (name: IndexName, configurationText: string | undefined): unknown =>
      changes.set(name, { kind: "clearing", configurationText });
    for (const { configuration } of this.#indexes)
      if (!this.#isCurrent(configuration, states))
        for (const name of configuration.names) markForClearing(name, configuration.text);
    const enabled = new Set(this.#indexes.flatMap(({ configuration }) => configuration.names));
    for (const [name, state] of states)
      if (!enabled.has(name) && !(state.kind === "clearing" && state.configurationText === undefined))
        markForClearing(name, undefined);
    if (changes.size === 0) return;
    this.#chain.changeIndexes((batch) => {
      for (const [name, state] of changes) putIndexState(batch, name, state);
    });
  }

  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    await this.#running;
  }

  /**
   * Makes at most one commit. Returns true if work remains.
   * @throws ChainBusyError during another change
   */
  step(): boolean {
    const states = this.#chain.read(indexStates);
    for (const [name, state] of states)
      if (state.kind === "clearing") {
        this.#clear(name, state.configurationText);
        return true;
      }
    const unfinished = this.#indexes.flatMap((index) => {
      const state = states.get(index.configuration.names[0]);
      return state?.kind === "partial" ? [{ index, next: state.next }] : [];
    });
    if (unfinished.length === 0) return false;
    return this.#build(unfinished);
  }

  async #run(): Promise<void> {
    let hasMore = true;
    while (hasMore && !this.#isStopped) {
      const since = this.#clock.monotonic();
      let pauseMs: number;
      try {
        hasMore = await this.#chain.whenFree(() => this.step());
        // Pause as long as the commit took, to use at most half of the thread's time.
        pauseMs = this.#clock.monotonic() - since;
      } catch (error) {
        if (error instanceof ChainClosedError) return;
        if (!(error instanceof ChainBusyError || error instanceof DiskError)) throw error;
        pauseMs = RETRY_DELAY_MS;
      }
      if (hasMore && !this.#isStopped) await this.#pause(pauseMs);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(Math.ceil(ms), resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Returns true if all parts of an index have this configuration and equal progress. */
  #isCurrent(
    { names, text }: ConfiguredIndex["configuration"],
    states: ReadonlyMap<IndexName, IndexState>,
  ): boolean {
    const found = names.map((name) => states.get(name));
    const progressOf = (state: IndexState | undefined): string | undefined =>
      state?.kind === "partial" ? `${state.next.height}/${state.next.sequence}` : state?.kind;
    return found.every(
      (state) => state?.configurationText === text && progressOf(state) === progressOf(found[0]),
    );
  }

  #clear(name: IndexName, configurationText: string | undefined): void {
    const owned = ownedBy([name]);
    const trees = [
      ...Object.values(invertedIndexes).filter(({ table }) =>
        owned.tables.some(({ prefix }) => prefix === table.prefix),
      ),
      ...owned.counters,
    ];
    const done = this.#chain.changeIndexes((batch) => {
      for (const table of owned.tables)
        if (batch.clearTable(table, MAX_CLEARED_ROWS_PER_COMMIT) === MAX_CLEARED_ROWS_PER_COMMIT)
          return false;
      for (const { tree } of trees) if (!clearTree(batch, tree.id, MAX_CLEARED_ROWS_PER_COMMIT)) return false;
      putIndexState(
        batch,
        name,
        configurationText === undefined ? undefined : { kind: "partial", configurationText, next: firstUnit },
      );
      return true;
    });
    if (done && configurationText === undefined) this.#logProgress(`Index disabled, rows removed (${name})`);
  }

  #build(unfinished: readonly UnfinishedIndex[]): boolean {
    const { height } = this.#chain.tip;
    const start = unfinished.map(({ next }) => next).reduce((a, b) => (isAfter(a, b) ? b : a));
    const names = unfinished.flatMap(({ index }) => index.configuration.names).join(", ");
    if (start.height === 1 && start.sequence === 0) {
      this.#logProgress(`Building indexes (${names})`, { height });
      this.#reportAt = 0;
    }
    const next = this.#chain.changeIndexes((batch) => {
      const reached = this.#addUnits(batch, unfinished, start);
      for (const { index, next: before } of unfinished) {
        const { names: parts, text: configurationText } = index.configuration;
        if (reached !== undefined && !isAfter(reached, before)) continue;
        for (const name of parts)
          putIndexState(
            batch,
            name,
            reached === undefined
              ? { kind: "whole", configurationText }
              : { kind: "partial", configurationText, next: reached },
          );
      }
      return reached;
    });
    if (next === undefined) {
      this.#logProgress(`Indexes built (${names})`, { height });
      return false;
    }
    const every = Math.max(MIN_BLOCKS_PER_REPORT, Math.ceil(height / 20));
    if (this.#reportAt === 0) this.#reportAt = next.height + every;
    if (next.height >= this.#reportAt) {
      this.#logProgress(`Building indexes (${names})`, { builtTo: next.height - 1, height });
      this.#reportAt = next.height + every;
    }
    return true;
  }

  #addUnits(batch: WriteBatch, unfinished: readonly UnfinishedIndex[], from: UnitKey): UnitKey | undefined {
    const end = this.#clock.monotonic() + MAX_COMMIT_DURATION_MS;
    return this.#chain.read((reader) => {
      let weight = 0;
      for (const unit of unitsFrom(reader, this.#network, from)) {
        addUnit(batch, unit, unfinished);
        weight += 1 + unit.transactionCount;
        if (
          weight >= MAX_READ_WEIGHT_PER_COMMIT ||
          entryCount(batch) >= MAX_ROWS_PER_COMMIT ||
          this.#clock.monotonic() >= end
        )
          return { height: unit.height, sequence: unit.sequence + 1 };
      }
      return undefined;
    });
  }

  #logProgress(message: string, fields: Record<string, unknown> = {}): void {
    if (this.#chain.tip.height > 1) this.#log.info(message, fields);
  }
}

function addUnit(batch: WriteBatch, unit: ChainUnit, unfinished: readonly UnfinishedIndex[]): void {
  const indexesToFill = unfinished.filter(({ next }) => !isAfter(next, unit)).map(({ index }) => index);
  const owned = ownedBy(indexesToFill.flatMap(({ configuration }) => configuration.names));
  batch.amendUnit(unit, [...owned.tables, ...owned.counters], () => {
    for (const index of indexesToFill) index.apply(batch, unit);
  });
}

function ownedBy(names: readonly IndexName[]) {
  const ownedNames = new Set<string>(names.flatMap((name) => indexTables[name]));
  return {
    tables: allTables.filter(({ name }) => ownedNames.has(name)),
    counters: Object.values(counters).filter(({ name }) => ownedNames.has(name)),
  };
}

function entryCount(batch: WriteBatch): number {
  let count = batch.rowCount;
  for (const [, entries] of batch.memtables()) count += entries.count;
  return count;
}
