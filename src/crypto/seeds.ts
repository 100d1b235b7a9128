/** From a seed to the node's key pairs. Page 01 §6.1. */
import { concatBytes } from "../bytes/compare.ts";
import { ByteWriter } from "../bytes/writer.ts";
import { secureHash, sha256 } from "./hashes.ts";
import { ed25519KeyPair } from "./native.ts";
import type { KeyPair } from "./signatures.ts";

/**
 * The account seed (32 bytes) of an account of a wallet.
 * @param seed any bytes; of a phrase, its UTF-8 bytes
 * @param nonce a signed 32-bit integer; the first account has 0
 */
export function accountSeed(seed: Uint8Array, nonce: number): Uint8Array {
  return secureHash(concatBytes(new ByteWriter(4).i32(nonce).toBytes(), seed));
}

/** The ed25519 key pair of an account seed, of any length (the key of the genesis block comes from none). */
export function keyPairFromAccountSeed(seed: Uint8Array): KeyPair {
  // The reference's signing library hashes whatever seed it is given.
  const { publicKey, secretKey } = ed25519KeyPair(sha256(seed));
  return { keyType: "ed25519", publicKey, privateKey: secretKey };
}

/** The key pair of account `nonce` of a wallet. */
export function keyPairFromSeed(seed: Uint8Array, nonce = 0): KeyPair {
  return keyPairFromAccountSeed(accountSeed(seed, nonce));
}
