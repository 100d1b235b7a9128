import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeBase58 } from "../bytes/base58.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { parseApiKeys } from "../config/kinds/api-key-list.ts";
import { secureHash } from "../crypto/hashes.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { ExitCode } from "./exit-codes.ts";
import { run } from "./program.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-apikey-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function apikey(...args: string[]): Promise<{ code: ExitCode; out: string; err: string }> {
  let out = "";
  let err = "";
  const nothing = () => {
    throw new Error("this command does no such thing");
  };
  const code = await run(["apikey", ...args], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    environment: {},
    onSignal: () => () => {},
    onHangup: () => () => {},
    onOrphaned: () => () => {},
    clock: new VirtualClock(Date.UTC(2026, 0, 1)),
    spawn: nothing,
    isRunning: nothing,
    exit: nothing,
    startNode: nothing,
    lockDataDir: nothing,
  });
  return { code, out, err };
}

test("a new key is random, is shown once, and its entry has its hash", async () => {
  const args = ["new", "backup", "--scope", "wallet", "--scope", "read", "--expires", "2027-01-31"];
  const first = await apikey(...args);
  const second = await apikey(...args);
  expect(first.code).toBe(ExitCode.ok);
  const key = /^Key of backup \(shown only once\): (\w{40,50})\n$/.exec(first.err)?.[1] ?? "";
  expect(first.out).not.toContain(key);
  expect(second.err).not.toContain(key);
  expect(parseApiKeys(first.out)).toEqual([
    {
      name: "backup",
      scopes: ["read", "wallet"],
      hash: secureHash(encodeUtf8(key)),
      expiresAt: Date.UTC(2027, 0, 31),
    },
  ]);
});

test.each([
  [["new", "a b", "--scope", "read"], 'invalid name "a b"'],
  [["new", "a"], "--scope is missing: give read, wallet or admin"],
  [["new", "a", "--scope", "write"], 'unknown scope "write": expected some of read, wallet, admin'],
  [["new", "a", "--scope", "read", "--expires", "soon"], 'invalid expires "soon"'],
  [
    ["new", "a", "--scope", "read", "--expires", "2025-12-31"],
    "--expires: the time 2025-12-31 is in the past",
  ],
])("%j is wrong usage, and prints no key", async (args, message) => {
  const { code, out, err } = await apikey(...args);
  expect([code, out]).toEqual([ExitCode.usage, ""]);
  expect(err).toContain(message);
  expect(err).not.toContain("Key of");
});

test("the hash of a key ignores the newline at its end", async () => {
  const path = join(folder, "key");
  const key = "correct-horse-battery";
  writeFileSync(path, `${key}\n`);
  const hash = encodeBase58(secureHash(encodeUtf8(key)));
  expect(await apikey("hash", path)).toEqual({ code: ExitCode.ok, out: `${hash}\n`, err: "" });
});

test("a short key is hashed with a warning, and one that no header can contain is refused", async () => {
  const path = join(folder, "key");
  writeFileSync(path, "short");
  expect((await apikey("hash", path)).err).toContain("fewer than 20 characters");
  for (const key of ["", "\n", " a", "a\nb"]) {
    writeFileSync(path, key);
    expect(await apikey("hash", path)).toMatchObject({ code: ExitCode.usage, out: "" });
  }
});
