import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { addressText } from "../crypto/addresses.ts";
import { accountSeed } from "../crypto/seeds.ts";
import { verify } from "../crypto/signatures.ts";
import { RecordingLog } from "../testing/dev-node.ts";
import {
  AccountBasedWalletError,
  AccountExistsError,
  NoPrivateKeyError,
  PasswordMissingError,
  SeedMismatchError,
  WalletFileError,
  WrongPasswordError,
} from "./errors.ts";
import { interactiveCost, type KeyCost, unsealWallet } from "./file.ts";
import {
  beginNewWalletKey,
  createWalletFile,
  exposedFiles,
  loadWallet,
  openWallet,
  passwordPath,
  type WalletSettings,
} from "./open.ts";
import type { Wallet } from "./wallet.ts";

/** The minimum of Argon2id: tests open many wallets. */
const cost: KeyCost = { passes: 1, memory: 8_192 };
const Z = "Z".charCodeAt(0);
const root = encodeUtf8("root");

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-wallet-"));
  path = join(folder, "wallet", "wallet.bin");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Given {
  readonly path?: string;
  readonly password?: string;
  readonly seed?: Uint8Array;
  readonly accountSeed?: Uint8Array;
  readonly name?: "dev" | "custom";
}

const hide = <T>(value: T | undefined) => (value === undefined ? undefined : { reveal: () => value });

function settingsOf({ password, seed, accountSeed, name = "custom", ...given }: Given = {}): WalletSettings {
  return {
    wallet: {
      file: given.path ?? path,
      password: hide(password),
      seed: hide(seed),
      accountSeed: hide(accountSeed),
    },
    profile: { name, chainId: Z },
  };
}

function open(given: Given = {}): Promise<Wallet> {
  return openWallet(settingsOf(given), { cost });
}

function addresses(wallet: Wallet): string[] {
  return wallet.accounts().map((account) => addressText(account.address));
}

describe("a new wallet", () => {
  test("of dev holds the funded account, on disk at once, for its owner only", async () => {
    const wallet = await open({ name: "dev" });
    expect(addresses(wallet)).toEqual(["3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt"]);
    for (const file of [path, passwordPath(path)]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "wallet")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, "wallet")).sort()).toEqual(["wallet.bin", "wallet.bin.password"]);
  });

  test("lists its files that other users may read", async () => {
    expect(exposedFiles(path)).toEqual([]);
    await open();
    expect(exposedFiles(path)).toEqual([]);
    chmodSync(passwordPath(path), 0o640);
    expect(exposedFiles(path)).toEqual([passwordPath(path)]);
    chmodSync(path, 0o602);
    expect(exposedFiles(path)).toEqual([path, passwordPath(path)]);
  });

  test("gets and keeps a random seed of 64 bytes by default", async () => {
    const first = await open();
    const seed = first.seed();
    expect(seed.length).toBe(64);
    const again = await open();
    expect(again.seed()).toEqual(seed);
    expect(addresses(again)).toEqual(addresses(first));
  });

  test("stores neither seed nor keys in plain text", async () => {
    const seed = encodeUtf8("a seed text that is long enough to be found in a file");
    const wallet = await open({ seed });
    const file = readFileSync(path);
    const account = wallet.oldest();
    expect(account).toBeDefined();
    if (account === undefined) return;
    for (const secret of [
      seed,
      accountSeed(seed, 0),
      wallet.keyPair(account.address).privateKey.slice(0, 32),
    ])
      expect(file.includes(Buffer.from(secret))).toBe(false);
  });

  test("stores no password if one is given", async () => {
    await open({ password: "correct horse" });
    expect(existsSync(passwordPath(path))).toBe(false);
    await expect(open()).rejects.toThrow(PasswordMissingError);
    expect((await open({ password: "correct horse" })).accounts()).toHaveLength(1);
  });

  test("uses a password that is already stored", async () => {
    mkdirSync(join(folder, "wallet"));
    writeFileSync(passwordPath(path), "from before\n");
    await open();
    expect(readFileSync(passwordPath(path), "utf8")).toBe("from before\n");
    expect((await open({ password: "from before" })).accounts()).toHaveLength(1);
  });

  test("can use a key that was derived before, from any source of the password", async () => {
    for (const [name, given] of Object.entries({ random: {}, configured: { password: "correct horse" } })) {
      const settings = settingsOf({ ...given, path: join(folder, name, "wallet.bin") });
      const begun = await beginNewWalletKey(settings, cost);
      const key = (await begun?.fileKey)?.key.slice();
      expect(existsSync(join(folder, name))).toBe(false);
      await openWallet(settings, { begun });
      expect(await beginNewWalletKey(settings, cost)).toBeUndefined();
      const file = readFileSync(settings.wallet.file);
      const again = await unsealWallet(file, "", begun?.password ?? "", cost);
      expect(again.fileKey.key.slice()).toEqual(key);
    }
  });

  test("does not use a key of another password than the one that was stored meanwhile", async () => {
    const begun = await beginNewWalletKey(settingsOf(), cost);
    mkdirSync(join(folder, "wallet"));
    writeFileSync(passwordPath(path), "from before\n");
    await openWallet(settingsOf(), { cost, begun });
    expect((await open({ password: "from before" })).accounts()).toHaveLength(1);
  });

  test("does not overwrite an existing one", async () => {
    await open();
    const before = readFileSync(path);
    await expect(
      createWalletFile({ seed: root, accountSeeds: [], nonce: 0 }, settingsOf(), cost),
    ).rejects.toThrow(WalletFileError);
    expect(readFileSync(path)).toEqual(before);
  });

  test("replaces a file that a killed process left unfinished", async () => {
    mkdirSync(join(folder, "wallet"));
    writeFileSync(join(folder, "wallet", ".wallet.bin.new"), "half", { mode: 0o644 });
    await open();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await open()).accounts()).toHaveLength(1);
  });

  test("fails if the directory cannot be written", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(open({ path: join(folder, "file", "wallet.bin") })).rejects.toThrow(WalletFileError);
  });
});

describe("opening", () => {
  test("refuses a wrong password without changing the file", async () => {
    await open({ password: "right" });
    const before = readFileSync(path);
    await expect(open({ password: "wrong" })).rejects.toThrow(WrongPasswordError);
    await expect(open({ password: "" })).rejects.toThrow(WrongPasswordError);
    expect(readFileSync(path)).toEqual(before);
  });

  test("refuses every changed or truncated file without changing it", async () => {
    await open({ password: "p", name: "dev" });
    const good = readFileSync(path);
    const expectRefused = async (bad: Buffer) => {
      writeFileSync(path, bad);
      const error = await open({ password: "p" }).catch((thrown: unknown) => thrown);
      expect(error instanceof WrongPasswordError || error instanceof WalletFileError).toBe(true);
      expect(readFileSync(path)).toEqual(bad);
    };
    for (let i = 0; i < good.length; i++) {
      const bad = Buffer.from(good);
      // The lowest bit of the memory cost would make a valid, costlier file: any change must be refused.
      bad[i] ^= 0x01;
      await expectRefused(bad);
    }
    for (const length of [0, 1, 11, 12, 59, 60, 75, 76, good.length - 1])
      await expectRefused(good.subarray(0, length));
    await expectRefused(Buffer.concat([good, Buffer.from([0])]));
  });

  test("refuses a derivation cost out of range", async () => {
    await open({ password: "p" });
    await expect(openWallet(settingsOf({ password: "p" }))).rejects.toThrow(/cost is out of range/);
    const file = readFileSync(path);
    for (const [offset, value] of [
      [12, 17],
      [12, 0],
      [16, 2 ** 20 + 1],
      [16, 0],
    ]) {
      const bad = Buffer.from(file);
      bad.writeUInt32BE(value, offset);
      writeFileSync(path, bad);
      await expect(open({ password: "p" })).rejects.toThrow(/cost is out of range/);
    }
  });

  test("a new wallet says how to back up its seed, without showing it; an existing one says nothing", async () => {
    const log = new RecordingLog();
    await openWallet(settingsOf(), { cost, log });
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      `info New wallet ${path}: back up its seed, which the command \`holdfast wallet seed\` shows`,
    ]);
    await openWallet(settingsOf(), { cost, log });
    const seed = encodeUtf8("a seed of the operator");
    await openWallet(settingsOf({ path: `${path}.2`, seed }), { cost, log });
    expect(log.lines[1].message).toBe(
      `New wallet ${path}.2: its seed is the configured one, keep a copy of it`,
    );
    await openWallet(settingsOf({ path: `${path}.3`, name: "dev" }), { cost, log });
    expect(log.lines).toHaveLength(2);
    expect(log.lines.flatMap(({ facts }) => Object.keys(facts))).toEqual([]);
  });

  test("uses the interactive level for its own random password", async () => {
    const wallet = await openWallet(settingsOf({ name: "dev" }));
    const file = readFileSync(path);
    expect(file.readUInt32BE(12)).toBe(interactiveCost.passes);
    expect(file.readUInt32BE(16) * 1024).toBe(interactiveCost.memory);
    expect(addresses(await openWallet(settingsOf()))).toEqual(addresses(wallet));
  });

  test("refuses a seed that differs from the file's", async () => {
    await open({ seed: root });
    const before = readFileSync(path);
    await expect(open({ seed: encodeUtf8("rout") })).rejects.toThrow(SeedMismatchError);
    expect(readFileSync(path)).toEqual(before);
    expect(addresses(await open({ seed: root }))).toEqual(["3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt"]);
  });

  test("keeps the seed of an existing file on dev", async () => {
    await open({ seed: encodeUtf8("other") });
    expect((await open({ name: "dev" })).seed()).toEqual(encodeUtf8("other"));
  });

  test("reports the format or version of another file", async () => {
    await open({ password: "p" });
    const newer = readFileSync(path);
    newer[11] = 2;
    writeFileSync(path, newer);
    await expect(open({ password: "p" })).rejects.toThrow(/format is version 2/);
    writeFileSync(path, "PcAbx8fukqtitAnABdPiqXlnFlQFAahaQX/JIYdLlI3YhRLqRWpbDgj0PqAq6dtJ");
    await expect(open({ password: "p" })).rejects.toThrow(/wallet convert/);
    rmSync(path);
    mkdirSync(path);
    await expect(open({ password: "p" })).rejects.toThrow(WalletFileError);
  });

  test("finds no wallet without a file, and writes nothing", async () => {
    expect(await loadWallet(settingsOf(), cost)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("creates a first account for an empty wallet", async () => {
    const wallet = await open({ seed: root });
    const first = wallet.accounts()[0];
    await wallet.deleteAccount(first.address);
    expect(wallet.accounts()).toEqual([]);
    expect((await loadWallet(settingsOf(), cost))?.accounts()).toEqual([]);
    const again = await open();
    expect(again.accounts()).toHaveLength(1);
    expect(again.has(first.address)).toBe(false);
  });
});

describe("changing", () => {
  test("adds accounts by nonce, remembers their age, and survives a restart", async () => {
    const wallet = await open({ seed: root });
    for (let nonce = 1; nonce <= 6; nonce++) {
      const account = await wallet.addAccount();
      const again = await loadWallet(settingsOf(), cost);
      expect(again?.accountsByAge()).toHaveLength(nonce + 1);
      expect(again?.accountsByAge().at(-1)).toEqual(account);
    }
    const again = await open();
    expect(again.accountsByAge()).toEqual(wallet.accountsByAge());
    expect(again.accounts()).toEqual(wallet.accounts());
    expect(addressText(again.oldest()?.address ?? new Uint8Array())).toBe(
      "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt",
    );
  });

  test("never reuses a deleted account's nonce; the next account becomes the oldest", async () => {
    const wallet = await open({ seed: root });
    const second = await wallet.addAccount();
    const third = await wallet.addAccount();
    await wallet.deleteAccount(third.address);
    const fourth = await wallet.addAccount();
    expect(fourth.address).not.toEqual(third.address);
    await wallet.deleteAccount(wallet.accountsByAge()[0].address);
    expect(wallet.oldest()).toEqual(second);
    const again = await open();
    expect(again.accountsByAge()).toEqual([second, fourth]);
    await expect(again.deleteAccount(third.address)).rejects.toThrow(NoPrivateKeyError);
    expect(() => again.sign(third.address, root)).toThrow(NoPrivateKeyError);
  });

  test("runs concurrent changes one after the other", async () => {
    const wallet = await open({ seed: root });
    await Promise.all(Array.from({ length: 10 }, () => wallet.addAccount()));
    expect(wallet.accounts()).toHaveLength(11);
    expect((await open()).accountsByAge()).toEqual(wallet.accountsByAge());
  });

  test("adds no existing account, but advances the nonce", async () => {
    const seeds = [0, 1, 3].map((nonce) => accountSeed(root, nonce));
    const wallet = await createWalletFile({ seed: root, accountSeeds: seeds, nonce: 0 }, settingsOf(), cost);
    await expect(wallet.addAccount()).rejects.toThrow(AccountExistsError);
    expect(wallet.accounts()).toHaveLength(3);
    expect((await wallet.addAccount()).address).not.toEqual(undefined);
    expect(wallet.accounts()).toHaveLength(4);
    await expect(wallet.addAccount()).rejects.toThrow(AccountExistsError);
  });

  test("is undone if it cannot be stored", async () => {
    const wallet = await open({ seed: root });
    const before = wallet.accountsByAge();
    rmSync(join(folder, "wallet"), { recursive: true });
    writeFileSync(join(folder, "wallet"), "in the way");
    await expect(wallet.addAccount()).rejects.toThrow(WalletFileError);
    await expect(wallet.deleteAccount(before[0].address)).rejects.toThrow(WalletFileError);
    expect(wallet.accountsByAge()).toEqual(before);
    rmSync(join(folder, "wallet"));
    const added = await wallet.addAccount();
    // The failed attempt did not use up its nonce.
    const twin = await open({ path: join(folder, "twin"), seed: root });
    expect((await twin.addAccount()).address).toEqual(added.address);
  });

  test("signs, and after closing holds no secret", async () => {
    const wallet = await open({ seed: root });
    const account = wallet.accounts()[0];
    const message = encodeUtf8("a message");
    const signature = wallet.sign(account.address, message);
    expect(verify({ keyType: "ed25519", bytes: account.publicKey }, message, signature)).toBe(true);
    const { privateKey } = wallet.keyPair(account.address);
    expect(privateKey.some((byte) => byte !== 0)).toBe(true);
    await wallet.close();
    await wallet.close();
    expect(privateKey.every((byte) => byte === 0)).toBe(true);
    expect(() => wallet.sign(account.address, message)).toThrow(NoPrivateKeyError);
    await expect(wallet.addAccount()).rejects.toThrow(/closed/);
  });

  test("wipes and reuses the memory of a deleted account", async () => {
    const wallet = await open({ seed: root });
    const second = await wallet.addAccount();
    const { privateKey } = wallet.keyPair(second.address);
    await wallet.deleteAccount(second.address);
    expect(privateKey.every((byte) => byte === 0)).toBe(true);
    const third = await wallet.addAccount();
    expect(wallet.keyPair(third.address).privateKey.buffer).toBe(privateKey.buffer);
  });

  test("holds more accounts than the pages of one slab", async () => {
    const seeds = Array.from({ length: 400 }, (_, nonce) => accountSeed(root, nonce));
    const wallet = await createWalletFile(
      { seed: root, accountSeeds: seeds, nonce: 399 },
      settingsOf(),
      cost,
    );
    const again = await open();
    expect(again.accountsByAge()).toEqual(wallet.accountsByAge());
    expect(new Set(addresses(again)).size).toBe(400);
    const message = encodeUtf8("m");
    for (const account of again.accountsByAge()) {
      const signature = again.sign(account.address, message);
      expect(verify({ keyType: "ed25519", bytes: account.publicKey }, message, signature)).toBe(true);
    }
  });
});

describe("an account-based wallet", () => {
  test("is in memory and cannot be changed", async () => {
    const wallet = await open({ accountSeed: accountSeed(root, 0) });
    expect(addresses(wallet)).toEqual(["3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt"]);
    expect(wallet.isAccountBased).toBe(true);
    await expect(wallet.addAccount()).rejects.toThrow(AccountBasedWalletError);
    await expect(wallet.deleteAccount(new Uint8Array(26))).rejects.toThrow(NoPrivateKeyError);
    await expect(wallet.deleteAccount(wallet.accounts()[0].address)).rejects.toThrow(AccountBasedWalletError);
    expect(() => wallet.seed()).toThrow(AccountBasedWalletError);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("stays account-based in a file, and matches no seed", async () => {
    const seed = accountSeed(root, 7);
    await createWalletFile(
      { seed: new Uint8Array(0), accountSeeds: [seed], nonce: 0, accountSeed: seed },
      settingsOf(),
      cost,
    );
    const wallet = await open();
    expect(wallet.isAccountBased).toBe(true);
    await expect(open({ seed: new Uint8Array(0) })).rejects.toThrow(SeedMismatchError);
  });
});
