import { indexNames, indexTables } from "../../indexes/all.ts";
import type { ChainIndex, ConfiguredIndex, UnitInCommit } from "../../indexes/chain-index.ts";
import { applySteps } from "../../indexes/composite-index.ts";
import type { IndexName } from "../../interfaces.ts";
import type { JournaledTable, WriteBatch } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import type { Store } from "../../storage/store.ts";
import { holdsUnit, type IndexState, indexStates, putIndexState } from "../reading/index-states.ts";

const indexOfTable = new Map<string, IndexName>(
  Object.entries(indexTables).flatMap(([name, owned]) =>
    // The keys of the record are index names.
    owned.map((table) => [table, name as IndexName] as const),
  ),
);

/** Returns true for an index that has a configuration. Other indexes always get all units. */
export function isConfigured(index: ChainIndex): index is ConfiguredIndex {
  return index.configuration !== undefined;
}

/**
 * Decides which units the indexes get, and which index rows are undone. An index has either all units, or all before
 * its `next` unit. The chain adds a new unit to a partial index only if the unit is before `next`, as after a rollback.
 * The builder (`chain/jobs/build-indexes.ts`) adds the units from `next` on. Undoing a unit restores rows of an index
 * only if the index has the unit.
 */
export class Indexing {
  #states: ReadonlyMap<IndexName, IndexState> = new Map();
  /** True if exactly the configured indexes have a state, and all of them get all units. */
  #areAllWhole = false;
  /** States that a batch changes to `partial` because the indexes lack one of its units. */
  readonly #loweredStates = new WeakMap<WriteBatch, Map<IndexName, IndexState>>();

  constructor(readonly indexes: readonly ChainIndex[]) {}

  /** States as of the last commit; an index without one is disabled. */
  get states(): ReadonlyMap<IndexName, IndexState> {
    return this.#states;
  }

  /** Loads the states after a commit that changes one. */
  load(reader: Reader): void {
    this.#setStates(indexStates(reader));
  }

  /** Marks an empty store's indexes as whole. */
  begin(store: Store): void {
    store.write((batch) => markWhole(batch, this.indexes));
    this.load(store);
  }

  /** Loads the states, and makes an index partial if its configuration changed. Call this once, at opening. */
  open(store: Store, tip: UnitKey): void {
    this.load(store);
    const next = { height: tip.height, sequence: tip.sequence + 1 };
    const changed = [...this.#states].filter(
      ([name, { kind, configurationText }]) => kind === "whole" && configurationText !== this.#textOf(name),
    );
    if (changed.length === 0) return;
    store.write((batch) => {
      for (const [name, { configurationText = "" }] of changed)
        putIndexState(batch, name, { kind: "partial", configurationText, next });
    });
    this.load(store);
  }

  onCommitted(batch: WriteBatch): void {
    const lowered = this.#loweredStates.get(batch);
    if (lowered !== undefined) this.#setStates(new Map([...this.#states, ...lowered]));
  }

  #setStates(states: ReadonlyMap<IndexName, IndexState>): void {
    this.#states = states;
    const names = this.indexes.filter(isConfigured).flatMap(({ configuration }) => configuration.names);
    this.#areAllWhole =
      names.length === states.size &&
      names.every((name) => {
        const state = states.get(name);
        return state?.kind === "whole" && state.configurationText === this.#textOf(name);
      });
  }

  *apply(batch: WriteBatch, unit: UnitInCommit): Generator<void, void> {
    this.#lowerNext(batch, unit);
    for (const index of this.indexes) {
      if (!isConfigured(index)) index.apply(batch, unit);
      else if (this.#receives(index, unit)) yield* applySteps(index, batch, unit);
    }
  }

  /** Returns true if undoing the unit restores this table. */
  restoresTable({ name: table }: JournaledTable, unit: UnitKey): boolean {
    const name = indexOfTable.get(table);
    return name === undefined || holdsUnit(this.#states.get(name), unit);
  }

  #lowerNext(batch: WriteBatch, { height, sequence }: UnitInCommit): void {
    if (this.#areAllWhole) return;
    const unit = { height, sequence };
    const receiving = new Set(
      this.indexes
        .filter(isConfigured)
        .flatMap((index) => (this.#receives(index, unit) ? index.configuration.names : [])),
    );
    for (const [name, state] of this.#states) {
      const lowered = this.#loweredStates.get(batch) ?? new Map<IndexName, IndexState>();
      if (receiving.has(name) || !holdsUnit(lowered.get(name) ?? state, unit)) continue;
      const next = { kind: "partial", configurationText: state.configurationText ?? "", next: unit } as const;
      putIndexState(batch, name, next);
      this.#loweredStates.set(batch, lowered.set(name, next));
    }
  }

  #receives({ configuration: { names, text } }: ConfiguredIndex, unit: UnitKey): boolean {
    if (this.#areAllWhole) return true;
    return names.every((name) => {
      const state = this.#states.get(name);
      return state?.configurationText === text && holdsUnit(state, unit);
    });
  }

  #textOf(name: IndexName): string | undefined {
    return this.indexes.find((index) => index.configuration?.names.includes(name))?.configuration?.text;
  }
}

export function markWhole(batch: WriteBatch, indexes: readonly ChainIndex[]): void {
  // A killed process may have left states.
  for (const name of indexNames) putIndexState(batch, name, undefined);
  for (const { names, text } of indexes.filter(isConfigured).map(({ configuration }) => configuration))
    for (const name of names) putIndexState(batch, name, { kind: "whole", configurationText: text });
}
