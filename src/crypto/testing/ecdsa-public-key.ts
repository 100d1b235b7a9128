import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import type { EcdsaKeyType } from "../ecdsa-form.ts";

/** Returns the compressed public key of a 32-byte private key. */
export function ecdsaPublicKey(keyType: EcdsaKeyType, privateKey: Uint8Array): Uint8Array {
  const curve = keyType === "secp256k1" ? secp256k1 : p256;
  return curve.getPublicKey(privateKey, true);
}
