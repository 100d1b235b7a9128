import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DiskPeersFile } from "../peers/database/peers-file.ts";
import { openStore } from "../storage/store.ts";
import { replaceSecretFile } from "../wallet/file.ts";
import { makeDirectory } from "./make-directory.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-mkdir-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("creates missing parents with the given mode, and accepts an existing directory", () => {
  const path = join(folder, "a", "b", "c");
  makeDirectory(path, 0o700);
  makeDirectory(path, 0o700);
  for (const directory of [path, join(folder, "a")]) expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test("fails if a part of the path is a file or a link to nothing", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => makeDirectory(join(folder, "file", "x"))).toThrow("ENOTDIR");
  symlinkSync(join(folder, "missing"), join(folder, "link"));
  expect(() => makeDirectory(join(folder, "link"))).toThrow("ENOENT");
});

// The recursive mkdir of Node.js never returns here.
test.runIf(process.platform === "linux")("fails at once below /proc, for every user of it", async () => {
  expect(() => makeDirectory("/proc/x/y")).toThrow(
    "ENOTSUP: the file system of /proc cannot hold new directories, mkdir '/proc/x'",
  );
  await expect(openStore("/proc/x/chain", { network: "test" })).rejects.toThrow(
    "The data directory /proc/x/chain cannot be opened: its file system cannot hold new directories (/proc/x)",
  );
  await expect(replaceSecretFile("/proc/x/wallet", new Uint8Array(1))).rejects.toThrow(
    "ENOTSUP: the file system of /proc",
  );
  await expect(new DiskPeersFile("/proc/x/peers").write(new Uint8Array(1))).rejects.toThrow("ENOTSUP");
});
