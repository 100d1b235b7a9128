/** Indexes made while the node runs: those that are switched on are built, those that are switched off are removed. */

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

/** What one commit does at most: units and transactions that are read, rows and look-up entries, time. */
const MAX_READ_PER_COMMIT = 1_000;
const MAX_ROWS_PER_COMMIT = 5_000;
const MAX_CLEARED_PER_COMMIT = 1_000;
const MAX_COMMIT_MS = 25;
/** How long it waits when the disk or the writer does not take any more, ms. */
const RETRY_DELAY_MS = 1_000;
/** How often the log is told: at so many heights, and at no less than a twentieth of the chain. */
const REPORT_EVERY = 10_000;

const firstUnit: UnitKey = { height: 1, sequence: 0 };

/** An index that is being built, with the first unit that it does not hold. */
interface Unfinished {
  readonly index: ConfiguredIndex;
  readonly next: UnitKey;
}

interface IndexBuilderOptions {
  readonly chain: Chain;
  readonly network: NetworkRules;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Brings what the store holds of the indexes to what the node is to have. Rows of an index that is switched off, or that
 * was made with another configuration, are removed; an index that is not whole is filled from the stored units, as if it
 * had been there from the start. The journal is amended with it, so that a rollback stays one of all tables alike.
 *
 * All of it goes in small commits between those of the chain, each of which leaves what `Indexing` says of the index.
 * So blocks come and go meanwhile, and whoever is stopped or killed goes on where it was.
 */
export class IndexBuilder {
  readonly #chain: Chain;
  readonly #network: NetworkRules;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #indexes: readonly ConfiguredIndex[];
  #isStopped = false;
  #endRest: () => void = () => {};
  #running: Promise<void> | undefined;
  #reportAt = 0;

  constructor({ chain, network, clock, log }: IndexBuilderOptions) {
    this.#chain = chain;
    this.#network = network;
    this.#clock = clock;
    this.#log = log;
    this.#indexes = chain.indexing.indexes.filter(isConfigured);
  }

  /**
   * Finds out what is to be done, and says so in the store: to be called before anybody reads the indexes, since what
   * was made with another configuration is not shown from then on. Large stores take no longer than small ones.
   */
  begin(): void {
    const states = this.#chain.read(indexStates);
    const changes = new Map<IndexName, IndexState>();
    const clear = (name: IndexName, text: string | undefined): unknown =>
      changes.set(name, { kind: "clearing", text });
    for (const { configuration } of this.#indexes)
      if (!this.#isUnderWay(configuration, states))
        for (const name of configuration.names) clear(name, configuration.text);
    const wanted = new Set(this.#indexes.flatMap(({ configuration }) => configuration.names));
    for (const [name, state] of states)
      if (!wanted.has(name) && !(state.kind === "clearing" && state.text === undefined))
        clear(name, undefined);
    if (changes.size === 0) return;
    this.#chain.changeIndexes((batch) => {
      for (const [name, state] of changes) putIndexState(batch, name, state);
    });
  }

  /** Works until all is done, or until it is stopped. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Resolves once nothing is under way any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endRest();
    await this.#running;
  }

  /**
   * Does as much as one commit holds, within the caller's turn.
   * @returns whether anything is left
   * @throws ChainBusyError while another change is under way, and what the store throws: nothing has changed then
   */
  step(): boolean {
    const states = this.#chain.read(indexStates);
    for (const [name, state] of states)
      if (state.kind === "clearing") {
        this.#clear(name, state.text);
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
    let left = true;
    while (left && !this.#isStopped) {
      const since = this.#clock.monotonic();
      let rest: number;
      try {
        left = await this.#chain.whenFree(() => this.step());
        // Half of the thread's time at most.
        rest = this.#clock.monotonic() - since;
      } catch (error) {
        if (error instanceof ChainClosedError) return;
        if (!(error instanceof ChainBusyError || error instanceof DiskError)) throw error;
        rest = RETRY_DELAY_MS;
      }
      if (left && !this.#isStopped) await this.#rest(rest);
    }
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(Math.ceil(ms), resolve);
      this.#endRest = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Whether an index is what it is to be, or on the way there, all its parts alike. */
  #isUnderWay(
    { names, text }: ConfiguredIndex["configuration"],
    states: ReadonlyMap<IndexName, IndexState>,
  ): boolean {
    const found = names.map((name) => states.get(name));
    const placeOf = (state: IndexState | undefined): string | undefined =>
      state?.kind === "partial" ? `${state.next.height}/${state.next.sequence}` : state?.kind;
    return found.every((state) => state?.text === text && placeOf(state) === placeOf(found[0]));
  }

  #clear(name: IndexName, text: string | undefined): void {
    const owned = ownedBy([name]);
    const trees = [
      ...Object.values(invertedIndexes).filter(({ table }) =>
        owned.tables.some(({ prefix }) => prefix === table.prefix),
      ),
      ...owned.counters,
    ];
    const done = this.#chain.changeIndexes((batch) => {
      for (const table of owned.tables)
        if (batch.clearTable(table, MAX_CLEARED_PER_COMMIT) === MAX_CLEARED_PER_COMMIT) return false;
      for (const { tree } of trees) if (!clearTree(batch, tree.id, MAX_CLEARED_PER_COMMIT)) return false;
      putIndexState(batch, name, text === undefined ? undefined : { kind: "partial", text, next: firstUnit });
      return true;
    });
    if (done && text === undefined)
      this.#tell(`The index is switched off, and its rows are removed (${name})`);
  }

  /** @returns whether anything is left */
  #build(unfinished: readonly Unfinished[]): boolean {
    const { height } = this.#chain.tip;
    const start = unfinished.map(({ next }) => next).reduce((a, b) => (isAfter(a, b) ? b : a));
    const names = unfinished.flatMap(({ index }) => index.configuration.names).join(", ");
    if (start.height === 1 && start.sequence === 0) {
      this.#tell(`Building indexes (${names})`, { height });
      this.#reportAt = 0;
    }
    const next = this.#chain.changeIndexes((batch) => {
      const reached = this.#enter(batch, unfinished, start);
      for (const { index, next: before } of unfinished) {
        const { names: parts, text } = index.configuration;
        if (reached !== undefined && !isAfter(reached, before)) continue;
        for (const name of parts)
          putIndexState(
            batch,
            name,
            reached === undefined ? { kind: "whole", text } : { kind: "partial", text, next: reached },
          );
      }
      return reached;
    });
    if (next === undefined) {
      this.#tell(`The indexes are built (${names})`, { height });
      return false;
    }
    const every = Math.max(REPORT_EVERY, Math.ceil(height / 20));
    if (this.#reportAt === 0) this.#reportAt = next.height + every;
    if (next.height >= this.#reportAt) {
      this.#tell(`Building indexes (${names})`, { done: next.height - 1, height });
      this.#reportAt = next.height + every;
    }
    return true;
  }

  /**
   * Enters units until there is enough for a commit, each into the indexes that do not hold it yet.
   * @returns where to go on; undefined at the end of the chain
   */
  #enter(batch: WriteBatch, unfinished: readonly Unfinished[], from: UnitKey): UnitKey | undefined {
    const end = this.#clock.monotonic() + MAX_COMMIT_MS;
    return this.#chain.read((reader) => {
      let weight = 0;
      for (const unit of unitsFrom(reader, this.#network, from)) {
        enterUnit(batch, unit, unfinished);
        weight += 1 + unit.transactionCount;
        if (
          weight >= MAX_READ_PER_COMMIT ||
          heldBy(batch) >= MAX_ROWS_PER_COMMIT ||
          this.#clock.monotonic() >= end
        )
          return { height: unit.height, sequence: unit.sequence + 1 };
      }
      return undefined;
    });
  }

  /** A chain that has just begun has nothing that could take long. */
  #tell(message: string, facts: Record<string, unknown> = {}): void {
    if (this.#chain.tip.height > 1) this.#log.info(message, facts);
  }
}

function enterUnit(batch: WriteBatch, unit: ChainUnit, unfinished: readonly Unfinished[]): void {
  const lacking = unfinished.filter(({ next }) => !isAfter(next, unit)).map(({ index }) => index);
  const owned = ownedBy(lacking.flatMap(({ configuration }) => configuration.names));
  batch.amendUnit(unit, [...owned.tables, ...owned.counters], () => {
    for (const index of lacking) index.apply(batch, unit);
  });
}

/** The tables and counters of indexes. */
function ownedBy(names: readonly IndexName[]) {
  const wanted = new Set<string>(names.flatMap((name) => indexTables[name]));
  return {
    tables: allTables.filter(({ name }) => wanted.has(name)),
    counters: Object.values(counters).filter(({ name }) => wanted.has(name)),
  };
}

/** The row of a unit may say thousands of things, each of which has an entry. */
function heldBy(batch: WriteBatch): number {
  let held = batch.rowCount;
  for (const [, entries] of batch.memtables()) held += entries.count;
  return held;
}
