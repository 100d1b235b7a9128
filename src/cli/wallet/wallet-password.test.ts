import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Secret } from "../../config/kinds/secret.ts";
import { dev } from "../../profiles/index.ts";
import { StoreInUseError } from "../../storage/disk/lock.ts";
import { settingsOf } from "../../testing/settings.ts";
import type { KeyCost } from "../../wallet/file.ts";
import { loadWallet, openWallet, passwordPath } from "../../wallet/open.ts";
import { ExitCode } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { runCommand } from "../testing/fake-node.ts";

/** The minimum of Argon2id. */
const cost: KeyCost = { passes: 1, memory: 8_192 };

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-passwd-"));
  file = join(folder, "wallet", "wallet.bin");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const walletOf = (password: string | undefined) =>
  settingsOf(dev, {
    dataDir: folder,
    wallet: { file, password: password === undefined ? undefined : new Secret(password) },
  });

async function makeWallet(password?: string): Promise<void> {
  await (await openWallet(walletOf(password), { cost })).close();
}

/** Returns the number of accounts, if the password opens the wallet. */
async function accountsWith(password: string | undefined): Promise<number | string> {
  try {
    const wallet = await loadWallet(walletOf(password), cost);
    const count = wallet?.accounts().length ?? "no wallet";
    await wallet?.close();
    return count;
  } catch (error) {
    return (error as Error).name;
  }
}

function secretFile(content: string): string {
  const path = join(folder, "secret");
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

function passwd(args: readonly string[], changes: Partial<Io> = {}) {
  const lockDataDir = async () => ({ release: async () => {} });
  return runCommand(["wallet", "passwd", "--data-dir", folder, ...args], {
    lockDataDir,
    walletKeyCost: cost,
    ...changes,
  });
}

/** A terminal on which a user types these lines. */
function typing(...lines: string[]) {
  const prompts: (readonly string[])[] = [];
  return {
    prompts,
    askSecrets: async (asked: readonly string[]) => {
      prompts.push(asked);
      return lines.slice(0, asked.length);
    },
  };
}

describe("holdfast wallet passwd", () => {
  test("replaces the random stored password by one that is typed twice, and keeps the file's mode", async () => {
    await makeWallet();
    chmodSync(file, 0o640);
    const { prompts, askSecrets } = typing("new words", "new words");
    const { code, out, err } = await passwd([], { askSecrets });
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toMatch(
      /^Changed the password of .*wallet\.bin\. The new password is not stored: give it to the node in HOLDFAST_/,
    );
    expect(prompts).toEqual([["New password", "New password again"]]);
    expect(existsSync(passwordPath(file))).toBe(false);
    expect(await accountsWith("new words")).toBe(1);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(folder, "wallet"))).toEqual(["wallet.bin"]);
  });

  test("asks for the current password too, or reads both from files or variables", async () => {
    await makeWallet("one");
    const { prompts, askSecrets } = typing("one", "two", "two");
    expect(await passwd([], { askSecrets })).toMatchObject({ code: 0 });
    expect(prompts).toEqual([["Current password", "New password", "New password again"]]);
    const files = {
      HOLDFAST_WALLET_PASSWORD: "two",
      HOLDFAST_NEW_WALLET_PASSWORD_FILE: secretFile("four\n"),
    };
    expect(await passwd([], { environment: files })).toMatchObject({ code: 0 });
    const flags = ["--wallet-password-file", secretFile("four\n"), "--new-password-file"];
    expect(await passwd([...flags, secretFile("four\n")])).toMatchObject({ code: 0 });
    expect(await accountsWith("four")).toBe(1);
  });

  test("ends with code 3 after a wrong current password, and changes nothing", async () => {
    await makeWallet("one");
    const before = readFileSync(file);
    const { askSecrets } = typing("wrong", "two", "two");
    const { code, err } = await passwd([], { askSecrets });
    expect(code).toBe(ExitCode.wallet);
    expect(err).toMatch(/the password is wrong or the file is damaged\. It was not changed\.\n$/);
    expect(err).not.toMatch(/two|one/);
    expect(readFileSync(file)).toEqual(before);
  });

  test("refuses missing, empty, different and contradicting passwords, and changes nothing", async () => {
    await makeWallet("one");
    const before = readFileSync(file);
    const environment = { HOLDFAST_WALLET_PASSWORD: "one" };
    const refused = async (args: readonly string[], changes: Partial<Io>) => {
      const { code, err } = await passwd(args, { environment, ...changes });
      expect(code).toBe(ExitCode.usage);
      expect(readFileSync(file)).toEqual(before);
      return err;
    };
    expect(await refused([], { environment: {} })).toMatch(
      /^The current password is missing: give it with --wallet-pa/,
    );
    expect(await refused([], {})).toMatch(/^The new password is missing: give it with --new-password-file/);
    expect(await refused([], typing("two", "too"))).toBe(
      "The two entries of the new password differ: nothing was changed\n",
    );
    expect(await refused([], typing("", ""))).toMatch(
      /^The new password: expected a text of 1 to 10000 characters/,
    );
    expect(await refused(["--new-password-file", "/nowhere"], {})).toMatch(
      /^--new-password-file: cannot read \/nowhere: /,
    );
    const both = {
      ...environment,
      HOLDFAST_NEW_WALLET_PASSWORD: "a",
      HOLDFAST_NEW_WALLET_PASSWORD_FILE: "b",
    };
    expect(await refused([], { environment: both })).toBe(
      "HOLDFAST_NEW_WALLET_PASSWORD and HOLDFAST_NEW_WALLET_PASSWORD_FILE: give only one of them\n",
    );
    const fixed = { ...environment, HOLDFAST_WALLET_ACCOUNT_SEED: "3vf24b" };
    expect(await refused([], { environment: fixed })).toMatch(/^A wallet of one fixed account/);
  });

  test("refuses while a node runs, and without a wallet, and creates nothing", async () => {
    const environment = { HOLDFAST_NEW_WALLET_PASSWORD: "two" };
    const none = await passwd([], { environment });
    expect(none).toMatchObject({
      code: ExitCode.wallet,
      err: expect.stringMatching(/^There is no wallet at /),
    });
    expect(readdirSync(folder)).toEqual([]);
    await makeWallet();
    const before = readFileSync(file);
    const lockDataDir = () => Promise.reject(new StoreInUseError(folder, { pid: 4711, socket: "" }));
    const { code, err } = await passwd([], { environment, lockDataDir });
    expect(code).toBe(ExitCode.dataDirectory);
    expect(err).toContain("4711");
    expect(readFileSync(file)).toEqual(before);
  });

  test("leaves the old file whole if the new one cannot be written", async () => {
    await makeWallet();
    const before = readFileSync(file);
    // A directory in the way of the new file.
    mkdirSync(join(folder, "wallet", ".wallet.bin.new"));
    const { code, err } = await passwd([], { environment: { HOLDFAST_NEW_WALLET_PASSWORD: "two" } });
    expect(code).toBe(ExitCode.wallet);
    expect(err).toMatch(/^Wallet file .*wallet\.bin: it cannot be written: /);
    expect(readFileSync(file)).toEqual(before);
    expect(await accountsWith(undefined)).toBe(1);
  });
});
