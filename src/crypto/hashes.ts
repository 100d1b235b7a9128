/** The hashes of the protocol. Page 01 §4. */
import { blake2b256, doubleHash } from "./native.ts";

export { keccak256, sha256 } from "./native.ts";

/** BLAKE2b-256: a digest of 32 bytes, no key, salt or personalisation (not half of BLAKE2b-512). */
export function fastHash(bytes: Uint8Array): Uint8Array {
  return blake2b256(bytes);
}

/**
 * SHA-256 of `fastHash`, 32 bytes.
 * @param digest takes the result; a new array unless given
 */
export function secureHash(bytes: Uint8Array, digest?: Uint8Array): Uint8Array {
  return doubleHash(bytes, digest);
}
