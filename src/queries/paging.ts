/** Position of a key block (`sequence` 0) or micro block. */
export interface UnitPosition {
  readonly height: number;
  readonly sequence: number;
}

/** Position of a transaction in a list, ordered by height or timestamp. */
export interface ListPosition {
  readonly height: number;
  readonly position: number;
  /** Timestamp of the transaction, in milliseconds since 1970. */
  readonly timestamp: bigint;
}

/** Selects a part of a list. */
export interface ListPage<Position = ListPosition> {
  /** Selects elements after this position, even if no element has it. By default selects from the start. */
  readonly after?: Position | undefined;
  /** Number of further elements to skip. */
  readonly offset: number;
  readonly limit: number;
}
