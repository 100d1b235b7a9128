/** Checks every entry of `crypto.json`: encodings, hashes, keys, addresses, signatures. Page 01. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { expectKnown, hasVectors, loadVectors } from "../../test/vectors.ts";
import { base58Length, decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import { decodeBase64, encodeBase64 } from "../bytes/base64.ts";
import { concatBytes } from "../bytes/compare.ts";
import { DecodeError } from "../bytes/errors.ts";
import { decodeHex, encodeHex } from "../bytes/hex.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import {
  concurrentMapOrder,
  hashBytes,
  hashString,
  immutableMapEntries,
  mixScalaHash,
  trieSort,
} from "../collections/hash-trie.ts";
import { addressOf, addressText, InvalidAddressError, parseAddress, ShortAddressError } from "./addresses.ts";
import { certificateKey, compressedCertificatePoint } from "./certificates.ts";
import type { EcdsaKeyType } from "./ecdsa-form.ts";
import { fastHash, keccak256, secureHash, sha256 } from "./hashes.ts";
import { type KeyType, keyTypeByName } from "./key-types.ts";
import { parsePublicKey } from "./public-keys.ts";
import { accountSeed, keyPairFromAccountSeed } from "./seeds.ts";
import { sign, verify } from "./signatures.ts";
import { ecdsaPublicKey } from "./testing/ecdsa-public-key.ts";

interface Entry {
  readonly kind: string;
  readonly description: string;
  // Members depend on the kind.
  readonly [member: string]: unknown;
}

/** Returns a member as text; throws if it is missing. */
function text(entry: Entry, name: string): string {
  const value = entry[name];
  if (typeof value !== "string") throw new Error(`${entry.kind}: member ${name} is no text`);
  return value;
}

function hex(entry: Entry, name: string): Uint8Array {
  return decodeHex(text(entry, name));
}

function base58(entry: Entry, name: string): Uint8Array {
  return decodeBase58(text(entry, name), 1_000);
}

function expectAddresses(entry: Entry, publicKey: Uint8Array): void {
  const addresses = Object.entries(entry.addresses as Record<string, string>);
  expect(addresses.length).toBeGreaterThan(0);
  for (const [chain, address] of addresses) {
    expect(addressText(addressOf(publicKey, chain.charCodeAt(0)))).toBe(address);
    expect(encodeBase58(parseAddress(address, chain.charCodeAt(0)))).toBe(address);
  }
}

function expectKeys(entry: Entry, seed: Uint8Array): void {
  const pair = keyPairFromAccountSeed(seed);
  expect(encodeBase58(pair.privateKey.subarray(0, 32))).toBe(entry.ed25519SeedBase58);
  expect(encodeBase58(pair.privateKey)).toBe(entry.privateKeyBase58);
  expect(encodeBase58(pair.publicKey)).toBe(entry.publicKeyBase58);
  expectAddresses(entry, pair.publicKey);
}

function expectEcdsaKey(entry: Entry, keyType: EcdsaKeyType): void {
  const publicKey = ecdsaPublicKey(keyType, base58(entry, "privateKeyBase58"));
  expect(encodeBase58(publicKey)).toBe(entry.publicKeyBase58);
  expectAddresses(entry, publicKey);
}

function expectVerdict(entry: Entry, keyType: KeyType): void {
  // What makes the reference throw is not valid either (page 01 §7.5).
  if (entry.throws !== undefined) expect(entry.valid).toBe(false);
  const key = { keyType, bytes: hex(entry, "publicKeyHex") };
  const message = hex(entry, "messageHex");
  const signature = hex(entry, "signatureHex");
  expect(verify(key, message, signature)).toBe(entry.valid);
  // Shared memory must not change the result.
  const shared = new Uint8Array(new SharedArrayBuffer(signature.length));
  shared.set(signature);
  expect(verify(key, message, shared)).toBe(entry.valid);
}

/** Sorts a list with `trieSort` and checks its mixed hashes. */
function expectTrieOrder<T>(entry: Entry, items: readonly T[], hash: (item: T) => number): T[] {
  expect(items.map(hash)).toEqual(entry.javaHash);
  if (entry.improved !== undefined)
    expect(items.map((item) => mixScalaHash(hash(item)))).toEqual(entry.improved);
  return trieSort(items, (item) => mixScalaHash(hash(item)));
}

const checks: Record<string, (entry: Entry) => void> = {
  base58(entry) {
    expect(encodeBase58(hex(entry, "hex"))).toBe(entry.base58);
    expect(encodeHex(base58(entry, "base58"))).toBe(entry.hex);
  },
  "base58-error"(entry) {
    expect(() => base58(entry, "input")).toThrow(new DecodeError(text(entry, "message")));
  },
  "base58-length"(entry) {
    const table = Object.entries(entry.table as Record<string, number>);
    expect(table.length).toBeGreaterThan(0);
    for (const [bytes, length] of table) expect(base58Length(Number(bytes))).toBe(length);
  },
  "base64-decode"(entry) {
    if (entry.error === undefined) {
      const bytes = decodeBase64(text(entry, "input"));
      expect(encodeHex(bytes)).toBe(entry.outputHex);
      expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
    } else expect(() => decodeBase64(text(entry, "input"))).toThrow(new DecodeError(text(entry, "error")));
  },
  hash(entry) {
    const input = encodeUtf8(text(entry, "input"));
    expect(encodeHex(fastHash(input))).toBe(entry.blake2b256Hex);
    expect(encodeHex(sha256(input))).toBe(entry.sha256Hex);
    expect(encodeHex(secureHash(input))).toBe(entry.secureHashHex);
    expect(encodeHex(keccak256(input))).toBe(entry.keccak256Hex);
    expect(encodeBase58(fastHash(input))).toBe(entry.fastHashBase58);
    expect(encodeBase58(secureHash(input))).toBe(entry.secureHashBase58);
  },
  "api-key-hash"(entry) {
    expect(encodeBase58(secureHash(encodeUtf8(text(entry, "apiKey"))))).toBe(entry.hashBase58);
  },
  "account-ed25519"(entry) {
    const seed = encodeUtf8(text(entry, "seedText"));
    expect(encodeBase58(seed)).toBe(entry.seedBase58);
    // Only clients have byte nonces; the node uses the same preimage.
    const account =
      typeof entry.nonce === "number"
        ? accountSeed(seed, entry.nonce)
        : secureHash(concatBytes(decodeHex((entry.nonce as { bytesHex: string }).bytesHex), seed));
    expect(encodeBase58(account)).toBe(entry.accountSeedBase58);
    expect(account).toEqual(secureHash(hex(entry, "preimageHex")));
    expectKeys(entry, account);
  },
  "account-seed-ed25519": (entry) => expectKeys(entry, base58(entry, "accountSeedBase58")),
  // Mnemonics exist only in clients; the node gets the derived keys.
  "account-secp256k1-client": (entry) => expectEcdsaKey(entry, "secp256k1"),
  "account-secp256r1": (entry) => expectEcdsaKey(entry, "secp256r1"),
  address: (entry) => expectAddresses(entry, base58(entry, "publicKeyBase58")),
  "address-validation"(entry) {
    const parse = () => parseAddress(text(entry, "input"), text(entry, "chainId").charCodeAt(0));
    if (entry.valid === true)
      expect(encodeBase58(parse())).toBe(text(entry, "input").replace("address:", ""));
    else if (entry.throws !== undefined) expect(parse).toThrow(new ShortAddressError());
    else {
      expect(parse).toThrow(new InvalidAddressError(text(entry, "reason")));
      expect(parse).not.toThrow(ShortAddressError);
    }
  },
  "public-key-text"(entry) {
    const parse = () => parsePublicKey(text(entry, "input"), text(entry, "keyType"));
    if (entry.valid === true) {
      const key = parse();
      expect(key.keyType).toBe(keyTypeByName(text(entry, "keyType")).name);
      expect(encodeHex(key.bytes)).toBe(entry.publicKeyHex);
      expect(addressText(addressOf(key.bytes, 84))).toBe(entry.address);
      // Keys of a wrong length exist. No signature fits them, and nothing throws.
      expect(verify(key, new Uint8Array(1), new Uint8Array(64))).toBe(false);
    } else {
      const reason = /^InvalidAddress\((.*)\)$/.exec(text(entry, "error"))?.[1];
      expect(parse).toThrow(new InvalidAddressError(reason));
    }
  },
  "wallet-accounts"(entry) {
    const seed = base58(entry, "seedBase58");
    type Account = { nonce: number; accountSeedBase58: string; publicKeyBase58: string; address: string };
    const accounts = entry.accounts as Account[];
    for (const account of accounts) {
      const own = accountSeed(seed, account.nonce);
      expect(encodeBase58(own)).toBe(account.accountSeedBase58);
      const { publicKey } = keyPairFromAccountSeed(own);
      expect(encodeBase58(publicKey)).toBe(account.publicKeyBase58);
      expect(addressText(addressOf(publicKey, 84))).toBe(account.address);
    }
    const addresses = accounts.map(({ address }) => address);
    expect(concurrentMapOrder(addresses, (address) => address)).toEqual(entry.listedOrder);
  },
  "hash-trie-order"(entry) {
    if (entry.five !== undefined) {
      expect(trieSort([1, 2, 3, 4, 5], mixScalaHash)).toEqual(entry.five);
      expect(trieSort([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], mixScalaHash)).toEqual(entry.ten);
    } else if (entry.keys !== undefined) {
      expect(expectTrieOrder(entry, entry.keys as string[], hashString)).toEqual(entry.order);
    } else {
      const keys = (entry.keysHex as string[]).map(decodeHex);
      expect(expectTrieOrder(entry, keys, hashBytes).map(encodeHex)).toEqual(entry.orderHex);
      const listed = immutableMapEntries(keys.map((key) => [key, 0]));
      expect(listed.map(([key]) => encodeHex(key))).toEqual(entry.orderHex);
    }
  },
  "message-signature"(entry) {
    const message = encodeUtf8(text(entry, "message"));
    expect(encodeBase58(message)).toBe(entry.messageBase58);
    const pair = keyPairFromAccountSeed(accountSeed(encodeUtf8("test"), 0));
    expect(encodeBase58(pair.publicKey)).toBe(entry.publicKeyBase58);
    expect(addressText(addressOf(pair.publicKey, 84))).toBe(entry.address);
    const signature = sign(pair, message);
    expect(encodeBase58(signature)).toBe(entry.signatureBase58);
    expect(verify({ keyType: "ed25519", bytes: pair.publicKey }, message, signature)).toBe(true);
  },
  "ed25519-verify": (entry) => expectVerdict(entry, "ed25519"),
  "ecdsa-verify": (entry) => expectVerdict(entry, entry.keyType as KeyType),
  "certificate-key"(entry) {
    expect(certificateKey(hex(entry, "derHex"))).toEqual({
      ok: true,
      value: { keyType: entry.keyType, bytes: base58(entry, "publicKeyBase58") },
    });
  },
  "certificate-key-quirk"(entry) {
    const scalar = new Uint8Array(32);
    new DataView(scalar.buffer).setUint32(28, Number(entry.scalar));
    const real = ecdsaPublicKey("secp256r1", scalar);
    expect(encodeHex(real)).toBe(entry.realCompressedHex);
    const derived = compressedCertificatePoint(real.subarray(1), (real[0] & 1) === 1);
    expect(encodeHex(derived)).toBe(entry.referenceDerivesHex);
  },
  "utf8-decode-reencode"(entry) {
    expect(encodeHex(encodeUtf8(decodeUtf8(hex(entry, "inputHex"))))).toBe(entry.outputHex);
  },
  "utf8-encode"(entry) {
    expect(encodeHex(encodeUtf8(JSON.parse(text(entry, "jsonText"))))).toBe(entry.outputHex);
  },
  "client-message"(entry) {
    const signed = hex(entry, "binaryHex");
    const binary = signed.subarray(0, -64);
    expect(encodeBase58(signed.subarray(-64))).toBe(entry.signatureBase58);
    expect(encodeBase58(createHash("sha256").update(binary).digest())).toBe(entry.hashBase58);
    const pair = keyPairFromAccountSeed(
      accountSeed(encodeUtf8(text(entry, "senderSeed")), entry.senderNonce as number),
    );
    expect(encodeBase58(sign(pair, binary))).toBe(entry.signatureBase58);
  },
};

/** Kinds that tests of other folders check. */
const elsewhere = ["wallet-file"];

describe("crypto.json", () => {
  if (!hasVectors("crypto.json")) {
    test.skip("crypto.json is absent");
    return;
  }
  const entries = loadVectors<Entry[]>("crypto.json");

  test("has only entries of known kinds", () => {
    expect(entries.length).toBeGreaterThan(0);
    expectKnown(
      new Set(entries.map(({ kind }) => kind)),
      [...Object.keys(checks), ...elsewhere],
      "crypto.json",
    );
  });

  for (const [kind, check] of Object.entries(checks)) {
    const own = entries.filter((entry) => entry.kind === kind);
    if (own.length === 0) test.skip(`${kind}: absent`);
    else {
      describe(kind, () => {
        for (const [i, entry] of own.entries()) test(`${i + 1}: ${entry.description}`, () => check(entry));
      });
    }
  }
});
