/** Accounts that forge. Page 07 §13.6. */

export interface ForgerInfo {
  readonly address: Uint8Array;
  readonly blocks: number;
  /** In 10^-8 tokens. */
  readonly reward: bigint;
}

export interface GeneratorQueries {
  /** All accounts that ever forged, with their share of the newest blocks, sorted by address bytes. */
  all(): Iterable<ForgerInfo>;
}
