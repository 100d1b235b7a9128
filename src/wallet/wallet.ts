/** Ed25519 accounts are derived from the wallet's seed with an increasing nonce. Page 01 §9. */

import type { WalletAccount } from "../control/index.ts";
import type { KeyPair } from "../crypto/signatures.ts";

export interface Wallet {
  /** True if the wallet has one fixed account. Page 01 §9.5. */
  readonly isAccountBased: boolean;

  /** Returns the accounts in the reference's order: trie order of the address texts (page 01 §13), not by age. */
  accounts(): readonly WalletAccount[];

  accountsByAge(): readonly WalletAccount[];

  /** Returns the account that pays for `POST /hash` and is the default root of trust. */
  oldest(): WalletAccount | undefined;

  has(address: Uint8Array): boolean;

  /**
   * Returns keys in the wallet's own memory: do not keep, copy or change them. Deleting the account or closing the
   * wallet wipes the private key.
   * @throws NoPrivateKeyError if the address is not in the wallet
   */
  keyPair(address: Uint8Array): KeyPair;

  /** Signs without prefix or hashing (page 01 §10). Returns 64 bytes. @throws NoPrivateKeyError */
  sign(address: Uint8Array, message: Uint8Array): Uint8Array;

  /**
   * Creates and stores the account of the next nonce.
   * @throws AccountBasedWalletError
   * @throws AccountExistsError if the wallet has this account already; the nonce in memory has advanced anyway
   * @throws WalletFileError if the file cannot be written; the wallet is then unchanged
   */
  addAccount(): Promise<WalletAccount>;

  /**
   * Removes an account, even the last one. Its nonce is not reused.
   * @throws AccountBasedWalletError
   * @throws NoPrivateKeyError if the address is not in the wallet; checked first (page 06 §7.8)
   * @throws WalletFileError if the file cannot be written; the wallet is then unchanged
   */
  deleteAccount(address: Uint8Array): Promise<void>;

  /** Returns a copy of the seed, for `holdfast wallet seed` only. @throws AccountBasedWalletError */
  seed(): Uint8Array;

  /** Waits for running changes, then wipes all secrets. */
  close(): Promise<void>;
}
