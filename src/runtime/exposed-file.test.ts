import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isExposed } from "./exposed-file.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-exposed-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Any user but root and the owner of the test's files. */
const other = 4_000_000_000;

describe("a file is exposed", () => {
  test.each([
    [0o600, undefined, false],
    [0o400, undefined, false],
    [0o640, undefined, true],
    [0o604, undefined, true],
    [0o602, undefined, true],
    [0o640, other, false],
    [0o660, other, true],
    [0o644, other, true],
  ])("with mode %o, for user %s: %s", (mode, uid, expected) => {
    const path = join(folder, "file");
    writeFileSync(path, "");
    chmodSync(path, mode);
    expect(isExposed(path, uid)).toBe(expected);
  });

  test("never if it is missing, or is a device", () => {
    expect(isExposed(join(folder, "missing"))).toBe(false);
    expect(isExposed("/dev/null")).toBe(false);
  });
});
