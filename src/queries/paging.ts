/** Position of a key block (`sequence` 0) or micro block. */
export interface UnitPosition {
  readonly height: number;
  readonly sequence: number;
}

export interface ListPosition {
  readonly height: number;
  readonly position: number;
  /** Transaction timestamp, ms since 1970. */
  readonly timestamp: bigint;
}

/** Heights of a part of the chain, both included; empty if `from` is above `to`. */
export interface HeightRange {
  readonly from: number;
  readonly to: number;
}

/** Maximum entries that a query reads to find those that match a filter. */
export const MAX_WALK = 10_000;

export interface ListPage<Position = ListPosition> {
  /** Selects elements after this position, even if no element is at the position itself; default: all. */
  readonly after?: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}
