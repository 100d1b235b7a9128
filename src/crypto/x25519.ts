import { ed25519 } from "@noble/curves/ed25519.js";
import { sodiumX25519 } from "./sodium.ts";

/**
 * The X25519 form of an ed25519 public key, as DID documents show it for key agreement. Page 07 §8.7. libsodium is three
 * times as fast; it refuses points outside the main subgroup, which have a form too, and takes numbers that are not in
 * their shortest form, which are none.
 * @param publicKey 32 bytes
 * @returns 32 bytes, or undefined when the key is not a point of the curve (anyone may register such a key)
 */
export function x25519Of(publicKey: Uint8Array): Uint8Array | undefined {
  return (isCanonicalKey(publicKey) ? sodiumX25519(publicKey) : undefined) ?? plainX25519(publicKey);
}

/** The same by the formula alone: u = (1 + y) / (1 - y). */
export function plainX25519(publicKey: Uint8Array): Uint8Array | undefined {
  try {
    return ed25519.utils.toMontgomery(publicKey);
  } catch {
    // The library says "no point" by throwing, and there is nothing else that it could mean.
    return undefined;
  }
}

/** Whether the number of a key is surely below the field's, 2^255 - 19: little-endian, the highest bit is a sign. */
function isCanonicalKey(publicKey: Uint8Array): boolean {
  if ((publicKey[31] & 0x7f) !== 0x7f) return true;
  for (let i = 1; i < 31; i++) if (publicKey[i] !== 0xff) return true;
  return publicKey[0] < 0xed;
}
