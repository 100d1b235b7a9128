import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasVectors, loadVectors, vectorsPath } from "../../test/vectors.ts";
import { decodeBase58, encodeBase58 } from "../bytes/base58.ts";
import { encodeHex } from "../bytes/hex.ts";
import { addressText } from "../crypto/addresses.ts";
import { createWalletFile, openWallet, type WalletSettings } from "./open.ts";
import {
  decryptReferenceWallet,
  parseReferenceWallet,
  ReferenceWalletError,
  referenceKey,
} from "./reference.ts";

interface WalletAccountsVector {
  kind: "wallet-accounts";
  description: string;
  seedBase58: string;
  accounts: { nonce: number; accountSeedBase58: string; publicKeyBase58: string; address: string }[];
  listedOrder: string[];
}

interface WalletFileVector {
  kind: "wallet-file";
  description: string;
  password: string;
  plaintext: string;
  keyHex: string;
  file: string;
}

const T = "T".charCodeAt(0);
const cost = { passes: 1, memory: 8_192 };
const present = hasVectors("crypto.json");
const vectors = present ? loadVectors<({ kind: string } & object)[]>("crypto.json") : [];
const walletAccounts = vectors.filter((one) => one.kind === "wallet-accounts") as WalletAccountsVector[];
const walletFiles = vectors.filter((one) => one.kind === "wallet-file") as WalletFileVector[];

const settingsOf = (file: string, seed?: Uint8Array): WalletSettings => ({
  wallet: { file, seed: seed && { reveal: () => seed } },
  profile: { name: "custom", chainId: T },
});

describe.skipIf(!present)(`wallets of ${vectorsPath("crypto.json")}`, () => {
  for (const [kind, cases] of [
    ["wallet-accounts", walletAccounts],
    ["wallet-file", walletFiles],
  ] as const) {
    if (present && cases.length === 0) test.skip(`${kind}: no such vectors`, () => {});
  }

  test.each(walletAccounts)("$kind: $description", async (vector) => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-wallet-"));
    try {
      const path = join(folder, "w");
      const wallet = await openWallet(settingsOf(path, decodeBase58(vector.seedBase58, 1_000)), { cost });
      for (let i = 1; i < vector.accounts.length; i++) await wallet.addAccount();
      const byAge = wallet.accountsByAge();
      expect(byAge.map((account) => addressText(account.address))).toEqual(
        vector.accounts.map((account) => account.address),
      );
      expect(byAge.map((account) => encodeBase58(account.publicKey))).toEqual(
        vector.accounts.map((account) => account.publicKeyBase58),
      );
      expect(wallet.accounts().map((account) => addressText(account.address))).toEqual(vector.listedOrder);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each(walletFiles)("$kind: $description", async (vector) => {
    const key = await referenceKey(vector.password);
    expect(encodeHex(key)).toBe(vector.keyHex);
    expect(decryptReferenceWallet(vector.file, key)).toBe(vector.plaintext);
    const data = parseReferenceWallet(vector.file, key);
    const json = JSON.parse(vector.plaintext);
    expect(encodeBase58(data.seed)).toBe(json.seed);
    expect(data.accountSeeds.map(encodeBase58).sort()).toEqual([...json.accountSeeds].sort());
    expect(data.nonce).toBe(json.nonce);
    expect(data.accountSeed && encodeBase58(data.accountSeed)).toBe(json.accountSeed);
    // Valid Base64 but another cipher text: the padding or the JSON is invalid.
    const damaged = `${vector.file.slice(0, -8)}AAAAAAA=`;
    expect(() => parseReferenceWallet(damaged, key)).toThrow(ReferenceWalletError);
  });

  test.skipIf(walletAccounts.length === 0 || walletFiles.length === 0)(
    "a converted wallet has the same accounts, the first one made being the oldest",
    async () => {
      const vector = walletFiles.find((one) => JSON.parse(one.plaintext).accountSeeds.length > 1);
      expect(vector).toBeDefined();
      if (vector === undefined) return;
      const folder = await mkdtemp(join(tmpdir(), "holdfast-wallet-"));
      try {
        const data = parseReferenceWallet(vector.file, await referenceKey(vector.password));
        const wallet = await createWalletFile(data, settingsOf(join(folder, "w")), cost);
        const accounts = walletAccounts[0].accounts;
        expect(wallet.accountsByAge().map((account) => addressText(account.address))).toEqual([
          accounts[0].address,
          accounts[1].address,
        ]);
        expect(addressText((await wallet.addAccount()).address)).toBe(accounts[2].address);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );
});
