import { bytesEqual } from "../bytes/compare.ts";
import { concurrentMapOrder } from "../collections/hash-trie.ts";
import { addressOf, addressText } from "../crypto/addresses.ts";
import { type KeyPair, sign } from "../crypto/signatures.ts";
import { AccountBasedWalletError, NoPrivateKeyError } from "./errors.ts";
import type { Wallet } from "./wallet.ts";

/**
 * Returns a wallet that cannot change.
 * @param keyPairs oldest first; may be empty
 * @param chainId 0 to 255
 */
export function fixedWallet(keyPairs: readonly KeyPair[], chainId: number): Wallet {
  const accounts = keyPairs.map(({ keyType, publicKey }) => ({
    keyType,
    publicKey,
    address: addressOf(publicKey, chainId),
  }));
  const inReferenceOrder = concurrentMapOrder(accounts, ({ address }) => addressText(address));
  const indexOf = (address: Uint8Array): number =>
    accounts.findIndex((account) => bytesEqual(account.address, address));
  const keyPair = (address: Uint8Array): KeyPair => {
    const found = indexOf(address);
    if (found < 0) throw new NoPrivateKeyError();
    return keyPairs[found];
  };
  return {
    isAccountBased: true,
    accounts: () => inReferenceOrder,
    accountsByAge: () => accounts,
    oldest: () => accounts[0],
    has: (address) => indexOf(address) >= 0,
    keyPair,
    sign: (address, message) => sign(keyPair(address), message),
    addAccount: async () => {
      throw new AccountBasedWalletError();
    },
    deleteAccount: async (address) => {
      keyPair(address);
      throw new AccountBasedWalletError();
    },
    seed: () => {
      throw new AccountBasedWalletError();
    },
    close: async () => {},
  };
}
