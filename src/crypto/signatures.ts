/** Page 01 §7. */
import { ecdsaSign } from "./ecdsa.ts";
import type { KeyType, PublicKey } from "./key-types.ts";
import { ed25519Sign, verifyEcdsa, verifyEd25519 } from "./native.ts";

/** `privateKey` has 64 bytes (seed ‖ public key) for ed25519, 32 for ECDSA. */
export interface KeyPair {
  readonly keyType: KeyType;
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
}

/** The message is the protocol's error text. */
class UnsupportedKeyTypeError extends Error {
  override readonly name = "UnsupportedKeyTypeError";
}

/**
 * Verifies a signature. Never throws. Returns false where the reference throws: for a key of a wrong length, a point
 * off the curve, or a bls12-381 key.
 */
export function verify(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  switch (key.keyType) {
    case "ed25519":
      return verifyEd25519(key.bytes, message, signature);
    case "secp256k1":
    case "secp256r1":
      return verifyEcdsa(key.keyType, key.bytes, message, signature);
    default:
      return false;
  }
}

/**
 * Returns a deterministic 64-byte signature.
 * @throws UnsupportedKeyTypeError for bls12-381
 */
export function sign(keyPair: KeyPair, message: Uint8Array): Uint8Array {
  switch (keyPair.keyType) {
    case "ed25519":
      return ed25519Sign(message, keyPair.privateKey);
    case "secp256k1":
    case "secp256r1":
      return ecdsaSign(keyPair.keyType, keyPair.privateKey, message);
    default:
      throw new UnsupportedKeyTypeError("BLS12-381 signing is not supported in this context");
  }
}
