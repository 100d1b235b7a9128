/** The last lines of `.ci/run`, after a run that was killed because a test hung, and after a complete run. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";

const project = join(import.meta.dirname, "..");
const script = (name: string): string => join(project, "scripts", name);
let folder: string;

beforeEach(() => {
  folder = temporaryFolder("ci-summary");
  writeFileSync(join(folder, "progress"), "");
});

afterEach(() => removeFolder(folder));

/** @param code exit code of the tests; two other checks passed */
function summary(code: number): { status: number | null; stdout: string; stderr: string } {
  const files = [join(folder, "report.json"), String(code), "2", "0", join(folder, "progress")];
  const { status, stdout, stderr } = spawnSync(process.execPath, [script("ci-summary.mjs"), ...files], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** Starts the tests of `good.test.mjs` and `bad.test.mjs` in the folder, like `.ci/run`. */
function startTests(good: string, bad: string) {
  writeFileSync(join(folder, "good.test.mjs"), good);
  writeFileSync(join(folder, "bad.test.mjs"), bad);
  const setupFiles = [join(project, "test", "support", "progress.mjs")];
  writeFileSync(
    join(folder, "vitest.config.mjs"),
    `export default ${JSON.stringify({ test: { setupFiles } })}`,
  );
  const options = [
    "--globals",
    "--maxWorkers=2",
    "--reporter=json",
    `--outputFile.json=${join(folder, "report.json")}`,
  ];
  const vitest = join(project, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(
    process.execPath,
    [vitest, "run", "--root", folder, ...options],
    // Use a separate process group: a hanging worker outlives the process that started it.
    {
      cwd: folder,
      detached: true,
      stdio: "ignore",
      env: { ...process.env, TEST_PROGRESS: join(folder, "progress") },
    },
  );
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { pid: Number(child.pid), ended };
}

test("a killed run names the test that hung with its file, and counts the other tests", async () => {
  const { pid, ended } = startTests(
    'test("one", () => {}); test("two", () => expect(1).toBe(2));',
    'describe("what", () => { test("comes first", () => {}); test("hangs", () => { for (;;); }); });',
  );
  const lines = (): string => readFileSync(join(folder, "progress"), "utf8");
  try {
    await expect
      .poll(lines, { timeout: 150_000 })
      .toMatch(/(?=[\s\S]*"file ends","file":"good)(?=[\s\S]*"test begins".*hangs)/);
  } finally {
    process.kill(-pid, "SIGKILL");
    await ended;
  }
  expect(summary(124)).toEqual({
    status: 1,
    stdout: "4 passed, 2 failed\n",
    stderr: "The tests ended with code 124 and left no report.\nNot finished: bad.test.mjs\n  what > hangs\n",
  });
});

test("a complete run prints the counts of its report", async () => {
  const { ended } = startTests('test("one", () => {});', "throw new Error('not loaded');");
  const code = await ended;
  expect(code).toBe(1);
  expect(summary(1)).toEqual({ status: 1, stdout: "3 passed, 1 failed\n", stderr: "" });
});
