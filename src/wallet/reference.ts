/** Imports the reference node's `wallet.dat`. Page 01 §9.4. */
import { createDecipheriv, pbkdf2 } from "node:crypto";
import { decodeBase58 } from "../bytes/base58.ts";
import { decodeBase64 } from "../bytes/base64.ts";
import { bytesKey } from "../bytes/compare.ts";
import { DecodeError } from "../bytes/errors.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import { accountSeed } from "../crypto/seeds.ts";
import { MAX_NONCE, type WalletData } from "./data.ts";
import { WalletError } from "./errors.ts";

export const DEFAULT_REFERENCE_PASSWORD = "some string as password";

const SALT = encodeUtf8("0495c728-1614-41f6-8ac3-966c22b4a62d");
const ITERATIONS = 999_999;
/** Accounts with higher nonces are not sorted. */
const MAX_NONCE_LOOKUP = 1_000_000;

const MAX_SEED_TEXT = 65_536;

export class ReferenceWalletError extends WalletError {}

/** Takes about a second in the thread pool. */
export function referenceKey(password: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    pbkdf2(encodeUtf8(password), SALT, ITERATIONS, 16, "sha512", (error, key) =>
      error === null ? resolve(new Uint8Array(key)) : reject(error),
    );
  });
}

/** Returns JSON text; undefined if the key is wrong. */
export function decryptReferenceWallet(fileText: string, key: Uint8Array): string | undefined {
  try {
    // Editors may append a line break, which the reference rejects.
    const ciphertext = decodeBase64(fileText.trimEnd());
    const cipher = createDecipheriv("aes-128-ecb", key, null);
    const plain = Buffer.concat([cipher.update(ciphertext), cipher.final()]);
    return decodeUtf8(plain);
  } catch {
    // Invalid Base64, length or padding: the key does not match.
    return undefined;
  }
}

function seedOf(value: unknown, name: string): Uint8Array {
  try {
    if (typeof value === "string") return decodeBase58(value, MAX_SEED_TEXT);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
  throw new ReferenceWalletError(`The wallet's "${name}" is not Base58`);
}

/** The file does not store the order of the account seeds. */
function sortByNonce(seeds: readonly Uint8Array[], seed: Uint8Array, nonce: number): Uint8Array[] {
  const unordered = new Map(seeds.map((bytes) => [bytesKey(bytes), bytes]));
  const ordered: Uint8Array[] = [];
  for (let n = 0; n <= Math.min(nonce, MAX_NONCE_LOOKUP) && unordered.size > 0; n++) {
    const name = bytesKey(accountSeed(seed, n));
    const found = unordered.get(name);
    if (found !== undefined) {
      ordered.push(found);
      unordered.delete(name);
    }
  }
  return [...ordered, ...unordered.values()];
}

/**
 * @param key from `referenceKey`
 * @throws ReferenceWalletError
 */
export function parseReferenceWallet(fileText: string, key: Uint8Array): WalletData {
  const text = decryptReferenceWallet(fileText, key);
  let json: unknown;
  try {
    json = JSON.parse(text ?? "");
  } catch {
    json = undefined;
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new ReferenceWalletError(
      "The file is not a wallet.dat of the reference node, or the password is wrong",
    );
  }
  const { seed, accountSeeds, nonce, accountSeed: fixed } = json as Record<string, unknown>;
  if (!Array.isArray(accountSeeds)) throw new ReferenceWalletError('The wallet has no "accountSeeds"');
  if (typeof nonce !== "number" || !Number.isInteger(nonce) || nonce < 0 || nonce > MAX_NONCE)
    throw new ReferenceWalletError(`The wallet's "nonce" is not a whole number from 0 to ${MAX_NONCE}`);
  const seedBytes = seedOf(seed, "seed");
  const seeds = accountSeeds.map((value) => seedOf(value, "accountSeeds"));
  return {
    seed: seedBytes,
    accountSeeds: sortByNonce(seeds, seedBytes, nonce),
    nonce,
    ...(fixed === undefined || fixed === null ? {} : { accountSeed: seedOf(fixed, "accountSeed") }),
  };
}
