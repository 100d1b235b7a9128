export interface ForgerInfo {
  readonly address: Uint8Array;
  readonly blocks: number;
  /** Income, in units. */
  readonly reward: bigint;
}

export interface GeneratorQueries {
  /** Returns accounts that ever forged, sorted by address bytes. */
  all(): Iterable<ForgerInfo>;
}
