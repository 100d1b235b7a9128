/** Page 01 §6.1. */
import { concatBytes } from "../bytes/compare.ts";
import { ByteWriter } from "../bytes/writer.ts";
import { secureHash, sha256 } from "./hashes.ts";
import { ed25519KeyPair } from "./native.ts";
import type { KeyPair } from "./signatures.ts";

/**
 * Derives an account's seed, 32 bytes.
 * @param seed any bytes; for a phrase, its UTF-8 bytes
 * @param nonce signed 32-bit integer; 0 for the first account
 */
export function accountSeed(seed: Uint8Array, nonce: number): Uint8Array {
  return secureHash(concatBytes(new ByteWriter(4).i32(nonce).toBytes(), seed));
}

/** @param seed any length; the genesis key uses the empty seed */
export function keyPairFromAccountSeed(seed: Uint8Array): KeyPair {
  // The reference's signing library hashes any seed.
  const { publicKey, secretKey } = ed25519KeyPair(sha256(seed));
  return { keyType: "ed25519", publicKey, privateKey: secretKey };
}

export function keyPairFromSeed(seed: Uint8Array, nonce = 0): KeyPair {
  return keyPairFromAccountSeed(accountSeed(seed, nonce));
}
