/**
 * The protocol's 32-byte hashes, from libsodium, Node's OpenSSL and WebAssembly. `fastHash` is BLAKE2b-256 (not a
 * truncated BLAKE2b-512). `secureHash` is SHA-256 of `fastHash`. Page 01 §4. Browser bundles replace this file with
 * `portable-hashes.ts`.
 */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { copyIfShared, sodiumSha256 } from "./sodium.ts";

export { blake2b256 as fastHash, sodiumDoubleHash as secureHash } from "./sodium.ts";

// Loading only this hash takes 3 ms, the whole package 50 ms.
const { createKeccak } = createRequire(import.meta.url)(
  "hash-wasm/dist/keccak.umd.min.js",
) as typeof import("hash-wasm");

const keccak = await createKeccak(256);

/** The original Keccak-256. `node:crypto` has only SHA-3, which pads differently. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak.init().update(bytes).digest("binary");
}

/** For at least this many bytes, OpenSSL is faster. */
const MIN_OPENSSL_LENGTH = 2_048;

export function sha256(bytes: Uint8Array): Uint8Array {
  if (bytes.length < MIN_OPENSSL_LENGTH) return sodiumSha256(bytes);
  return Uint8Array.from(createHash("sha256").update(copyIfShared(bytes)).digest());
}
