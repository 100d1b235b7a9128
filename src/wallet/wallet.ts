/**
 * The node's own keys: what the rest of the node sees of them. Page 01 §9.
 *
 * Accounts are ed25519 and derived from the wallet's seed by a nonce that never goes back. Every change is on
 * the disk before its promise resolves; reading is synchronous.
 */

import type { WalletAccount } from "../control/index.ts";
import type { KeyPair } from "../crypto/signatures.ts";

export interface Wallet {
  /** Whether the wallet holds one fixed account: nothing can be added or deleted. Page 01 §9.5. */
  readonly accountBased: boolean;

  /** In the order of the reference's list: trie order over the address texts (page 01 §13), not by age. */
  accounts(): readonly WalletAccount[];

  /** Oldest first, in the order of creation. */
  accountsByAge(): readonly WalletAccount[];

  /** The account that was made first of those that are there: the payer of `POST /hash`, root of trust. */
  oldest(): WalletAccount | undefined;

  /** Whether the address (26 bytes) belongs to the wallet. */
  has(address: Uint8Array): boolean;

  /**
   * The keys of an account, for signing. The private key is the wallet's own memory: do not keep, copy or
   * change it; it is wiped when the account is deleted or the wallet closed.
   * @throws NoPrivateKeyError when the address is not in the wallet
   */
  keyPair(address: Uint8Array): KeyPair;

  /**
   * Signs the bytes as they are: no prefix, no hashing (page 01 §10).
   * @returns 64 bytes
   * @throws NoPrivateKeyError
   */
  sign(address: Uint8Array, message: Uint8Array): Uint8Array;

  /**
   * Makes the account of the next nonce and stores it.
   * @throws AccountBasedWalletError
   * @throws AccountExistsError when that account is there already; the nonce stays advanced in memory
   * @throws WalletFileError when it cannot be written; the wallet is as before
   */
  addAccount(): Promise<WalletAccount>;

  /**
   * Removes an account; the last one too. Its nonce is not used again.
   * @throws AccountBasedWalletError
   * @throws NoPrivateKeyError when it is not in the wallet; checked before the kind of wallet (page 06 §7.8)
   * @throws WalletFileError when it cannot be written; the wallet is as before
   */
  deleteAccount(address: Uint8Array): Promise<void>;

  /**
   * A copy of the seed, to be shown to the owner: only `holdfast wallet seed` asks for it.
   * @throws AccountBasedWalletError
   */
  seed(): Uint8Array;

  /** Waits for changes under way and wipes all secrets. The wallet cannot be used afterwards. */
  close(): Promise<void>;
}
