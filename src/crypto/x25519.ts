import { ed25519 } from "@noble/curves/ed25519.js";
import { sodiumToX25519 } from "./sodium.ts";

/**
 * Converts an ed25519 public key to X25519, for DID documents. Page 07 §8.7. libsodium is faster than noble, but
 * rejects points outside the main subgroup and accepts non-canonical keys.
 * @param publicKey 32 bytes
 * @returns 32 bytes, or undefined if the key is not on the curve (`register` accepts any key)
 */
export function x25519Of(publicKey: Uint8Array): Uint8Array | undefined {
  return (isCanonicalKey(publicKey) ? sodiumToX25519(publicKey) : undefined) ?? nobleToX25519(publicKey);
}

/** Returns u = (1 + y) / (1 - y), or undefined if the key is not on the curve. */
export function nobleToX25519(publicKey: Uint8Array): Uint8Array | undefined {
  try {
    return ed25519.utils.toMontgomery(publicKey);
  } catch {
    return undefined;
  }
}

/** Returns true if the little-endian y, without the sign bit, is below 2^255 - 19. */
function isCanonicalKey(publicKey: Uint8Array): boolean {
  if ((publicKey[31] & 0x7f) !== 0x7f) return true;
  for (let i = 1; i < 31; i++) if (publicKey[i] !== 0xff) return true;
  return publicKey[0] < 0xed;
}
