/** `npm ci` always installs the same packages: the lock file has the hash of each archive. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Entry {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

// The format that npm documents for version 3 of the file.
const { packages } = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "package-lock.json"), "utf8"),
) as { packages: Readonly<Record<string, Entry>> };
// The project's own folders are not archives: the root, and the packages under `tools/`, which tests use.
const entries = Object.entries(packages).filter(([path, { link }]) => isFetched(path) && link !== true);

function isFetched(path: string): boolean {
  return path.includes("node_modules/");
}

/** Optional binaries for other machines, whose archives cannot be fetched here. */
const UNSEEN = [
  ...["android-arm64", "android-x64", "darwin-arm64", "darwin-x64"].map((name) => `@biomejs/cli-${name}`),
  ...["linux-arm64-musl", "linux-x64-musl", "win32-arm64", "win32-x64"].map((name) => `@biomejs/cli-${name}`),
  ...["darwin-arm64", "darwin-x64", "linux-arm", "win32-x64"].map(
    (name) => `@msgpackr-extract/msgpackr-extract-${name}`,
  ),
];

test("every package of the lock file has the hash of its archive, except binaries of other machines", () => {
  expect(entries.length).toBeGreaterThan(100);
  const without = entries.filter(
    ([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ""),
  );
  expect(without.map(([path]) => path.replace("node_modules/", "")).sort()).toEqual([...UNSEEN].sort());
  for (const [, { optional, os, cpu }] of without) {
    expect(optional).toBe(true);
    expect(os?.length).toBe(1);
    expect(cpu?.length).toBe(1);
  }
});

test("the lock file contains no registry host", () => {
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
