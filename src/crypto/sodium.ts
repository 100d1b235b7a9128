/**
 * libsodium functions, typed for `Uint8Array` and safe with shared memory. Only this file imports `sodium-native` for
 * hashing or signing.
 */
import { createRequire } from "node:module";

// `import` would analyse the exports, which is slow.
const native: unknown = createRequire(import.meta.url)("sodium-native");

/** The published types require `Buffer`, but any `Uint8Array` works. */
interface Sodium {
  crypto_generichash(digest: Uint8Array, message: Uint8Array): void;
  crypto_hash_sha256(digest: Uint8Array, message: Uint8Array): void;
  crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
  crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
  crypto_sign_ed25519_pk_to_curve25519(x25519Key: Uint8Array, publicKey: Uint8Array): void;
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
}

const sodium = native as Sodium;

/** Copies shared memory, for which `sodium-native` wrongly fails: verification returns false, hashing throws. */
export function copyIfShared(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof ArrayBuffer ? bytes : Uint8Array.from(bytes);
}

/** libsodium writes results here; callers get copies. */
const scratch = new Uint8Array(32);

export function blake2b256(message: Uint8Array): Uint8Array {
  sodium.crypto_generichash(scratch, copyIfShared(message));
  return scratch.slice();
}

const innerHash = new Uint8Array(32);

/** SHA-256 of BLAKE2b-256. @param digest 32 bytes for the result */
export function sodiumDoubleHash(message: Uint8Array, digest: Uint8Array = new Uint8Array(32)): Uint8Array {
  sodium.crypto_generichash(innerHash, copyIfShared(message));
  sodium.crypto_hash_sha256(digest, innerHash);
  return digest;
}

export function sodiumSha256(message: Uint8Array): Uint8Array {
  sodium.crypto_hash_sha256(scratch, copyIfShared(message));
  return scratch.slice();
}

/** @param seed 32 bytes (RFC 8032); the secret key is seed ‖ public key */
export function ed25519KeyPair(seed: Uint8Array): { publicKey: Uint8Array; secretKey: Uint8Array } {
  const publicKey = new Uint8Array(32);
  const secretKey = new Uint8Array(64);
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, seed);
  return { publicKey, secretKey };
}

/** @param secretKey 64 bytes */
export function ed25519Sign(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  const signature = new Uint8Array(64);
  sodium.crypto_sign_detached(signature, copyIfShared(message), secretKey);
  return signature;
}

/**
 * Returns true if libsodium accepts the signature (64 bytes) for the key (32 bytes). Unlike the protocol, it rejects
 * points of small order.
 */
export function sodiumVerify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return sodium.crypto_sign_verify_detached(
    copyIfShared(signature),
    copyIfShared(message),
    copyIfShared(publicKey),
  );
}

/**
 * Converts an ed25519 key.
 * @returns 32 bytes; undefined if the key is not a point or is outside the main subgroup
 */
export function sodiumToX25519(publicKey: Uint8Array): Uint8Array | undefined {
  try {
    sodium.crypto_sign_ed25519_pk_to_curve25519(scratch, copyIfShared(publicKey));
  } catch {
    return undefined;
  }
  return scratch.slice();
}
