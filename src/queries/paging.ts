/** Position of a key block (`sequence` 0) or micro block. */
export interface UnitPosition {
  readonly height: number;
  readonly sequence: number;
}

/** Position of a transaction in a list, which is ordered by height or timestamp. */
export interface ListPosition {
  readonly height: number;
  readonly position: number;
  /** Transaction timestamp, ms since 1970. */
  readonly timestamp: bigint;
}

export interface ListPage<Position = ListPosition> {
  /** Selects elements after this position, even if no element has it; default: all. */
  readonly after?: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}
