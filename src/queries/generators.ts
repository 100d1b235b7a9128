/** Accounts that forge. Page 07 §13.6. */

/** What an account forged. */
export interface ForgerInfo {
  readonly address: Uint8Array;
  readonly blocks: number;
  /** Forging income in 10^-8 tokens. */
  readonly reward: bigint;
}

export interface GeneratorQueries {
  /** Returns all accounts that ever forged, sorted by address bytes, with their blocks among the newest ones. */
  all(): Iterable<ForgerInfo>;
}
