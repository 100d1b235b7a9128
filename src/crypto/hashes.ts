/** The hashes of the protocol. Page 01 §4. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { blake2b256, sodiumDoubleHash, sodiumSha256 } from "./sodium.ts";

/** BLAKE2b-256: a digest of 32 bytes, no key, salt or personalisation (not half of BLAKE2b-512). */
export function fastHash(bytes: Uint8Array): Uint8Array {
  return blake2b256(bytes);
}

/**
 * SHA-256 of `fastHash`, 32 bytes.
 * @param digest takes the result; a new array unless given
 */
export function secureHash(bytes: Uint8Array, digest?: Uint8Array): Uint8Array {
  return sodiumDoubleHash(bytes, digest);
}

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return sodiumSha256(bytes);
}

/** The original Keccak-256 (not SHA-3), 32 bytes. Only account scripts reach it. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes);
}
