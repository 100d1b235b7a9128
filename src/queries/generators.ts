/** Accounts that forge. Page 07 §13.6. */

/** What an account forged in a period. */
export interface ForgerInfo {
  readonly address: Uint8Array;
  readonly blocks: number;
  /** In 10^-8 tokens. */
  readonly reward: bigint;
}

export interface GeneratorQueries {
  /**
   * All accounts that ever forged, with what they forged of the newest blocks, in the order of the addresses' bytes.
   */
  all(): Iterable<ForgerInfo>;
}
