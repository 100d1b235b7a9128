/** Lengths of hashes that can be anchored, bytes. Page 05 §15.8, page 07 §7.2. */
export const HASH_LENGTHS: ReadonlySet<number> = new Set([16, 20, 32, 48, 64]);
