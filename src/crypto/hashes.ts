/** The hashes of the protocol. Page 01 §4. */
import { createHash } from "node:crypto";
import { blake2b256, sodiumDoubleHash, sodiumSha256, unshared } from "./sodium.ts";

/** Only account scripts reach it. */
export { keccak256 } from "./keccak.ts";

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

/** From this length on OpenSSL, which uses the processor's own instructions, makes up for its dearer call. */
const LONG = 2_048;

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  if (bytes.length < LONG) return sodiumSha256(bytes);
  return Uint8Array.from(createHash("sha256").update(unshared(bytes)).digest());
}
