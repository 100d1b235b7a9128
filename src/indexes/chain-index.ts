/**
 * What an index is to the chain. Every index is written inside the commit of the block or micro block that
 * brings its entries, through the same journaling writer as the ledger: a rollback undoes it without a line of
 * code of its own (DESIGN, decision 2), and it can never disagree with the tip.
 */
import type { StoredTransaction } from "../interfaces.ts";
import type { AppliedTransaction } from "../ledger/block.ts";
import type { Writer } from "../storage/kv.ts";
import type { TableName } from "../storage/tables.ts";

export type { StoredTransaction } from "../interfaces.ts";

/** What is the same for every unit of one block. */
export interface IndexedBlock {
  readonly height: number;
  /** Timestamp of the key block, ms. */
  readonly timestamp: bigint;
  /** Address of the generator, 26 bytes. */
  readonly generator: Uint8Array;
}

/** One key block (`sequence` 0) or micro block (1, 2, ...), as the store holds it. */
export interface StoredUnit<T extends StoredTransaction = StoredTransaction> extends IndexedBlock {
  readonly sequence: number;
  /** The unit's own transactions, in block order. */
  readonly transactions: readonly T[];
}

/** A unit that is being appended. */
export type UnitContext = StoredUnit<AppliedTransaction>;

/** An index over the chain's transactions. */
export type ChainIndex = PlainIndex | ConfiguredIndex;

/** An index whose rows follow from the chain alone. */
interface PlainIndex {
  /** For logs. */
  readonly name: string;
  readonly configuration?: undefined;
  /** Writes what the transactions of one unit give. Called once for each key block and micro block, inside its commit. */
  apply(writer: Writer, unit: UnitContext): void;
}

/**
 * An index whose rows follow from the chain and from what the operator decided: it is built anew from the stored
 * blocks when a node starts with another configuration.
 */
export interface ConfiguredIndex {
  /** For logs. */
  readonly name: string;
  readonly configuration: Configuration;
  /**
   * As in `PlainIndex`, and once more in the same order for all stored units that have transactions. A unit without
   * any changes nothing. No other rows are read than those of the own tables.
   */
  apply(writer: Writer, unit: StoredUnit): void;
  /**
   * The same in steps, for an index with rows of whole units: what it reads of other indexes may change from one
   * transaction to the next (`compositeIndex`).
   */
  begin?(writer: Writer, unit: StoredUnit): UnitWork;
}

/** The work of an index on one unit: `add` for each of its transactions in order, then `end`. */
export interface UnitWork {
  add(transaction: StoredTransaction): void;
  end(): void;
}

export interface Configuration {
  /** The same text for settings that make the same rows, another one for all others. */
  readonly text: string;
  /** The tables that this index writes, and no other index does. */
  readonly tables: readonly TableName[];
}
