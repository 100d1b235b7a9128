export interface ForgerInfo {
  readonly address: Uint8Array;
  readonly blocks: number;
  /** Income, in units. */
  readonly reward: bigint;
}

export interface GeneratorQueries {
  /** Sorted by address bytes. */
  all(): Iterable<ForgerInfo>;
}
