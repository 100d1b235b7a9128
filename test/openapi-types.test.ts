/** Types generated from the API description are usable: the README's calls compile with them. */
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openApiDocument } from "../src/api/openapi/document.ts";
import { readRecordedExamples } from "../src/api/openapi/examples.ts";
import { routes } from "../src/api/routes/all.ts";
import { NOW, testInfo } from "../src/api/testing/server.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";

const tools = join(import.meta.dirname, "..", "tools", "openapi-typescript");
const folder = temporaryFolder("openapi-types");
afterAll(() => removeFolder(folder));

/** Returns the output of a program, even if it failed. */
function run(file: string, args: readonly string[], options: ExecFileSyncOptions = {}): string {
  try {
    return String(execFileSync(process.execPath, [file, ...args], { ...options, stdio: "pipe" }));
  } catch (error) {
    // `execFileSync` throws an error of this form.
    const { stdout, stderr } = error as { readonly stdout?: Buffer; readonly stderr?: Buffer };
    return `${stdout ?? ""}${stderr ?? ""}${stdout === undefined ? error : ""}`;
  }
}

/** Returns the compiler's messages about the calls. */
function compile(): string {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin/tsc",
  );
  const options = ["--noEmit", "--strict", "--allowImportingTsExtensions", "--module", "esnext"];
  return run(compiler, [...options, "--target", "es2022", "--types", "", join(folder, "calls.ts")], {
    cwd: folder,
  });
}

test("the README's calls compile, and transactions are discriminated by type", () => {
  const description = join(folder, "description.json");
  writeFileSync(
    description,
    JSON.stringify(openApiDocument(routes, testInfo(), readRecordedExamples(), NOW)),
  );
  const generator = join(tools, "node_modules", "openapi-typescript", "bin", "cli.js");
  run(generator, [description, "-o", join(folder, "api.ts")], { cwd: tools });
  copyFileSync(join(tools, "calls.ts"), join(folder, "calls.ts"));
  const out = compile();
  expect(out).toBe("");
});
