import { createCipheriv } from "node:crypto";
import { expect, test } from "vitest";
import { encodeBase58 } from "../bytes/base58.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { accountSeed } from "../crypto/seeds.ts";
import {
  DEFAULT_REFERENCE_PASSWORD,
  parseReferenceWallet,
  ReferenceWalletError,
  referenceKey,
} from "./reference.ts";

const seed = encodeUtf8("root");
const key = await referenceKey(DEFAULT_REFERENCE_PASSWORD);

/** A `wallet.dat` as the reference writes it. */
function walletDat(content: unknown): string {
  const cipher = createCipheriv("aes-128-ecb", key, null);
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return Buffer.concat([cipher.update(text, "utf8"), cipher.final()]).toString("base64");
}

const seedOf = (nonce: number) => encodeBase58(accountSeed(seed, nonce));

test("sorts accounts by nonce; foreign seeds come last", () => {
  const stranger = encodeBase58(new Uint8Array(32).fill(7));
  const file = walletDat({
    seed: encodeBase58(seed),
    accountSeeds: [stranger, seedOf(5), seedOf(0), seedOf(3)],
    nonce: 6,
  });
  const data = parseReferenceWallet(`${file}\n`, key);
  expect(data.accountSeeds.map(encodeBase58)).toEqual([seedOf(0), seedOf(3), seedOf(5), stranger]);
  expect(data.nonce).toBe(6);
});

test.each([
  ["no object", "[1]"],
  ["no JSON", "{"],
  ["no list", { seed: "", nonce: 0 }],
  ["a seed that is not Base58", { seed: "0", accountSeeds: [], nonce: 0 }],
  ["an account seed that is not text", { seed: "", accountSeeds: [1], nonce: 0 }],
  ["a nonce below zero", { seed: "", accountSeeds: [], nonce: -1 }],
  ["a nonce that is not a whole number", { seed: "", accountSeeds: [], nonce: 1.5 }],
  ["a nonce beyond 32 bits", { seed: "", accountSeeds: [], nonce: 2 ** 31 }],
])("refuses %s", (_, content) => {
  expect(() => parseReferenceWallet(walletDat(content), key)).toThrow(ReferenceWalletError);
});

test.each(["", "not base64!", "AAAA"])("refuses the file text %j", (text) => {
  expect(() => parseReferenceWallet(text, key)).toThrow(ReferenceWalletError);
});
