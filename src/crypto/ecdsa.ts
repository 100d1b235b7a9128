/** ECDSA over secp256k1 and secp256r1, exactly as it decides on the chain. Page 01 §7.3. */
import { createPublicKey, type KeyObject, verify as nodeVerify } from "node:crypto";
import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesKey, concatBytes } from "../bytes/compare.ts";
import { sha256 } from "./hashes.ts";
import { unshared } from "./sodium.ts";

/** The two ECDSA key types. */
export type EcdsaKeyType = "secp256k1" | "secp256r1";

const HALF = 32;
const COMPRESSED = 33;
const UNCOMPRESSED = 65;

/** DER of the algorithm identifier of an elliptic-curve key: id-ecPublicKey and the curve. */
const ALGORITHM: Record<EcdsaKeyType, Uint8Array> = {
  secp256k1: Uint8Array.of(
    ...[0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01],
    ...[0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a],
  ),
  secp256r1: Uint8Array.of(
    ...[0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01],
    ...[0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07],
  ),
};

/**
 * The point in a form that OpenSSL reads: compressed, or uncompressed made from the hybrid form, whose first
 * byte also tells the parity of y. `undefined` for any other form.
 */
function plainPoint(key: Uint8Array): Uint8Array | undefined {
  const form = key[0];
  if (key.length === COMPRESSED) return form === 2 || form === 3 ? key : undefined;
  if (key.length !== UNCOMPRESSED) return undefined;
  if (form === 4) return key;
  if ((form !== 6 && form !== 7) || (key[UNCOMPRESSED - 1] & 1) !== (form & 1)) return undefined;
  const point = Uint8Array.from(key);
  point[0] = 4;
  return point;
}

/** The key object of a public key; `undefined` when it is no point of the curve. */
function decodeKey(keyType: EcdsaKeyType, key: Uint8Array): KeyObject | undefined {
  const point = plainPoint(key);
  if (point === undefined) return undefined;
  const algorithm = ALGORITHM[keyType];
  const bits = Uint8Array.of(0x03, point.length + 1, 0);
  const size = algorithm.length + bits.length + point.length;
  const der = concatBytes(Uint8Array.of(0x30, size), algorithm, bits, point);
  try {
    return createPublicKey({ key: Buffer.from(der.buffer), format: "der", type: "spki" });
  } catch {
    // x not below the field prime, or no point of the curve has it.
    return undefined;
  }
}

/** Decoding a compressed point takes a square root, a good part of a check: the latest keys are kept. */
const CACHED_KEYS = 2_048;
const keyCache = new Map<string, KeyObject | undefined>();

function cachedKey(keyType: EcdsaKeyType, key: Uint8Array): KeyObject | undefined {
  if (key.length !== COMPRESSED && key.length !== UNCOMPRESSED) return undefined;
  const name = keyType + bytesKey(key);
  if (keyCache.has(name)) return keyCache.get(name);
  const object = decodeKey(keyType, key);
  if (keyCache.size >= CACHED_KEYS) {
    const oldest = keyCache.keys().next();
    if (oldest.done === false) keyCache.delete(oldest.value);
  }
  keyCache.set(name, object);
  return object;
}

/** An unsigned number in exactly 32 bytes; `undefined` when it needs more. Shorter and longer halves occur. */
function to32(half: Uint8Array): Uint8Array | undefined {
  let start = 0;
  while (start < half.length && half[start] === 0) start++;
  const size = half.length - start;
  if (size > HALF) return undefined;
  const number = new Uint8Array(HALF);
  number.set(half.subarray(start), HALF - size);
  return number;
}

/**
 * Whether an ECDSA signature of `sha256(message)` is valid. Never throws.
 *
 * The signature is two halves of any length, r and s, big-endian; an odd last byte is ignored. There is no
 * low-s rule. The key may be a compressed, uncompressed or hybrid point.
 */
export function ecdsaAccepts(
  keyType: EcdsaKeyType,
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const publicKey = cachedKey(keyType, key);
  if (publicKey === undefined) return false;
  const half = signature.length >> 1;
  const r = to32(signature.subarray(0, half));
  const s = to32(signature.subarray(half, 2 * half));
  if (r === undefined || s === undefined) return false;
  try {
    return nodeVerify(
      "sha256",
      unshared(message),
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      concatBytes(r, s),
    );
  } catch {
    // OpenSSL may report r or s outside 1 to n - 1 as an error instead of a mismatch.
    return false;
  }
}

/** The signature (64 bytes, r ‖ s) of `sha256(message)`, with the deterministic nonce of RFC 6979. */
export function ecdsaSign(keyType: EcdsaKeyType, privateKey: Uint8Array, message: Uint8Array): Uint8Array {
  const curve = keyType === "secp256k1" ? secp256k1 : p256;
  return curve.sign(sha256(message), privateKey, { prehash: false, lowS: false });
}

/** The compressed public key of a private key of 32 bytes. */
export function ecdsaPublicKey(keyType: EcdsaKeyType, privateKey: Uint8Array): Uint8Array {
  const curve = keyType === "secp256k1" ? secp256k1 : p256;
  return curve.getPublicKey(privateKey, true);
}
