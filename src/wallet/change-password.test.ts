/** Changing the password of a wallet file, with a kill before each step that changes the disk. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import type { KeyCost } from "./file.ts";
import { changePassword, currentPassword, loadWallet, openWallet, passwordPath } from "./open.ts";

/** The minimum of Argon2id. */
const cost: KeyCost = { passes: 1, memory: 8_192 };

const home = mkdtempSync(join(tmpdir(), "holdfast-change-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The step at which the process is killed: it and all later ones fail. */
let killAt: number;
let steps: number;

function failingAfterKill<T extends object>(target: T, name: keyof T): void {
  const original = target[name] as unknown as (...args: unknown[]) => unknown;
  vi.spyOn(target as Record<keyof T, () => unknown>, name as never).mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    if (steps++ >= killAt) return Promise.reject(new Error("killed"));
    return original.apply(this, args);
  } as never);
}

beforeEach(async () => {
  killAt = Number.POSITIVE_INFINITY;
  const handle = await fs.open(home, "r");
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  for (const name of ["writeFile", "chown", "chmod", "sync"] as const) failingAfterKill(prototype, name);
  for (const name of ["open", "rename", "unlink"] as const) failingAfterKill(fs, name);
  await handle.close();
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const settingsOf = (file: string, password?: string) => ({
  wallet: { file, password: password === undefined ? undefined : { reveal: () => password } },
  profile: { name: "custom" as const, chainId: 84 },
});

/** Returns the wallet's first address, or the text of the error. */
async function opened(file: string, password?: string): Promise<string> {
  try {
    const wallet = await loadWallet(settingsOf(file, password), cost);
    const address = Buffer.from(wallet?.oldest()?.address ?? []).toString("hex");
    await wallet?.close();
    return address;
  } catch (error) {
    return (error as Error).message;
  }
}

test("a kill at any step leaves a wallet that opens with the old or the new password, and a second call completes the change", async () => {
  const seen = new Set<string>();
  for (let at = 0; !seen.has("complete"); at++) {
    expect(at).toBeLessThan(40);
    const folder = join(home, String(at));
    const file = join(folder, "wallet.bin");
    const stored = passwordPath(file);
    const wallet = await openWallet(settingsOf(file), { cost });
    const address = Buffer.from(wallet.oldest()?.address ?? []).toString("hex");
    await wallet.close();
    const change = async (): Promise<void> => {
      const old = await currentPassword(settingsOf(file));
      expect(old).toBeDefined();
      await changePassword(file, old ?? "", "new", cost, cost);
    };

    steps = 0;
    killAt = at;
    const failure = await change().catch((error: unknown) => error);
    killAt = Number.POSITIVE_INFINITY;
    const withoutPassword = await opened(file);
    const withNew = await opened(file, "new");
    expect(await opened(file, "other")).toBe(
      `Wallet file ${file} cannot be opened: the password is wrong or the file is damaged. It was not changed.`,
    );
    if (withoutPassword === address) {
      seen.add("unchanged");
      expect(withNew).toMatch(/the password is wrong/);
    } else {
      expect(withNew).toBe(address);
      if (readdirSync(folder).includes("wallet.bin.password")) {
        seen.add("old password stored");
        expect(withoutPassword).toBe(
          `Wallet file ${file} cannot be opened: the password in ${stored} is wrong or the file is damaged. It was not ` +
            "changed. If `holdfast wallet passwd` was interrupted, its new password opens the file: run the same " +
            `command again, or delete ${stored} and set HOLDFAST_WALLET_PASSWORD.`,
        );
      } else {
        seen.add(failure === undefined ? "complete" : "not flushed");
        expect(withoutPassword).toMatch(/needs a password: none was given/);
      }
    }

    if (readdirSync(folder).includes("wallet.bin.password")) await change();
    expect(await opened(file, "new")).toBe(address);
    expect(readdirSync(folder)).toEqual(["wallet.bin"]);
  }
  expect([...seen]).toEqual(["unchanged", "old password stored", "not flushed", "complete"]);
});

test("a stored password that opens neither way is not removed", async () => {
  const file = join(home, "damaged", "wallet.bin");
  await (await openWallet(settingsOf(file, "own"), { cost })).close();
  await fs.writeFile(passwordPath(file), "another\n");
  const old = await currentPassword(settingsOf(file));
  await expect(changePassword(file, old ?? "", "new", cost, cost)).rejects.toThrow(
    /the password in .* is wrong/,
  );
  expect(await currentPassword(settingsOf(file))).toBe("another");
  expect(await opened(file, "own")).toMatch(/^[0-9a-f]{52}$/);
});
