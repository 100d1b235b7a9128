/**
 * The wallet as the node sees it. Page 01 §9.
 *
 * Accounts are ed25519 and derived from the wallet's seed with a nonce that only increases. A change is on disk
 * before its promise resolves; reading is synchronous.
 */

import type { WalletAccount } from "../control/index.ts";
import type { KeyPair } from "../crypto/signatures.ts";

export interface Wallet {
  /** True if the wallet holds one fixed account, which cannot be changed. Page 01 §9.5. */
  readonly accountBased: boolean;

  /** In the order of the reference: trie order of the address texts (page 01 §13), not by age. */
  accounts(): readonly WalletAccount[];

  /** Oldest first. */
  accountsByAge(): readonly WalletAccount[];

  /** Returns the oldest account: the payer of `POST /hash` and root of trust. */
  oldest(): WalletAccount | undefined;

  /** Returns true if the address (26 bytes) belongs to the wallet. */
  has(address: Uint8Array): boolean;

  /**
   * Returns the keys of an account. The private key is the wallet's own memory: do not keep, copy or change it. It is
   * wiped when the account is deleted or the wallet closed.
   * @throws NoPrivateKeyError if the address is not in the wallet
   */
  keyPair(address: Uint8Array): KeyPair;

  /**
   * Signs the bytes without prefix or hashing (page 01 §10).
   * @returns 64 bytes
   * @throws NoPrivateKeyError
   */
  sign(address: Uint8Array, message: Uint8Array): Uint8Array;

  /**
   * Creates and stores the account of the next nonce.
   * @throws AccountBasedWalletError
   * @throws AccountExistsError if the account exists; the nonce stays advanced in memory
   * @throws WalletFileError if it cannot be written; the wallet is unchanged then
   */
  addAccount(): Promise<WalletAccount>;

  /**
   * Removes an account, even the last one. Its nonce is not used again.
   * @throws AccountBasedWalletError
   * @throws NoPrivateKeyError if it is not in the wallet; checked before the kind of wallet (page 06 §7.8)
   * @throws WalletFileError if it cannot be written; the wallet is unchanged then
   */
  deleteAccount(address: Uint8Array): Promise<void>;

  /**
   * Returns a copy of the seed for its owner; only `holdfast wallet seed` uses it.
   * @throws AccountBasedWalletError
   */
  seed(): Uint8Array;

  /** Waits for running changes and wipes all secrets. The wallet cannot be used afterwards. */
  close(): Promise<void>;
}
