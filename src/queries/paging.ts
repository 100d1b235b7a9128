/** Pages of lists. */

/** The position of a key block (`sequence` 0) or micro block. */
export interface UnitPosition {
  readonly height: number;
  readonly sequence: number;
}

/** The position of a transaction in a list, ordered by height or by timestamp. */
export interface ListPosition {
  readonly height: number;
  readonly position: number;
  /** Of the transaction, ms. */
  readonly timestamp: bigint;
}

export interface ListPage<Position = ListPosition> {
  /** Only elements after this position, which need not exist; undefined: from the beginning. */
  readonly after?: Position | undefined;
  /** Number of elements to skip. */
  readonly offset: number;
  readonly limit: number;
}
