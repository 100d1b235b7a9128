/**
 * Opening the node's wallet, and making it where there is none. Page 01 §9.3, with these differences: a new
 * wallet is on the disk before it is used, a seed that is not the file's is refused, a random password is
 * stored beside the file, and no secret is logged.
 */

import { encodeBase58 } from "../bytes/base58.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import { accountSeed } from "../crypto/seeds.ts";
import type { WalletData } from "./data.ts";
import { PasswordMissingError, SeedMismatchError, WalletFileError } from "./errors.ts";
import {
  type FileKey,
  findExposed,
  interactiveCost,
  type KeyCost,
  moderateCost,
  newFileKey,
  readSecretFile,
  replaceSecretFile,
  sealWallet,
  unsealWallet,
} from "./file.ts";
import { KeyWallet, type SaveWallet } from "./key-wallet.ts";
import { secretRandom, wipe } from "./sodium.ts";
import type { Wallet } from "./wallet.ts";

/** Which wallet, and what is known of it. */
export interface WalletOptions {
  /** The wallet file. */
  readonly path: string;
  /** Chain id of the network, 0 to 255. */
  readonly chainId: number;
  /** Undefined: the one stored beside the file, for a new wallet a random one. */
  readonly password?: string | undefined;
  /** The seed that the wallet must have. */
  readonly seed?: Uint8Array | undefined;
  /** The seed of a new wallet when none is asked for (`root` on the dev network); undefined: 64 random bytes. */
  readonly defaultSeed?: Uint8Array | undefined;
  /** The wallet is this one account, in memory; no file is read or written. */
  readonly accountSeed?: Uint8Array | undefined;
  /** Cost of the key derivation, for tests: the least accepted and the one used. */
  readonly cost?: KeyCost | undefined;
}

/** Bytes of randomness of a new seed, as the reference has. */
const NEW_SEED_BYTES = 64;
const NEW_PASSWORD_BYTES = 32;

/** File that holds the random password of a wallet file. */
export function passwordPath(walletPath: string): string {
  return `${walletPath}.password`;
}

async function storedPassword(walletPath: string): Promise<string | undefined> {
  const path = passwordPath(walletPath);
  const bytes = await readSecretFile(path);
  if (bytes === undefined) return undefined;
  const password = decodeUtf8(bytes).replace(/\r?\n$/, "");
  if (password === "") throw new WalletFileError(path, "it is empty.");
  return password;
}

/** Files of the wallet that others than their owner may read or write: whoever widened their mode should know. */
export async function exposedFiles(walletPath: string): Promise<string[]> {
  return findExposed([walletPath, passwordPath(walletPath)]);
}

function saver(path: string, fileKey: FileKey): SaveWallet {
  return (data) => replaceSecretFile(path, sealWallet(data, fileKey));
}

/** A wallet of one fixed account, in memory. */
function accountWallet(seed: Uint8Array, chainId: number): Wallet {
  const data: WalletData = { seed: new Uint8Array(0), accountSeeds: [seed], nonce: 0, accountSeed: seed };
  return new KeyWallet(data, chainId, () => Promise.resolve());
}

/**
 * Opens the wallet if there is one; writes nothing.
 * @returns undefined when there is no wallet file
 * @throws WalletFileError, WrongPasswordError, PasswordMissingError, SeedMismatchError
 */
export async function loadWallet(options: WalletOptions): Promise<Wallet | undefined> {
  const { path, chainId } = options;
  const file = await readSecretFile(path);
  if (file === undefined) return undefined;
  const password = options.password ?? (await storedPassword(path));
  if (password === undefined) throw new PasswordMissingError(path, passwordPath(path));
  const { data, plain, fileKey } = await unsealWallet(file, path, password, options.cost);
  const wallet = new KeyWallet(data, chainId, saver(path, fileKey));
  wipe(plain);
  if (options.seed !== undefined && !wallet.hasSeed(options.seed)) {
    await wallet.close();
    throw new SeedMismatchError(path);
  }
  return wallet;
}

/**
 * Puts a wallet into a new file, under the password given or a random one that is stored beside it.
 * @throws WalletFileError when there is a file already, or it cannot be written
 */
export async function createWalletFile(
  data: WalletData,
  options: Pick<WalletOptions, "path" | "chainId" | "password" | "cost">,
): Promise<Wallet> {
  const { path, chainId } = options;
  if ((await readSecretFile(path)) !== undefined) throw new WalletFileError(path, "it is there already.");
  let password = options.password ?? (await storedPassword(path));
  if (password === undefined) {
    password = encodeBase58(secretRandom(NEW_PASSWORD_BYTES));
    // Before the wallet: a wallet whose password was lost in a crash would be worth nothing.
    await replaceSecretFile(passwordPath(path), encodeUtf8(`${password}\n`));
  }
  const cost = options.cost ?? (options.password === undefined ? interactiveCost : moderateCost);
  const wallet = new KeyWallet(data, chainId, saver(path, await newFileKey(password, cost)));
  await wallet.store();
  return wallet;
}

/**
 * The wallet as `openWallet` will open or make it; writes nothing. One that is to be made by chance has no account yet.
 * @throws as `openWallet`
 */
export async function previewWallet(options: WalletOptions): Promise<Wallet> {
  if (options.accountSeed !== undefined) return accountWallet(options.accountSeed, options.chainId);
  const existing = await loadWallet(options);
  if (existing !== undefined) return existing;
  const given = options.seed ?? options.defaultSeed;
  // The wallet wipes what it holds when it is closed.
  const seed = Uint8Array.from(given ?? []);
  const accountSeeds = given === undefined ? [] : [accountSeed(given, 0)];
  return new KeyWallet({ seed, accountSeeds, nonce: 0 }, options.chainId, () => Promise.resolve());
}

/**
 * Opens the node's wallet; makes it when there is none, and its first account when it has none.
 * @throws WalletFileError, WrongPasswordError, PasswordMissingError, SeedMismatchError
 */
export async function openWallet(options: WalletOptions): Promise<Wallet> {
  if (options.accountSeed !== undefined) return accountWallet(options.accountSeed, options.chainId);
  const wallet = await loadWallet(options);
  if (wallet === undefined) {
    const seed = Uint8Array.from(options.seed ?? options.defaultSeed ?? secretRandom(NEW_SEED_BYTES));
    const first = accountSeed(seed, 0);
    try {
      return await createWalletFile({ seed, accountSeeds: [first], nonce: 0 }, options);
    } finally {
      wipe(seed);
      wipe(first);
    }
  }
  if (!wallet.accountBased && wallet.oldest() === undefined) await wallet.addAccount();
  return wallet;
}
