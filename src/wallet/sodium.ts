import native from "sodium-native";

interface Sodium {
  readonly crypto_pwhash_ALG_ARGON2ID13: number;
  sodium_malloc(size: number): Uint8Array;
  sodium_memzero(bytes: Uint8Array): void;
  randombytes_buf(bytes: Uint8Array): void;
  crypto_pwhash_async(
    key: Uint8Array,
    password: Uint8Array,
    salt: Uint8Array,
    operations: number,
    memory: number,
    algorithm: number,
    done: (error: Error | null | undefined) => void,
  ): void;
  crypto_aead_xchacha20poly1305_ietf_encrypt(
    ciphertext: Uint8Array,
    message: Uint8Array,
    additional: Uint8Array | null,
    secretNonce: null,
    nonce: Uint8Array,
    key: Uint8Array,
  ): number;
  crypto_aead_xchacha20poly1305_ietf_decrypt(
    message: Uint8Array,
    secretNonce: null,
    ciphertext: Uint8Array,
    additional: Uint8Array | null,
    nonce: Uint8Array,
    key: Uint8Array,
  ): number;
}

const sodium = native as unknown as Sodium;

export const SALT_LENGTH = 16;
const KEY_LENGTH = 32;
export const NONCE_LENGTH = 24;
export const TAG_LENGTH = 16;

/** Allocates memory that is never swapped or dumped, has guard pages, and is wiped when it is garbage-collected. */
export function secureBytes(length: number): Uint8Array {
  return sodium.sodium_malloc(length);
}

export function wipe(bytes: Uint8Array): void {
  if (bytes.length > 0) sodium.sodium_memzero(bytes);
}

export function secretRandom(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  if (length > 0) sodium.randombytes_buf(bytes);
  return bytes;
}

/**
 * Derives a key with Argon2id 1.3 in the thread pool.
 * @param operations passes over the memory
 * @param memory bytes
 * @returns 32 bytes of secure memory
 */
export async function passwordKey(
  password: Uint8Array,
  salt: Uint8Array,
  operations: number,
  memory: number,
): Promise<Uint8Array> {
  const key = secureBytes(KEY_LENGTH);
  await new Promise<void>((resolve, reject) => {
    sodium.crypto_pwhash_async(
      key,
      password,
      salt,
      operations,
      memory,
      sodium.crypto_pwhash_ALG_ARGON2ID13,
      (error) => (error ? reject(error) : resolve()),
    );
  });
  return key;
}

/** Encrypts with XChaCha20-Poly1305 and appends the tag (16 bytes). `header` is authenticated, not encrypted. */
export function seal(
  message: Uint8Array,
  header: Uint8Array,
  nonce: Uint8Array,
  key: Uint8Array,
): Uint8Array {
  const ciphertext = new Uint8Array(message.length + TAG_LENGTH);
  sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(ciphertext, message, header, null, nonce, key);
  return ciphertext;
}

/** Decrypts into secure memory. Returns undefined if key, header and ciphertext do not match. */
export function unseal(
  ciphertext: Uint8Array,
  header: Uint8Array,
  nonce: Uint8Array,
  key: Uint8Array,
): Uint8Array | undefined {
  if (ciphertext.length < TAG_LENGTH) return undefined;
  const message = secureBytes(ciphertext.length - TAG_LENGTH);
  try {
    sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(message, null, ciphertext, header, nonce, key);
  } catch {
    // The binding throws an untyped error for a wrong tag.
    return undefined;
  }
  return message;
}
