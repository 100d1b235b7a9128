import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import type { Settings } from "../../config/settings.ts";
import { addressText } from "../../crypto/addresses.ts";
import { createWalletFile, loadWallet, openWallet } from "../../wallet/open.ts";
import { DEFAULT_REFERENCE_PASSWORD, parseReferenceWallet, referenceKey } from "../../wallet/reference.ts";
import type { Wallet } from "../../wallet/wallet.ts";
import { CommandError, ExitCode } from "../exit-codes.ts";
import { readInput } from "../input.ts";
import type { Io } from "../io.ts";

/** Maximum size of a `wallet.dat`. */
const MAX_WALLET_BYTES = 32 * 2 ** 20;

export function noWalletError({ wallet }: Settings): CommandError {
  return new CommandError(
    ExitCode.wallet,
    `There is no wallet at ${wallet.file} yet. \`holdfast start\` or \`holdfast wallet new\` creates one.`,
  );
}

/** @throws CommandError if the wallet does not exist */
export async function existingWallet(settings: Settings): Promise<Wallet> {
  const wallet = await loadWallet(settings);
  if (wallet === undefined) throw noWalletError(settings);
  return wallet;
}

/** @throws StoreInUseError if a node runs */
export async function withDataDirLock<T>(settings: Settings, io: Io, change: () => Promise<T>): Promise<T> {
  const lock = await io.lockDataDir(settings);
  try {
    return await change();
  } finally {
    await lock.release();
  }
}

/** Returns the text for `--wallet-seed`; undefined if the seed cannot be typed. */
function seedText(seed: Uint8Array): string | undefined {
  const text = decodeUtf8(seed);
  return seed.length > 0 && bytesEqual(encodeUtf8(text), seed) && !/\p{C}/u.test(text) ? text : undefined;
}

export async function listAddresses(settings: Settings): Promise<string> {
  const wallet = await existingWallet(settings);
  const lines = wallet.accounts().map((account) => `${addressText(account.address)}\n`);
  await wallet.close();
  return lines.join("");
}

/** Adds an account, or creates a missing wallet with its first account. */
export async function addAddress(settings: Settings, io: Io): Promise<string> {
  return withDataDirLock(settings, io, async () => {
    const found = await loadWallet(settings);
    const wallet = found ?? (await openWallet(settings));
    try {
      const account = (found === undefined ? wallet.oldest() : undefined) ?? (await wallet.addAccount());
      return `${addressText(account.address)}\n`;
    } finally {
      await wallet.close();
    }
  });
}

/** Returns the seed in the forms that settings accept. */
export async function showSeed(settings: Settings): Promise<string> {
  const wallet = await existingWallet(settings);
  const seed = wallet.seed();
  await wallet.close();
  const text = seedText(seed);
  return `base58: ${encodeBase58(seed)}\n${text === undefined ? "" : `text: ${text}\n`}`;
}

export interface ConvertFlags {
  readonly filePassword?: string;
  readonly filePasswordFile?: string;
}

/** Creates a wallet from a `wallet.dat`; returns the addresses, oldest first. */
export async function convertWallet(
  file: string,
  { filePassword, filePasswordFile }: ConvertFlags,
  settings: Settings,
  io: Io,
): Promise<readonly string[]> {
  if (filePassword !== undefined && filePasswordFile !== undefined)
    throw new CommandError(ExitCode.usage, "--file-password and --file-password-file: give only one of them");
  if (settings.wallet.accountSeed !== undefined)
    throw new CommandError(ExitCode.usage, "A wallet of one fixed account cannot hold other accounts");
  const password =
    filePasswordFile === undefined
      ? (filePassword ?? DEFAULT_REFERENCE_PASSWORD)
      : readInput(filePasswordFile).split(/\r?\n/, 1)[0];
  // Read the file first: an unreadable one must leave no data directory.
  const data = parseReferenceWallet(readInput(file, MAX_WALLET_BYTES), await referenceKey(password));
  return withDataDirLock(settings, io, async () => {
    const wallet = await createWalletFile(data, settings);
    try {
      return wallet.accountsByAge().map((account) => addressText(account.address));
    } finally {
      await wallet.close();
    }
  });
}
