/**
 * The few functions of libsodium that the node uses, typed for `Uint8Array`, and safe with shared memory.
 * Nothing else imports `sodium-native` for hashing or signing.
 */
import { createRequire } from "node:module";

/*
 * Not by `import`: the package is no module, and finding out what it exports by reading its text takes longer than
 * everything else that a thread does to start.
 */
const native: unknown = createRequire(import.meta.url)("sodium-native");

/** The published types ask for `Buffer` where any view does. */
interface Sodium {
  crypto_generichash(digest: Uint8Array, message: Uint8Array): void;
  crypto_hash_sha256(digest: Uint8Array, message: Uint8Array): void;
  crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
  crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
  crypto_sign_ed25519_pk_to_curve25519(x25519Key: Uint8Array, publicKey: Uint8Array): void;
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
}

const sodium = native as Sodium;

/**
 * The bytes, copied when they lie in shared memory: given such a view, the binding's verification answers
 * false without an error and its hash throws.
 */
export function copyIfShared(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof ArrayBuffer ? bytes : Uint8Array.from(bytes);
}

/**
 * Where the library writes digests; nothing keeps it. Results are copies: memory that native code has seen is dear to
 * make and to collect, more than the hash itself.
 */
const scratch = new Uint8Array(32);

/** BLAKE2b with a digest of 32 bytes. */
export function blake2b256(message: Uint8Array): Uint8Array {
  sodium.crypto_generichash(scratch, copyIfShared(message));
  return scratch.slice();
}

/** Inner digest of `sodiumDoubleHash`; nothing keeps it. */
const inner = new Uint8Array(32);

/**
 * SHA-256 of BLAKE2b-256.
 * @param digest 32 bytes that take the result; a new array unless given
 */
export function sodiumDoubleHash(message: Uint8Array, digest: Uint8Array = new Uint8Array(32)): Uint8Array {
  sodium.crypto_generichash(inner, copyIfShared(message));
  sodium.crypto_hash_sha256(digest, inner);
  return digest;
}

/** SHA-256. */
export function sodiumSha256(message: Uint8Array): Uint8Array {
  sodium.crypto_hash_sha256(scratch, copyIfShared(message));
  return scratch.slice();
}

/** The ed25519 key pair of an RFC 8032 seed of 32 bytes; the secret key is seed ‖ public key. */
export function ed25519KeyPair(seed: Uint8Array): { publicKey: Uint8Array; secretKey: Uint8Array } {
  const publicKey = new Uint8Array(32);
  const secretKey = new Uint8Array(64);
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, seed);
  return { publicKey, secretKey };
}

/** The ed25519 signature of a message under a secret key of 64 bytes. */
export function ed25519Sign(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  const signature = new Uint8Array(64);
  sodium.crypto_sign_detached(signature, copyIfShared(message), secretKey);
  return signature;
}

/**
 * Whether libsodium accepts. It is stricter than the protocol about points of small order, so a refusal is
 * not the last word. Lengths must be 64 and 32: the caller checks them.
 */
export function sodiumVerify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return sodium.crypto_sign_verify_detached(
    copyIfShared(signature),
    copyIfShared(message),
    copyIfShared(publicKey),
  );
}

/**
 * The X25519 form of an ed25519 public key.
 * @returns 32 bytes, or undefined for a key that the library does not take: no point, or one of another subgroup
 */
export function sodiumX25519(publicKey: Uint8Array): Uint8Array | undefined {
  try {
    sodium.crypto_sign_ed25519_pk_to_curve25519(scratch, copyIfShared(publicKey));
  } catch {
    // It says so by throwing, and there is nothing else that it could mean.
    return undefined;
  }
  return scratch.slice();
}
