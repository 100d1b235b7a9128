/** Who forged the newest blocks. Page 07 §13.6. */

/** What an account forged within some time. */
export interface ForgerInfo {
  readonly address: Uint8Array;
  readonly blocks: number;
  /** In 10^-8 tokens. */
  readonly reward: bigint;
}

export interface GeneratorQueries {
  /** The accounts that ever forged, with what they forged of the newest blocks, in the order of the addresses' bytes. */
  all(): Iterable<ForgerInfo>;
}
