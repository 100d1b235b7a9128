/** Page 01 §7.2. */
import { createPublicKey, verify as nodeVerify } from "node:crypto";
import { decodeHex } from "../bytes/hex.ts";
import { copyIfShared, sodiumVerify } from "./sodium.ts";

const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;

/** DER of an Ed25519 SubjectPublicKeyInfo, up to the key. */
const SPKI_PREFIX = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);

function hasMiddleBytes(key: Uint8Array, value: number): boolean {
  for (let i = 1; i < 31; i++) if (key[i] !== value) return false;
  return true;
}

/**
 * Returns true for keys that the reference rejects and OpenSSL accepts: y ≥ p = 2^255 - 19, or x = 0 (y is 1 or p - 1)
 * with the sign bit set.
 */
function isRefusedKey(key: Uint8Array): boolean {
  const high = key[31];
  // All higher bytes equal those of p, so the lowest byte decides if y ≥ p - 1.
  if ((high & 0x7f) === 0x7f && hasMiddleBytes(key, 0xff)) {
    return key[0] >= 0xed || (key[0] === 0xec && high === 0xff);
  }
  return high === 0x80 && key[0] === 1 && hasMiddleBytes(key, 0);
}

/** Little-endian y of the eight points of small order. Two points share each y except 1 and p - 1. */
const SMALL_ORDER_Y = [
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
].map(decodeHex);

/**
 * Returns true if the first 32 bytes are a point of small order; ignores the sign bit. A signature by such a key is
 * valid for many messages.
 */
export function isSmallOrder(bytes: Uint8Array): boolean {
  return SMALL_ORDER_Y.some((y) => {
    for (let i = 0; i < 31; i++) if (bytes[i] !== y[i]) return false;
    return (bytes[31] & 0x7f) === y[31];
  });
}

/** Like the reference, verifies without the cofactor. */
function verifyWithOpenssl(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (isRefusedKey(key)) return false;
  const der = new Uint8Array(SPKI_PREFIX.length + KEY_LENGTH);
  der.set(SPKI_PREFIX);
  der.set(key, SPKI_PREFIX.length);
  try {
    const publicKey = createPublicKey({ key: Buffer.from(der.buffer), format: "der", type: "spki" });
    return nodeVerify(null, copyIfShared(message), publicKey, copyIfShared(signature));
  } catch {
    // OpenSSL throws for some invalid points.
    return false;
  }
}

/**
 * Never throws.
 *
 * libsodium is faster than OpenSSL and accepts only valid signatures, but rejects points of small order, which the
 * protocol accepts. If the key or R (the signature's first half) is such a point, OpenSSL verifies again. Other
 * rejections are final.
 */
export function verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (key.length !== KEY_LENGTH || signature.length !== SIGNATURE_LENGTH) return false;
  if (sodiumVerify(key, message, signature)) return true;
  return (isSmallOrder(key) || isSmallOrder(signature)) && verifyWithOpenssl(key, message, signature);
}
