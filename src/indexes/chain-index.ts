/**
 * The interface of indexes. An index is written in the same commit, and through the same journal, as its block or
 * micro block. So a rollback undoes it without code in the index (decision 2 of docs/architecture.md), and it agrees with the tip.
 */
import type { AppliedUnit, IndexName, StoredTransaction } from "../interfaces.ts";
import type { AppliedTransaction } from "../ledger/block.ts";
import type { Writer } from "../storage/kv.ts";

export type { StoredTransaction } from "../interfaces.ts";

/** A key block (`sequence` 0) or micro block (1, 2, ...), as stored. */
export interface StoredUnit<T extends StoredTransaction = StoredTransaction> extends Omit<AppliedUnit, "id"> {
  readonly transactions: readonly T[];
}

/** A unit that is being appended. */
export type UnitContext = StoredUnit<AppliedTransaction>;

export type ChainIndex = PlainIndex | ConfiguredIndex;

/** An index that always exists, because routes of the node read it. */
interface PlainIndex {
  readonly configuration?: undefined;
  /** Writes a unit's entries, in the commit of its key block or micro block. */
  apply(writer: Writer, unit: UnitContext): void;
}

/**
 * An index that the operator can switch on and off. If it is missing or was built with other settings, it is built
 * from the stored blocks while the node runs.
 */
export interface ConfiguredIndex {
  readonly configuration: Configuration;
  /**
   * Like `PlainIndex.apply`, or later from the stored units, in the same order. May read only its own tables and rows
   * that never change: totals of blocks below the unit, and amounts of leases.
   */
  apply(writer: Writer, unit: StoredUnit): void;
  /**
   * `apply` for much work per transaction: steps take a few milliseconds, and the caller may pause between them. Rows
   * are complete after the last step.
   */
  applyInSteps?(writer: Writer, unit: StoredUnit): Generator<void, void>;
  /**
   * `apply` by transaction, for an index with one row per unit that reads another index, which may change between
   * transactions (`compositeIndex`).
   */
  begin?(writer: Writer, unit: StoredUnit): UnitWork;
}

/** Makes an index that works in steps. */
export function indexInSteps(
  configuration: Configuration,
  applyInSteps: NonNullable<ConfiguredIndex["applyInSteps"]>,
): ConfiguredIndex {
  return { configuration, apply: (writer, unit) => runToEnd(applyInSteps(writer, unit)), applyInSteps };
}

/** Makes an index with rows of whole units that gets transactions one by one. */
export function indexByTransaction(
  configuration: Configuration,
  begin: NonNullable<ConfiguredIndex["begin"]>,
): ConfiguredIndex {
  return {
    configuration,
    apply(writer, unit) {
      const work = begin(writer, unit);
      for (const entry of unit.transactions) work.add(entry);
      work.end();
    },
    begin,
  };
}

export function runToEnd(steps: Generator<void, void>): void {
  while (steps.next().done !== true);
}

/** Work on one unit: `add` for each transaction in order, then `end`. */
export interface UnitWork {
  add(transaction: StoredTransaction): void;
  end(): void;
}

interface Configuration {
  /** All parts of a composite index. */
  readonly names: readonly IndexName[];
  /** Equal for settings that produce the same rows. Change it when an index writes other rows, to rebuild it. */
  readonly text: string;
}
