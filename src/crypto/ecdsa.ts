/** Page 01 §7. */
import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import type { EcdsaKeyType } from "./ecdsa-form.ts";
import { sha256 } from "./hashes.ts";

/** Signs `sha256(message)` with the nonce of RFC 6979. Returns 64 bytes, r ‖ s. */
export function ecdsaSign(keyType: EcdsaKeyType, privateKey: Uint8Array, message: Uint8Array): Uint8Array {
  const curve = keyType === "secp256k1" ? secp256k1 : p256;
  return curve.sign(sha256(message), privateKey, { prehash: false, lowS: false });
}
