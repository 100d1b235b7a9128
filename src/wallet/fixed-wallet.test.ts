import { expect, test } from "vitest";
import { verify } from "../crypto/signatures.ts";
import { keyPairOf } from "../testing/dev-node.ts";
import { AccountBasedWalletError, NoPrivateKeyError } from "./errors.ts";
import { fixedWallet } from "./fixed-wallet.ts";

const chainId = "T".charCodeAt(0);
const keyPairs = ["one", "two", "three"].map(keyPairOf);

test("signs with the given keys and refuses others", async () => {
  const wallet = fixedWallet(keyPairs, chainId);
  expect(wallet.accountsByAge().map(({ publicKey }) => publicKey)).toEqual(
    keyPairs.map(({ publicKey }) => publicKey),
  );
  expect(new Set(wallet.accounts())).toEqual(new Set(wallet.accountsByAge()));
  expect(wallet.oldest()).toBe(wallet.accountsByAge()[0]);
  const message = Uint8Array.of(1, 2, 3);
  for (const { address, keyType, publicKey: bytes } of wallet.accounts()) {
    expect(wallet.has(address)).toBe(true);
    expect(verify({ keyType, bytes }, message, wallet.sign(address, message))).toBe(true);
    await expect(wallet.deleteAccount(address)).rejects.toThrow(AccountBasedWalletError);
  }
  await expect(wallet.addAccount()).rejects.toThrow(AccountBasedWalletError);
  expect(() => wallet.seed()).toThrow(AccountBasedWalletError);
});

test("signs nothing without keys", async () => {
  const [first] = fixedWallet(keyPairs, chainId).accounts();
  const wallet = fixedWallet([], chainId);
  expect(wallet.accounts()).toEqual([]);
  expect(wallet.oldest()).toBeUndefined();
  expect(() => wallet.keyPair(first.address)).toThrow(NoPrivateKeyError);
  await expect(wallet.deleteAccount(first.address)).rejects.toThrow(NoPrivateKeyError);
});
