/**
 * What an index is to the chain. Every index is written inside the commit of the block or micro block that
 * brings its entries, through the same journaling writer as the ledger: a rollback undoes it without a line of
 * code of its own (DESIGN decision 2), and it can never disagree with the tip.
 */
import type { AppliedUnit, IndexName, StoredTransaction } from "../interfaces.ts";
import type { AppliedTransaction } from "../ledger/block.ts";
import type { Writer } from "../storage/kv.ts";

export type { StoredTransaction } from "../interfaces.ts";

/** One key block (`sequence` 0) or micro block (1, 2, ...), as the store holds it. */
export interface StoredUnit<T extends StoredTransaction = StoredTransaction> extends Omit<AppliedUnit, "id"> {
  readonly transactions: readonly T[];
}

/** A unit that is being appended. */
export type UnitContext = StoredUnit<AppliedTransaction>;

/** An index over the chain's transactions. */
export type ChainIndex = PlainIndex | ConfiguredIndex;

/** An index that every unit is written to, from the first one on: what routes of the node read cannot be switched. */
interface PlainIndex {
  readonly configuration?: undefined;
  /** Writes what the transactions of one unit give. Called once for each key block and micro block, inside its commit. */
  apply(writer: Writer, unit: UnitContext): void;
}

/**
 * An index whose rows follow from the chain and from what the operator decided: it can be switched on and off, and is
 * built from the stored blocks, while the node runs, where it is not there yet or was made with another configuration.
 */
export interface ConfiguredIndex {
  readonly configuration: Configuration;
  /**
   * As in `PlainIndex`, or later, in the same order, from the stored units. No other rows are read than those of the own
   * tables, and those that stay as they are: what blocks below the unit came to, and how much a lease is about.
   */
  apply(writer: Writer, unit: StoredUnit): void;
  /**
   * `apply` for an index that may have much to do for a single transaction: each step takes a few milliseconds, and the
   * caller may pause between two steps. The rows are complete after the last one.
   */
  applyInSteps?(writer: Writer, unit: StoredUnit): Generator<void, void>;
  /**
   * The same by transaction, for an index with rows of whole units: what it reads of other indexes may change from one
   * transaction to the next (`compositeIndex`).
   */
  begin?(writer: Writer, unit: StoredUnit): UnitWork;
}

/** Makes an index that does the work of a unit in steps. */
export function indexInSteps(
  configuration: Configuration,
  applyInSteps: NonNullable<ConfiguredIndex["applyInSteps"]>,
): ConfiguredIndex {
  return { configuration, apply: (writer, unit) => runToEnd(applyInSteps(writer, unit)), applyInSteps };
}

/** Makes an index that writes rows of whole units and is given their transactions one by one. */
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

/** Runs all steps without a pause. */
export function runToEnd(steps: Generator<void, void>): void {
  while (steps.next().done !== true);
}

/** The work of an index on one unit: `add` for each of its transactions in order, then `end`. */
export interface UnitWork {
  add(transaction: StoredTransaction): void;
  end(): void;
}

interface Configuration {
  /** What it is, as an operator knows it; of several that are made together, all of them. */
  readonly names: readonly IndexName[];
  /**
   * The same text for settings that make the same rows, another one for all others. Whoever changes what an index writes
   * changes its text: then it is built anew.
   */
  readonly text: string;
}
