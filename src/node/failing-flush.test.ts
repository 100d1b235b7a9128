/** A disk that does not confirm writes: files that are replaced as a whole are the old or the new ones. */
import fs, { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { DiskPeersFile } from "../peers/database/peers-file.ts";
import { DiskError, withDiskErrors } from "../storage/disk/disk-error.ts";
import { openStore } from "../storage/store.ts";
import { WalletFileError } from "../wallet/errors.ts";
import { readSecretFile, replaceSecretFile } from "../wallet/file.ts";

/** Counts down to the flush that fails; 0: none. */
const disk = { failAt: 0, code: "EIO", flushes: 0 };

function flush(): void {
  disk.flushes++;
  if (disk.failAt > 0 && --disk.failAt === 0) throw Object.assign(new Error(disk.code), { code: disk.code });
}

const home = mkdtempSync(join(tmpdir(), "holdfast-flush-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(async () => {
  disk.failAt = 0;
  disk.flushes = 0;
  // The original functions, because test files share modules.
  const handle = await open(home, "r");
  vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync").mockImplementation(async () => flush());
  await handle.close();
  vi.spyOn(fs, "fsyncSync").mockImplementation(flush);
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const old = new Uint8Array(900).fill(1);
const next = new Uint8Array(700).fill(2);

test.each([
  ["EIO", 1],
  ["ENOSPC", 1],
  ["EIO", 2],
  ["ENOSPC", 2],
])("wallet and peers file are whole after %s at flush %i, and can be written again", async (code, at) => {
  for (const [name, write, read] of [
    ["wallet", replaceSecretFile, readSecretFile],
    [
      "peers",
      (path: string, bytes: Uint8Array) => new DiskPeersFile(path).write(bytes),
      (path: string) => new DiskPeersFile(path).read(2_000),
    ],
  ] as const) {
    const path = join(home, name);
    await write(path, old);
    Object.assign(disk, { failAt: at, code });
    const failure = await write(path, next).catch((error: unknown) => error);
    expect(String(failure)).toContain(code);
    if (name === "wallet") expect(failure).toBeInstanceOf(WalletFileError);
    // The file is flushed before it is renamed, its directory after that.
    expect(new Uint8Array(readFileSync(path))).toEqual(at === 1 ? old : next);
    await write(path, next);
    expect(await read(path)).toEqual(next);
  }
});

test.each(["EIO", "ENOSPC"])(
  "a store whose files are not flushed (%s) says so, and is made by the next start",
  async (code) => {
    const whole = join(home, `whole-${code}`);
    await (await openStore(whole, { network: "x" })).close();
    const { flushes } = disk;
    expect(flushes).toBeGreaterThan(1);
    for (let at = 1; at <= flushes; at++) {
      const directory = join(home, `${code}-${at}`);
      Object.assign(disk, { failAt: at, code });
      const failure = await withDiskErrors(directory, () => openStore(directory, { network: "x" })).catch(
        (error: unknown) => error,
      );
      expect(failure).toBeInstanceOf(DiskError);
      expect(String(failure)).toContain(directory);
      disk.failAt = 0;
      await (await openStore(directory, { network: "x" })).close();
    }
  },
);
