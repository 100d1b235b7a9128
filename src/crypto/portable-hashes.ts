/** `hashes.ts` in plain JavaScript for browsers: slower, with the same results. */
import { blake2b } from "@noble/hashes/blake2.js";
import { sha256 as plainSha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

export function fastHash(message: Uint8Array): Uint8Array {
  return blake2b(message, { dkLen: 32 });
}

export function secureHash(message: Uint8Array, digest: Uint8Array = new Uint8Array(32)): Uint8Array {
  digest.set(plainSha256(fastHash(message)));
  return digest;
}

/** Does nothing: there is no WebAssembly to load. */
export function loadKeccak(): Promise<void> {
  return Promise.resolve();
}

export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes);
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return plainSha256(bytes);
}
