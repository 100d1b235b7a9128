/** Wallet accounts in memory. Changes are stored before they become visible. Page 01 §9.5. */
import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { concurrentMapOrder } from "../collections/hash-trie.ts";
import type { WalletAccount } from "../control/index.ts";
import { addressOf, addressText } from "../crypto/addresses.ts";
import { accountSeed, keyPairFromAccountSeed } from "../crypto/seeds.ts";
import { type KeyPair, sign } from "../crypto/signatures.ts";
import { SecretArena } from "./arena.ts";
import { MAX_NONCE, type WalletData } from "./data.ts";
import { AccountBasedWalletError, AccountExistsError, NoPrivateKeyError, WalletError } from "./errors.ts";
import { wipe } from "./sodium.ts";
import type { Wallet } from "./wallet.ts";

interface AccountKeys {
  readonly account: WalletAccount;
  readonly accountSeed: Uint8Array;
  readonly keyPair: KeyPair;
}

/** Stores the data, and does not use it after the promise resolves. */
export type SaveWallet = (data: WalletData) => Promise<void>;

export class KeyWallet implements Wallet {
  readonly isAccountBased: boolean;
  readonly #arena = new SecretArena();
  readonly #chainId: number;
  readonly #save: SaveWallet;
  readonly #seedBytes: Uint8Array;
  readonly #fixedSeed: Uint8Array | undefined;
  /** By address, oldest first. */
  #keys = new Map<string, AccountKeys>();
  #nonce: number;
  #sortedAccounts: readonly WalletAccount[] | undefined;
  #changes: Promise<unknown> = Promise.resolve();
  #closed = false;

  /**
   * @param data copied; the caller wipes the original
   * @param chainId 0 to 255
   */
  constructor(data: WalletData, chainId: number, save: SaveWallet) {
    this.#chainId = chainId;
    this.#save = save;
    this.#nonce = data.nonce;
    this.#seedBytes = this.#arena.copy(data.seed);
    this.#fixedSeed = data.accountSeed === undefined ? undefined : this.#arena.copy(data.accountSeed);
    this.isAccountBased = this.#fixedSeed !== undefined;
    for (const seed of data.accountSeeds) {
      const keys = this.#derive(seed);
      const name = bytesKey(keys.account.address);
      if (this.#keys.has(name)) this.#wipeKeys(keys);
      else this.#keys.set(name, keys);
    }
  }

  accounts(): readonly WalletAccount[] {
    this.#sortedAccounts ??= concurrentMapOrder(this.accountsByAge(), (account) =>
      addressText(account.address),
    );
    return this.#sortedAccounts;
  }

  accountsByAge(): readonly WalletAccount[] {
    return [...this.#keys.values()].map((keys) => keys.account);
  }

  oldest(): WalletAccount | undefined {
    for (const keys of this.#keys.values()) return keys.account;
    return undefined;
  }

  has(address: Uint8Array): boolean {
    return this.#keys.has(bytesKey(address));
  }

  keyPair(address: Uint8Array): KeyPair {
    const keys = this.#keys.get(bytesKey(address));
    if (keys === undefined) throw new NoPrivateKeyError();
    return keys.keyPair;
  }

  sign(address: Uint8Array, message: Uint8Array): Uint8Array {
    return sign(this.keyPair(address), message);
  }

  addAccount(): Promise<WalletAccount> {
    return this.#change(async () => {
      if (this.isAccountBased) throw new AccountBasedWalletError();
      if (this.#nonce >= MAX_NONCE) throw new WalletError("The wallet has used its last nonce");
      const before = this.#nonce;
      this.#nonce = before + 1;
      const seed = accountSeed(this.#seedBytes, this.#nonce);
      const keys = this.#derive(seed);
      wipe(seed);
      const name = bytesKey(keys.account.address);
      if (this.#keys.has(name)) {
        this.#wipeKeys(keys);
        throw new AccountExistsError();
      }
      try {
        await this.#save(this.#data([...this.#keys.values(), keys]));
      } catch (error) {
        this.#nonce = before;
        this.#wipeKeys(keys);
        throw error;
      }
      this.#keys.set(name, keys);
      this.#sortedAccounts = undefined;
      return keys.account;
    });
  }

  deleteAccount(address: Uint8Array): Promise<void> {
    return this.#change(async () => {
      const name = bytesKey(address);
      const keys = this.#keys.get(name);
      if (keys === undefined) throw new NoPrivateKeyError();
      if (this.isAccountBased) throw new AccountBasedWalletError();
      await this.#save(this.#data([...this.#keys.values()].filter((otherKeys) => otherKeys !== keys)));
      this.#keys.delete(name);
      this.#sortedAccounts = undefined;
      this.#wipeKeys(keys);
    });
  }

  seed(): Uint8Array {
    if (this.isAccountBased) throw new AccountBasedWalletError();
    return Uint8Array.from(this.#seedBytes);
  }

  hasSeed(seed: Uint8Array): boolean {
    return !this.isAccountBased && bytesEqual(this.#seedBytes, seed);
  }

  store(): Promise<void> {
    return this.#change(() => this.#save(this.#data([...this.#keys.values()])));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#changes.catch(() => undefined);
    this.#keys.clear();
    this.#sortedAccounts = undefined;
    this.#arena.wipeAll();
  }

  /** Runs one change at a time. */
  #change<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new WalletError("The wallet is closed"));
    const result = this.#changes.then(work);
    this.#changes = result.catch(() => undefined);
    return result;
  }

  #data(keys: readonly AccountKeys[]): WalletData {
    return {
      seed: this.#seedBytes,
      accountSeeds: keys.map((each) => each.accountSeed),
      nonce: this.#nonce,
      ...(this.#fixedSeed === undefined ? {} : { accountSeed: this.#fixedSeed }),
    };
  }

  #derive(seed: Uint8Array): AccountKeys {
    const pair = keyPairFromAccountSeed(seed);
    const privateKey = this.#arena.copy(pair.privateKey);
    wipe(pair.privateKey);
    const { keyType, publicKey } = pair;
    return {
      account: { address: addressOf(publicKey, this.#chainId), keyType, publicKey },
      accountSeed: this.#arena.copy(seed),
      keyPair: { keyType, publicKey, privateKey },
    };
  }

  #wipeKeys(keys: AccountKeys): void {
    this.#arena.release(keys.accountSeed);
    this.#arena.release(keys.keyPair.privateKey);
  }
}
