/** A unit and its index rows share one commit and one journal. Decision 2 of docs/architecture.md. */
import type { AppliedUnit, IndexName, StoredTransaction } from "../interfaces.ts";
import type { AppliedTransaction } from "../ledger/block.ts";
import type { Writer } from "../storage/kv.ts";

export type { StoredTransaction } from "../interfaces.ts";

/** A key block (`sequence` 0) or micro block (1, 2, ...), as stored. */
export interface StoredUnit<T extends StoredTransaction = StoredTransaction> extends Omit<AppliedUnit, "id"> {
  readonly transactions: readonly T[];
}

/** A unit with the fees and addresses that the ledger computed. */
export type UnitInCommit = StoredUnit<AppliedTransaction>;

export type ChainIndex = PlainIndex | ConfiguredIndex;

interface PlainIndex {
  readonly configuration?: undefined;
  /** Writes a unit's entries, in the unit's commit. */
  apply(writer: Writer, unit: UnitInCommit): void;
}

/**
 * An index that the operator can switch on and off. If it is missing or was built with other settings, the running node
 * builds it from the stored blocks.
 */
export interface ConfiguredIndex {
  readonly configuration: Configuration;
  /**
   * Writes a unit's entries, either in the unit's commit, or later from stored units in chain order. May read only the
   * index's own tables, and rows that never change: totals of blocks below the unit, account states after the unit, the
   * unit's lists of addresses, and amounts of leases.
   */
  apply(writer: Writer, unit: StoredUnit): void;
  /** Like `apply`, for indexes with much work per transaction: yields between steps. */
  applyInSteps?(writer: Writer, unit: StoredUnit): Generator<void, void>;
  /** Like `apply`, but receives transactions one by one. */
  begin?(writer: Writer, unit: StoredUnit): UnitIndexer;
}

export function indexInSteps(
  configuration: Configuration,
  applyInSteps: NonNullable<ConfiguredIndex["applyInSteps"]>,
): ConfiguredIndex {
  return { configuration, apply: (writer, unit) => runToEnd(applyInSteps(writer, unit)), applyInSteps };
}

export function indexByTransaction(
  configuration: Configuration,
  begin: NonNullable<ConfiguredIndex["begin"]>,
): ConfiguredIndex {
  return {
    configuration,
    apply(writer, unit) {
      const indexer = begin(writer, unit);
      for (const entry of unit.transactions) indexer.add(entry);
      indexer.end();
    },
    begin,
  };
}

export function runToEnd(steps: Generator<void, void>): void {
  while (steps.next().done !== true);
}

/** The caller calls `add` for each transaction in order, then `end`. */
export interface UnitIndexer {
  add(transaction: StoredTransaction): void;
  end(): void;
}

interface Configuration {
  /** One name, or the names of all parts of a composite index. */
  readonly names: readonly IndexName[];
  /** Identifies the rows that code and settings produce. If the stored text differs, the index is rebuilt. */
  readonly text: string;
}
