import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ExitCode } from "../../exit-codes.ts";
import { runCommand } from "../../testing/fake-node.ts";

const home = mkdtempSync(join(tmpdir(), "holdfast-mirror-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const url = "postgres://writer@127.0.0.1:1/chain";

test.each([
  ["no database", ["mirror"], "--to is missing"],
  ["no database to verify", ["mirror", "verify"], "--to is missing"],
  ["a password in the address", ["mirror", "--to", "postgres://a:hunter2@db/x"], "contains a password"],
  ["a password for a gateway", ["gateway", "--from", "postgres://a:hunter2@db/x"], "contains a password"],
  ["a wrong duration", ["mirror", "--to", url, "--max-lag", "soon"], "--max-lag: 'soon' is not a duration"],
])("%s is refused as wrong usage, without secrets", async (_, args, message) => {
  const { code, err } = await runCommand([...args, "--data-dir", home]);
  expect(code).toBe(ExitCode.usage);
  expect(err).toContain(message);
  expect(err).not.toContain("hunter2");
});

test("verify takes its own options, and needs a chain", async () => {
  const { code, err } = await runCommand(["mirror", "verify", "--to", url, "--data-dir", home]);
  expect(code).toBe(ExitCode.dataDirectory);
  expect(err).toContain("has no chain");
});
