/**
 * Wallet file. Numbers are big-endian.
 *
 *     offset  size
 *     0     8  "HOLDFAST"
 *     8     4  "WLT" and the format version, 1
 *     12     4  Argon2id: passes
 *     16     4  Argon2id: memory in KiB
 *     20    16  Argon2id: salt
 *     36    24  nonce
 *     60        XChaCha20-Poly1305 of the wallet's data (data.ts); also authenticates bytes 0-59
 *
 * Saving writes a new file under another name, flushes it, renames it, and flushes the directory. A crash
 * leaves the old file or the new one.
 */

import { type FileHandle, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { reasonOf } from "../bytes/errors.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { makeDirectory } from "../runtime/make-directory.ts";
import { parseWalletData, type WalletData, WalletDataError, walletDataBytes } from "./data.ts";
import { WalletFileError, WrongPasswordError } from "./errors.ts";
import {
  NONCE_LENGTH,
  passwordKey,
  SALT_LENGTH,
  seal,
  secretRandom,
  TAG_LENGTH,
  unseal,
  wipe,
} from "./sodium.ts";

const MAGIC = encodeUtf8("HOLDFASTWLT\x01");
const AT_PASSES = 12;
const AT_MEMORY = 16;
const AT_SALT = 20;
const AT_NONCE = AT_SALT + SALT_LENGTH;
const HEADER_LENGTH = AT_NONCE + NONCE_LENGTH;
/** About 900,000 accounts. */
const MAX_FILE_BYTES = 32 * 2 ** 20;

/** Cost of deriving the key: passes, and memory in bytes (a multiple of 1024). */
export interface KeyCost {
  readonly passes: number;
  readonly memory: number;
}

/** libsodium's "interactive" level, about 0.1 s: enough for a long random password. */
export const interactiveCost: KeyCost = { passes: 2, memory: 64 * 2 ** 20 };

/** libsodium's "moderate" level, about 1 s: for passwords that people choose. */
export const moderateCost: KeyCost = { passes: 3, memory: 256 * 2 ** 20 };

/** Maximum accepted cost, with the memory of libsodium's "sensitive" level (1 GiB). */
const MAX_COST: KeyCost = { passes: 16, memory: 2 ** 30 };

/** The key of a wallet file, kept so that saving needs no derivation. */
export interface FileKey {
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
  readonly cost: KeyCost;
}

export async function newFileKey(password: string, cost: KeyCost): Promise<FileKey> {
  const salt = secretRandom(SALT_LENGTH);
  return { key: await deriveKey(password, salt, cost), salt, cost };
}

async function deriveKey(password: string, salt: Uint8Array, cost: KeyCost): Promise<Uint8Array> {
  const bytes = encodeUtf8(password);
  try {
    return await passwordKey(bytes, salt, cost.passes, cost.memory);
  } finally {
    wipe(bytes);
  }
}

export function sealWallet(data: WalletData, fileKey: FileKey): Uint8Array {
  const header = new Uint8Array(HEADER_LENGTH);
  const view = new DataView(header.buffer);
  header.set(MAGIC);
  view.setUint32(AT_PASSES, fileKey.cost.passes);
  view.setUint32(AT_MEMORY, fileKey.cost.memory / 1024);
  header.set(fileKey.salt, AT_SALT);
  const nonce = secretRandom(NONCE_LENGTH);
  header.set(nonce, AT_NONCE);
  const plain = walletDataBytes(data);
  try {
    const ciphertext = seal(plain, header, nonce, fileKey.key);
    const file = new Uint8Array(HEADER_LENGTH + ciphertext.length);
    file.set(header);
    file.set(ciphertext, HEADER_LENGTH);
    return file;
  } finally {
    wipe(plain);
  }
}

/**
 * @returns the data (views of `plain`, which the caller wipes) and the key for saving
 * @throws WalletFileError if the file is not a wallet file of this version
 * @throws WrongPasswordError
 */
export async function unsealWallet(
  file: Uint8Array,
  path: string,
  password: string,
  minCost: KeyCost = interactiveCost,
): Promise<{ data: WalletData; plain: Uint8Array; fileKey: FileKey }> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < MAGIC.length || !MAGIC.every((byte, i) => i === MAGIC.length - 1 || file[i] === byte)) {
    throw new WalletFileError(
      path,
      "it is not a Holdfast wallet. `holdfast wallet convert` converts a wallet.dat of the reference node.",
    );
  }
  const version = file[MAGIC.length - 1];
  if (version !== 1) {
    throw new WalletFileError(path, `its format is version ${version}, this program supports version 1.`);
  }
  if (file.length < HEADER_LENGTH + TAG_LENGTH) throw new WalletFileError(path, "it is truncated.");
  const cost = { passes: view.getUint32(AT_PASSES), memory: view.getUint32(AT_MEMORY) * 1024 };
  if (
    cost.passes < minCost.passes ||
    cost.passes > MAX_COST.passes ||
    cost.memory < minCost.memory ||
    cost.memory > MAX_COST.memory
  ) {
    throw new WalletFileError(path, "its key derivation cost is out of range: the file is damaged.");
  }
  const salt = file.slice(AT_SALT, AT_NONCE);
  const nonce = file.slice(AT_NONCE, HEADER_LENGTH);
  const key = await deriveKey(password, salt, cost);
  const plain = unseal(file.subarray(HEADER_LENGTH), file.subarray(0, HEADER_LENGTH), nonce, key);
  if (plain === undefined) {
    wipe(key);
    throw new WrongPasswordError(path);
  }
  try {
    return { data: parseWalletData(plain), plain, fileKey: { key, salt, cost } };
  } catch (error) {
    wipe(key);
    wipe(plain);
    if (!(error instanceof WalletDataError)) throw error;
    throw new WalletFileError(path, `${error.message}.`);
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** Returns undefined if the file does not exist. @throws WalletFileError if it is unreadable or too large */
export async function readSecretFile(path: string): Promise<Uint8Array | undefined> {
  try {
    const handle = await open(path, "r");
    try {
      const { size } = await handle.stat();
      if (size > MAX_FILE_BYTES)
        throw new WalletFileError(path, `it is too large for a wallet: ${size} bytes.`);
      return new Uint8Array(await readFile(handle));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof WalletFileError) throw error;
    throw new WalletFileError(path, `it cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Copies the old file's mode, and as root also its owner, to the new file. */
async function keepAccess(path: string, file: FileHandle): Promise<void> {
  const before = await stat(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (before === undefined) return;
  if (process.getuid?.() === 0) await file.chown(before.uid, before.gid);
  await file.chmod(before.mode & 0o777);
}

/**
 * Replaces a file, keeping its mode, or creates it (mode 0600) with missing directories (0700). The file is on disk when
 * the promise resolves.
 * @throws WalletFileError on failure. The old file is then unchanged, or completely replaced if only flushing the
 *   directory failed.
 */
export async function replaceSecretFile(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.new`);
  try {
    makeDirectory(folder, 0o700);
    // A killed process may have left a temporary file with any mode.
    await unlink(temporary).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await keepAccess(path, handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    await flushFolder(folder);
  } catch (error) {
    throw new WalletFileError(path, `it cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

/** Does nothing if the file is missing. @throws WalletFileError */
export async function removeSecretFile(path: string): Promise<void> {
  try {
    await unlink(path);
    await flushFolder(dirname(path));
  } catch (error) {
    if (!isMissing(error))
      throw new WalletFileError(path, `it cannot be removed: ${reasonOf(error)}`, { cause: error });
  }
}
