/** Page 01 §7.3. */
import { createPublicKey, type KeyObject, verify as nodeVerify } from "node:crypto";
import { bytesKey, concatBytes } from "../bytes/compare.ts";
import { BoundedCache } from "../collections/bounded-cache.ts";
import { type EcdsaKeyType, normalizePoint, signatureScalars } from "./ecdsa-form.ts";
import { copyIfShared } from "./sodium.ts";

/** Lengths of a compressed point, and of an uncompressed or hybrid one. */
const POINT_LENGTHS: ReadonlySet<number> = new Set([33, 65]);

/** AlgorithmIdentifier: id-ecPublicKey and the curve. */
const ALGORITHM_DER: Record<EcdsaKeyType, Uint8Array> = {
  secp256k1: Uint8Array.of(
    ...[0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01],
    ...[0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a],
  ),
  secp256r1: Uint8Array.of(
    ...[0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01],
    ...[0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07],
  ),
};

/** Returns undefined if the key is not a point on the curve. */
function decodeKey(keyType: EcdsaKeyType, key: Uint8Array): KeyObject | undefined {
  const point = normalizePoint(key);
  if (point === undefined) return undefined;
  const algorithm = ALGORITHM_DER[keyType];
  const bitStringHeader = Uint8Array.of(0x03, point.length + 1, 0);
  const size = algorithm.length + bitStringHeader.length + point.length;
  const der = concatBytes(Uint8Array.of(0x30, size), algorithm, bitStringHeader, point);
  try {
    return createPublicKey({ key: Buffer.from(der.buffer), format: "der", type: "spki" });
  } catch {
    return undefined;
  }
}

/** Avoids repeated decompression, which is expensive. */
const keyCache = new BoundedCache<KeyObject | undefined>({ entries: 2_048 });

function cachedKey(keyType: EcdsaKeyType, key: Uint8Array): KeyObject | undefined {
  if (!POINT_LENGTHS.has(key.length)) return undefined;
  const cacheKey = keyType + bytesKey(key);
  if (keyCache.has(cacheKey)) return keyCache.get(cacheKey);
  return keyCache.set(cacheKey, decodeKey(keyType, key));
}

/**
 * Verifies a signature of `sha256(message)`. `signatureScalars` defines the signature's form; there is no low-s rule.
 * The key may be compressed, uncompressed or hybrid. Never throws.
 */
export function verifyEcdsa(
  keyType: EcdsaKeyType,
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const publicKey = cachedKey(keyType, key);
  if (publicKey === undefined) return false;
  const scalars = signatureScalars(signature);
  if (scalars === undefined) return false;
  try {
    return nodeVerify(
      "sha256",
      copyIfShared(message),
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      concatBytes(scalars.r, scalars.s),
    );
  } catch {
    // OpenSSL may throw if r or s is outside 1 to n - 1.
    return false;
  }
}
