import { ed25519 } from "@noble/curves/ed25519.js";

/**
 * The X25519 form of an ed25519 public key, as DID documents show it for key agreement: u = (1 + y) / (1 - y).
 * Page 07 §8.7.
 *
 * @param publicKey 32 bytes
 * @returns 32 bytes, or undefined when the key is not a point of the curve (anyone may register such a key)
 */
export function x25519Of(publicKey: Uint8Array): Uint8Array | undefined {
  try {
    return ed25519.utils.toMontgomery(publicKey);
  } catch {
    // The library says "no point" by throwing, and there is nothing else that it could mean.
    return undefined;
  }
}
