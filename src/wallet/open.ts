/**
 * Page 01 §9.3, with these differences: a new wallet is on disk before it is used, a configured seed must equal the
 * seed in the file, a random password is stored next to the file, and secrets are never logged.
 */

import { encodeBase58 } from "../bytes/base58.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import { accountSeed } from "../crypto/seeds.ts";
import type { Log } from "../interfaces.ts";
import { DEV_SEED_TEXT, type NetworkProfile } from "../profiles/index.ts";
import { isExposed } from "../runtime/exposed-file.ts";
import type { WalletData } from "./data.ts";
import { PasswordMissingError, SeedMismatchError, WalletFileError, WrongPasswordError } from "./errors.ts";
import {
  type FileKey,
  interactiveCost,
  type KeyCost,
  moderateCost,
  newFileKey,
  readSecretFile,
  removeSecretFile,
  replaceSecretFile,
  sealWallet,
  unsealWallet,
} from "./file.ts";
import { KeyWallet, type SaveWallet } from "./key-wallet.ts";
import { secretRandom, wipe } from "./sodium.ts";
import type { Wallet } from "./wallet.ts";

interface Hidden<T> {
  reveal(): T;
}

export interface WalletSettings {
  readonly wallet: {
    readonly file: string;
    /** Default: the password stored next to the file, or a random one for a new wallet. */
    readonly password?: Hidden<string> | undefined;
    readonly seed?: Hidden<Uint8Array> | undefined;
    /** Seed of the only account of an in-memory wallet, which uses no file. */
    readonly accountSeed?: Hidden<Uint8Array> | undefined;
  };
  readonly profile: Pick<NetworkProfile, "name" | "chainId">;
}

/** Length of a random seed, as in the reference. */
const NEW_SEED_BYTES = 64;
const NEW_PASSWORD_BYTES = 32;

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

function storedPasswordError(path: string, error: unknown): unknown {
  return error instanceof WrongPasswordError ? new WrongPasswordError(path, passwordPath(path)) : error;
}

export function exposedFiles(walletPath: string): string[] {
  return [walletPath, passwordPath(walletPath)].filter((path) => isExposed(path));
}

function saver(path: string, fileKey: FileKey): SaveWallet {
  return (data) => replaceSecretFile(path, sealWallet(data, fileKey));
}

/** Returns the configured seed; else, in `dev`, the public seed that owns the tokens; else undefined. */
function newWalletSeed({ wallet, profile }: WalletSettings): Uint8Array | undefined {
  return wallet.seed?.reveal() ?? (profile.name === "dev" ? encodeUtf8(DEV_SEED_TEXT) : undefined);
}

/**
 * @param minCost minimum accepted cost of the key derivation, lowered by tests
 * @returns undefined if the file does not exist
 * @throws WalletFileError, WrongPasswordError, PasswordMissingError, SeedMismatchError
 */
export async function loadWallet(
  { wallet: { file: path, ...secrets }, profile: { chainId } }: WalletSettings,
  minCost?: KeyCost,
): Promise<Wallet | undefined> {
  const fixedSeed = secrets.accountSeed?.reveal();
  if (fixedSeed !== undefined) {
    const data = { seed: new Uint8Array(0), accountSeeds: [fixedSeed], nonce: 0, accountSeed: fixedSeed };
    return new KeyWallet(data, chainId, () => Promise.resolve());
  }
  const file = await readSecretFile(path);
  if (file === undefined) return undefined;
  const configured = secrets.password?.reveal();
  const password = configured ?? (await storedPassword(path));
  if (password === undefined) throw new PasswordMissingError(path, passwordPath(path));
  const { data, plain, fileKey } = await unsealWallet(file, path, password, minCost).catch(
    (error: unknown) => {
      throw configured === undefined ? storedPasswordError(path, error) : error;
    },
  );
  const wallet = new KeyWallet(data, chainId, saver(path, fileKey));
  wipe(plain);
  const seed = secrets.seed?.reveal();
  if (seed !== undefined && !wallet.hasSeed(seed)) {
    await wallet.close();
    throw new SeedMismatchError(path);
  }
  return wallet;
}

/** The key of a wallet file that does not exist yet. */
export interface NewWalletKey {
  readonly password: string;
  readonly fileKey: Promise<FileKey>;
}

const costOf = ({ password }: WalletSettings["wallet"]): KeyCost =>
  password === undefined ? interactiveCost : moderateCost;

/**
 * Begins to derive the key of a new wallet file, which takes most of the time of its creation. Writes nothing.
 * @returns undefined if the wallet exists or uses no file
 * @throws WalletFileError if the stored password is unreadable
 */
export async function beginNewWalletKey(
  { wallet }: WalletSettings,
  cost: KeyCost = costOf(wallet),
): Promise<NewWalletKey | undefined> {
  if (wallet.accountSeed !== undefined || (await readSecretFile(wallet.file)) !== undefined) return undefined;
  const password = wallet.password?.reveal() ?? (await storedPassword(wallet.file)) ?? randomPassword();
  const fileKey = newFileKey(password, cost);
  // Avoid an unhandled rejection if the wallet is not created.
  fileKey.catch(() => {});
  return { password, fileKey };
}

const randomPassword = (): string => encodeBase58(secretRandom(NEW_PASSWORD_BYTES));

/**
 * Creates a wallet file with the configured password, else the stored one, else a random one, which it stores.
 * @param begun used if its password is the wallet's
 * @throws WalletFileError if the file exists or cannot be written
 */
export async function createWalletFile(
  data: WalletData,
  { wallet: { file: path, ...secrets }, profile: { chainId } }: WalletSettings,
  cost: KeyCost = costOf({ file: path, ...secrets }),
  begun?: NewWalletKey,
): Promise<Wallet> {
  if ((await readSecretFile(path)) !== undefined) throw new WalletFileError(path, "it already exists.");
  let password = secrets.password?.reveal() ?? (await storedPassword(path));
  if (password === undefined) {
    password = begun?.password ?? randomPassword();
    // Store the password first: a crash must not leave a wallet without it.
    await replaceSecretFile(passwordPath(path), encodeUtf8(`${password}\n`));
  }
  const fileKey = await (begun?.password === password ? begun.fileKey : newFileKey(password, cost));
  const wallet = new KeyWallet(data, chainId, saver(path, fileKey));
  await wallet.store();
  return wallet;
}

/**
 * Returns the wallet that `openWallet` would open or create; empty if its seed would be random. Writes nothing.
 * @throws like `openWallet`
 */
export async function previewWallet(settings: WalletSettings): Promise<Wallet> {
  const existing = await loadWallet(settings);
  if (existing !== undefined) return existing;
  const newSeed = newWalletSeed(settings);
  // A copy, because closing the wallet wipes its seed.
  const seed = Uint8Array.from(newSeed ?? []);
  const accountSeeds = newSeed === undefined ? [] : [accountSeed(newSeed, 0)];
  return new KeyWallet({ seed, accountSeeds, nonce: 0 }, settings.profile.chainId, () => Promise.resolve());
}

/** Tells where the seed of a new wallet is; undefined for the public seed of `dev`. */
function backupHint({ wallet, profile }: WalletSettings): string | undefined {
  if (wallet.seed !== undefined) return "its seed is the configured one, keep a copy of it";
  if (profile.name === "dev") return undefined;
  return "back up its seed, which the command `holdfast wallet seed` shows";
}

/**
 * Opens the wallet. Creates a missing wallet or first account.
 * @param options `begun`: result of `beginNewWalletKey`
 * @throws WalletFileError, WrongPasswordError, PasswordMissingError, SeedMismatchError
 */
export async function openWallet(
  settings: WalletSettings,
  {
    cost,
    log,
    begun,
  }: {
    readonly cost?: KeyCost | undefined;
    readonly log?: Log | undefined;
    readonly begun?: NewWalletKey | undefined;
  } = {},
): Promise<Wallet> {
  const wallet = await loadWallet(settings, cost);
  if (wallet === undefined) {
    const seed = Uint8Array.from(newWalletSeed(settings) ?? secretRandom(NEW_SEED_BYTES));
    const first = accountSeed(seed, 0);
    try {
      const data = { seed, accountSeeds: [first], nonce: 0 };
      const created = await createWalletFile(data, settings, cost, begun);
      const hint = backupHint(settings);
      if (hint !== undefined) log?.info(`New wallet ${settings.wallet.file}: ${hint}`);
      return created;
    } finally {
      wipe(seed);
      wipe(first);
    }
  }
  if (!wallet.isAccountBased && wallet.oldest() === undefined) await wallet.addAccount();
  return wallet;
}

/**
 * Returns the password that `openWallet` would use.
 * @throws WalletFileError if the stored password is unreadable
 */
export async function currentPassword({
  wallet: { file, password },
}: Pick<WalletSettings, "wallet">): Promise<string | undefined> {
  return password?.reveal() ?? (await storedPassword(file));
}

/**
 * Atomically replaces a wallet file by one with the new password, then removes the stored old password. If a crash
 * leaves the stored password, the same call completes the change. No node may use the wallet meanwhile.
 * @param minCost minimum accepted cost of the old key derivation, lowered by tests
 * @throws WrongPasswordError
 * @throws WalletFileError; the file may already be replaced (`replaceSecretFile`, `removeSecretFile`)
 */
export async function changePassword(
  path: string,
  oldPassword: string,
  newPassword: string,
  cost: KeyCost = moderateCost,
  minCost?: KeyCost,
): Promise<void> {
  const file = await readSecretFile(path);
  if (file === undefined) throw new WalletFileError(path, "it does not exist.");
  const { data, plain, fileKey } = await unsealWallet(file, path, oldPassword, minCost).catch(
    async (error: unknown) => {
      if (!(error instanceof WrongPasswordError) || oldPassword !== (await storedPassword(path))) throw error;
      return unsealWallet(file, path, newPassword, minCost).catch((again: unknown) => {
        throw storedPasswordError(path, again);
      });
    },
  );
  try {
    const newKey = await newFileKey(newPassword, cost);
    try {
      await replaceSecretFile(path, sealWallet(data, newKey));
    } finally {
      wipe(newKey.key);
    }
  } finally {
    wipe(fileKey.key);
    wipe(plain);
  }
  await removeSecretFile(passwordPath(path));
}
