/** Which units the indexes take, and which of their rows are undone: an index may be behind the chain, or be removed. */

import { indexNames, indexTables } from "../../indexes/all.ts";
import type { ChainIndex, ConfiguredIndex, UnitContext } from "../../indexes/chain-index.ts";
import { applySteps } from "../../indexes/composite-index.ts";
import type { IndexName } from "../../interfaces.ts";
import type { Undoable, WriteBatch } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import type { Store } from "../../storage/store.ts";
import { holdsUnit, type IndexState, indexStates, putIndexState } from "../reading/index-states.ts";

/** The index of each table and counter that belongs to one. */
const indexOfTable = new Map<string, IndexName>(
  Object.entries(indexTables).flatMap(([name, owned]) =>
    // The keys of the record are the names.
    owned.map((table) => [table, name as IndexName] as const),
  ),
);

/** Whether an index can be switched, and built. */
export function isConfigured(index: ChainIndex): index is ConfiguredIndex {
  return index.configuration !== undefined;
}

/**
 * The indexes of a chain, each with the units that it holds: those below a place, or all. What is appended below the
 * place goes into the index as into one that is whole; what is appended from there on is left to whoever builds it
 * (`chain/jobs/build-indexes.ts`). The journal of a unit undoes the rows of an index where the index holds the unit,
 * and only there. So a rollback below the place, and a chain that grows again, need nothing else.
 *
 * A chain that is opened with another configuration cannot enter units into such an index. If it appends a unit below
 * the place, it lowers the place to that unit.
 */
export class Indexing {
  /** As committed. */
  #states: ReadonlyMap<IndexName, IndexState> = new Map();
  /** What batches that are not committed change of them. */
  readonly #lowered = new WeakMap<WriteBatch, Map<IndexName, IndexState>>();

  constructor(readonly indexes: readonly ChainIndex[]) {}

  /** Reads the states as they are committed: to be called behind every commit that changes one. */
  load(reader: Reader): void {
    this.#states = indexStates(reader);
  }

  /** To be called for a chain that has no block yet: its indexes are whole from the start. */
  begin(store: Store): void {
    store.write((batch) => markIndexes(batch, this.indexes));
    this.load(store);
  }

  /**
   * To be called once when the chain is opened. An index that was made with another configuration than this one, or is
   * not wanted any more, stays as it is, and takes no further units.
   * @param tip the newest unit
   */
  open(store: Store, tip: UnitKey): void {
    this.load(store);
    const next = { height: tip.height, sequence: tip.sequence + 1 };
    const left = [...this.#states].filter(
      ([name, { kind, text }]) => kind === "whole" && text !== this.#textOf(name),
    );
    if (left.length === 0) return;
    store.write((batch) => {
      for (const [name, { text = "" }] of left) putIndexState(batch, name, { kind: "partial", text, next });
    });
    this.load(store);
  }

  /** To be called once a batch of units is committed: the states that it lowered count from now on. */
  committed(batch: WriteBatch): void {
    const lowered = this.#lowered.get(batch);
    if (lowered !== undefined) this.#states = new Map([...this.#states, ...lowered]);
  }

  /** Enters a unit that is being appended, in the steps of its indexes. */
  *apply(batch: WriteBatch, unit: UnitContext): Generator<void, void> {
    this.#leaveOut(batch, unit);
    for (const index of this.indexes) {
      if (!isConfigured(index)) index.apply(batch, unit);
      else if (this.#takes(index, unit)) yield* applySteps(index, batch, unit);
    }
  }

  /** Whether undoing a unit takes back what it did to a table or counter. */
  restores({ name: table }: Undoable, unit: UnitKey): boolean {
    const name = indexOfTable.get(table);
    return name === undefined || holdsUnit(this.#states.get(name), unit);
  }

  /**
   * Lowers the place of each index that counts as holding this unit but does not take it. The unit's journal has no rows
   * of such an index, and the next build begins with the unit.
   */
  #leaveOut(batch: WriteBatch, { height, sequence }: UnitContext): void {
    const unit = { height, sequence };
    const taken = new Set(
      this.indexes
        .filter(isConfigured)
        .flatMap((index) => (this.#takes(index, unit) ? index.configuration.names : [])),
    );
    for (const [name, state] of this.#states) {
      // An earlier unit of this batch may have lowered it already.
      const lowered = this.#lowered.get(batch) ?? new Map<IndexName, IndexState>();
      if (taken.has(name) || !holdsUnit(lowered.get(name) ?? state, unit)) continue;
      const next = { kind: "partial", text: state.text ?? "", next: unit } as const;
      putIndexState(batch, name, next);
      this.#lowered.set(batch, lowered.set(name, next));
    }
  }

  #takes({ configuration: { names, text } }: ConfiguredIndex, unit: UnitKey): boolean {
    return names.every((name) => {
      const state = this.#states.get(name);
      return state?.text === text && holdsUnit(state, unit);
    });
  }

  #textOf(wanted: IndexName): string | undefined {
    return this.indexes.find((index) => index.configuration?.names.includes(wanted))?.configuration?.text;
  }
}

/** Says of a chain that has no block yet that these indexes hold all that comes. */
export function markIndexes(batch: WriteBatch, indexes: readonly ChainIndex[]): void {
  // As a start may have left it that died before the first block.
  for (const name of indexNames) putIndexState(batch, name, undefined);
  for (const { names, text } of indexes.filter(isConfigured).map(({ configuration }) => configuration))
    for (const name of names) putIndexState(batch, name, { kind: "whole", text });
}
