export interface ForgerInfo {
  readonly address: Uint8Array;
  readonly blocks: number;
  /** Income in 10^-8 tokens. */
  readonly reward: bigint;
}

export interface GeneratorQueries {
  /** Returns accounts that ever forged, sorted by address bytes. */
  all(): Iterable<ForgerInfo>;
}
