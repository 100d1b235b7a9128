/** Parts of lists, and where a list goes on. */

/** A key block (`sequence` 0) or micro block: where a walk through the chain stands. */
export interface UnitPosition {
  readonly height: number;
  readonly sequence: number;
}

/** The position of a transaction in a list: by height or by its timestamp first. */
export interface ListPosition {
  readonly height: number;
  readonly position: number;
  /** Of the transaction, ms. */
  readonly timestamp: bigint;
}

/** A part of a list. */
export interface ListPage<Place = ListPosition> {
  /** Only elements after this place, whether or not there is one at it; from the beginning by default. */
  readonly after?: Place | undefined;
  /** Number of elements to skip. */
  readonly offset: number;
  readonly limit: number;
}
