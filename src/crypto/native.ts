/**
 * Cryptography from libsodium, Node's OpenSSL and WebAssembly. Browser bundles replace this file with
 * `portable.ts`.
 */
import { createHash } from "node:crypto";
import { copyIfShared, sodiumSha256 } from "./sodium.ts";

export { verifyEcdsa } from "./ecdsa-openssl.ts";
export { verifyEd25519 } from "./ed25519.ts";
export { keccak256 } from "./keccak.ts";
export { blake2b256, ed25519KeyPair, ed25519Sign, sodiumDoubleHash as doubleHash } from "./sodium.ts";

/** For this length (bytes) and above, OpenSSL is faster. */
const MIN_OPENSSL_LENGTH = 2_048;

export function sha256(bytes: Uint8Array): Uint8Array {
  if (bytes.length < MIN_OPENSSL_LENGTH) return sodiumSha256(bytes);
  return Uint8Array.from(createHash("sha256").update(copyIfShared(bytes)).digest());
}
