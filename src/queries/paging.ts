/** Position of a key block (`sequence` 0) or micro block. */
export interface UnitPosition {
  readonly height: number;
  readonly sequence: number;
}

/** Position of a transaction in a list, ordered by height or timestamp. */
export interface ListPosition {
  readonly height: number;
  readonly position: number;
  /** Of the transaction, ms. */
  readonly timestamp: bigint;
}

export interface ListPage<Position = ListPosition> {
  /** Only elements after this position, which need not exist; undefined: all. */
  readonly after?: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}
