/** Replaces `native.ts` in browsers: plain JavaScript, slower, with the same results. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { bytesEqual, concatBytes } from "../bytes/compare.ts";
import { type EcdsaKeyType, normalizePoint, signatureScalars } from "./ecdsa-form.ts";
import { sha256 } from "./portable-hashes.ts";

export function ed25519KeyPair(seed: Uint8Array): { publicKey: Uint8Array; secretKey: Uint8Array } {
  const publicKey = ed25519.getPublicKey(seed);
  return { publicKey, secretKey: concatBytes(seed, publicKey) };
}

export function ed25519Sign(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  return ed25519.sign(message, secretKey.subarray(0, 32));
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]);
  return value;
}

/** Follows the steps of page 01 §7.2. Never throws. */
export function verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (key.length !== 32 || signature.length !== 64) return false;
  const { Point } = ed25519;
  const { Fn } = Point;
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  if (s >= Fn.ORDER) return false;
  let point: InstanceType<typeof ed25519.Point>;
  try {
    // `fromBytes` rejects y ≥ p, and x = 0 with the sign bit set.
    point = Point.fromBytes(key, false);
  } catch {
    // The key is not a point on the curve.
    return false;
  }
  const k = Fn.create(littleEndian(sha512(concatBytes(r, key, message))));
  const sB = s === 0n ? Point.ZERO : Point.BASE.multiplyUnsafe(s);
  const expectedR = sB.subtract(k === 0n ? Point.ZERO : point.multiplyUnsafe(k));
  // Compare bytes, without the cofactor, so that an R with y ≥ p never matches.
  return bytesEqual(expectedR.toBytes(), r);
}

/** Verifies like `verifyEcdsa` in `ecdsa-openssl.ts`. Never throws. */
export function verifyEcdsa(
  keyType: EcdsaKeyType,
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const point = normalizePoint(key);
  const scalars = signatureScalars(signature);
  if (point === undefined || scalars === undefined) return false;
  const curve = keyType === "secp256k1" ? secp256k1 : p256;
  try {
    const digest = sha256(message);
    return curve.verify(concatBytes(scalars.r, scalars.s), digest, point, { prehash: false, lowS: false });
  } catch {
    // The point is off the curve, or r or s is outside 1 to n - 1.
    return false;
  }
}
