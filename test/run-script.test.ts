/** `scripts/run.mjs`: a clone installs and builds what is missing, once, however many commands run at the same time. */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const project = join(import.meta.dirname, "..");
let clone: string;

/** Replaces Vite: writes the page, or the code with which the node renders it. */
const vite = `#!${process.execPath}
const fs = require("node:fs");
const folder = process.argv[process.argv.indexOf("--outDir") + 1];
fs.mkdirSync(folder);
const isServer = process.argv.includes("--ssr");
fs.writeFileSync(folder + (isServer ? "/en.js" : "/index.html"), isServer ? "" : "the page");
`;

/** Replaces the compiler: removes the types and takes a second per call. */
const tsc = `#!${process.execPath}
const fs = require("node:fs");
const folder = process.argv[process.argv.indexOf("--outDir") + 1];
fs.mkdirSync(folder);
fs.writeFileSync(folder + "/cli.js", fs.readFileSync("src/cli.ts", "utf8").replace(/^declare .*/gm, ""));
fs.mkdirSync(folder + "/client/testing", { recursive: true });
fs.writeFileSync(folder + "/client/testing/write-shapes.js", "");
`;

/** Replaces npm: records the call, takes some time, and installs the fake packages. */
const npm = `
const fs = require("node:fs");
fs.appendFileSync("npm-calls", process.argv.slice(2).join(" ") + "\\n");
fs.rmSync("node_modules", { recursive: true, force: true });
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
fs.mkdirSync("node_modules/.bin", { recursive: true });
fs.writeFileSync("node_modules/.bin/tsc", ${JSON.stringify(tsc)}, { mode: 0o755 });
fs.writeFileSync("node_modules/.bin/vite", ${JSON.stringify(vite)}, { mode: 0o755 });
`;

beforeEach(() => {
  clone = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-clone-")));
  for (const name of ["scripts", "tsconfig.build.json"])
    cpSync(join(project, name), join(clone, name), { recursive: true });
  // The clone has nothing to bundle, and no node to start.
  for (const name of ["bundle.mjs", "code-cache.mjs"]) writeFileSync(join(clone, "scripts", name), "");
  const options = readFileSync(join(project, "tsconfig.json"), "utf8").replace(
    '"types": ["node"]',
    '"types": []',
  );
  writeFileSync(join(clone, "tsconfig.json"), options);
  writeFileSync(join(clone, "package.json"), '{"name":"x","version":"1.0.0","type":"module"}');
  writeFileSync(
    join(clone, "package-lock.json"),
    '{"packages":{"":{},"node_modules/a":{"version":"1.0.0"}}}',
  );
  mkdirSync(join(clone, "npm"));
  writeFileSync(join(clone, "npm", "package.json"), '{"type":"commonjs"}');
  writeFileSync(join(clone, "npm", "npm-cli.js"), npm);
  mkdirSync(join(clone, "src", "client", "testing"), { recursive: true });
  writeFileSync(join(clone, "src", "client", "decode.ts"), "export type Shape = object;\n");
  writeFileSync(join(clone, "src", "client", "testing", "write-shapes.ts"), "export {};\n");
  source("console.log('ran ' + process.argv.slice(2) + ' in ' + process.cwd());");
});

afterEach(() => rmSync(clone, { recursive: true, force: true }));

function source(text: string): void {
  // The clone lacks the types of Node.js.
  const declarations =
    "declare const process: { argv: string[]; cwd(): string };\ndeclare const console: { log(text: unknown): void };";
  writeFileSync(join(clone, "src", "cli.ts"), `${declarations}\n${text}\nexport {};\n`);
}

/** Makes Node.js report another version. */
function pretending(version: string): string[] {
  const path = join(clone, `node-${version}.cjs`);
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  const lines = [
    `Object.defineProperty(process, "versions", { value: ${versions} });`,
    `Object.defineProperty(process, "version", { value: "v${version}" });`,
  ];
  writeFileSync(path, lines.join("\n"));
  return ["--require", path];
}

function start(...args: string[]) {
  return startWith([], ...args);
}

function startWith(options: readonly string[], ...args: string[]) {
  const child = spawn(process.execPath, [...options, join(clone, "scripts", "run.mjs"), ...args], {
    cwd: clone,
    env: {
      ...process.env,
      npm_execpath: join(clone, "npm", "npm-cli.js"),
      npm_lifecycle_event: "holdfast",
      INIT_CWD: tmpdir(),
    },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, out, err })),
  );
  return { child, ended };
}

const run = (...args: string[]) => start(...args).ended;
const calls = () =>
  existsSync(join(clone, "npm-calls"))
    ? readFileSync(join(clone, "npm-calls"), "utf8").trim().split("\n")
    : [];

test("concurrent first starts install once, compile once, and all run in the user's folder", async () => {
  const results = await Promise.all([1, 2, 3, 4].map((n) => run("holdfast", "start", `--n${n}`)));
  for (const [i, result] of results.entries())
    expect(result).toMatchObject({ code: 0, out: `ran start,--n${i + 1} in ${realpathSync(tmpdir())}\n` });
  expect(calls()).toEqual(["ci --ignore-scripts --no-audit --no-fund --loglevel=error"]);
  expect(results.map(({ err }) => err.match(/Compiling/g)?.length ?? 0).reduce((a, b) => a + b)).toBe(1);
  expect(existsSync(join(clone, ".holdfast-build", "lock"))).toBe(false);
  expect(readdirSync(join(clone, ".holdfast-build"))).toEqual([]);

  // The second start repeats nothing. A changed source is compiled; a changed lock file is installed.
  expect(await run("holdfast", "version")).toMatchObject({ code: 0, err: "" });
  source("console.log('changed');");
  expect(await run("holdfast")).toEqual({ code: 0, out: "changed\n", err: "Compiling ...\n" });
  writeFileSync(join(clone, "package-lock.json"), "{}");
  expect((await run("holdfast")).err).toBe("Installing the locked packages ...\nCompiling ...\n");
  expect(calls()).toHaveLength(2);
});

test("code is cached in the folder in which it runs, because cached code contains the path for stack traces", async () => {
  writeFileSync(
    join(clone, "scripts", "code-cache.mjs"),
    'import { existsSync } from "node:fs"; console.log(process.argv[2], existsSync(process.argv[2] + "/cli.js"));',
  );
  expect(await run("build")).toMatchObject({ code: 0, out: `${join(clone, "dist")} true\n` });
});

test("sources that do not compile leave the last build in place and give an error code", async () => {
  expect((await run("build")).code).toBe(0);
  const compiler = join(clone, "node_modules", ".bin", "tsc");
  rmSync(compiler);
  symlinkSync(join(project, "node_modules", ".bin", "tsc"), compiler);
  expect((await run("build")).code).toBe(0);
  const before = readFileSync(join(clone, "dist", "cli.js"), "utf8");
  source("const n: number = 'text'; console.log(n);");
  const failed = await run("holdfast");
  expect(failed.code).not.toBe(0);
  expect(failed.out).toMatch(/error TS2322/);
  expect(readFileSync(join(clone, "dist", "cli.js"), "utf8")).toBe(before);
  expect(existsSync(join(clone, ".holdfast-build", "lock"))).toBe(false);
  source("console.log('mended');");
  expect((await run("holdfast")).out).toBe("mended\n");
});

test("a lock of a killed process is taken over, also by concurrent processes", async () => {
  const first = start("holdfast");
  // Kill it while the fake npm is running.
  await expect.poll(() => calls().length, { timeout: 150_000 }).toBe(1);
  first.child.kill("SIGKILL");
  await first.ended;
  expect(existsSync(join(clone, ".holdfast-build", "lock"))).toBe(true);
  mkdirSync(join(clone, ".holdfast-build", "lock.stealing"));
  const old = new Date(Date.now() - 60_000);
  utimesSync(join(clone, ".holdfast-build", "lock.stealing"), old, old);
  const results = await Promise.all([run("holdfast"), run("holdfast"), run("holdfast")]);
  for (const result of results) expect(result.code).toBe(0);
  expect(calls()).toHaveLength(2);
});

test("a lock is free when its process id belongs to a different process now", async () => {
  mkdirSync(join(clone, ".holdfast-build"));
  writeFileSync(join(clone, ".holdfast-build", "lock"), `${process.pid} 1`);
  expect((await run("holdfast")).code).toBe(0);
});

test("packages installed by hand are used if they match the lock file", async () => {
  await run("build");
  rmSync(join(clone, "node_modules", ".holdfast-lock"));
  const installed = join(clone, "node_modules", ".package-lock.json");
  writeFileSync(installed, '{"packages":{"node_modules/a":{"version":"1.0.0"}}}');
  expect((await run("build")).code).toBe(0);
  expect(calls()).toHaveLength(1);
  rmSync(join(clone, "node_modules", ".holdfast-lock"));
  writeFileSync(installed, '{"packages":{"node_modules/a":{"version":"1.0.1"}}}');
  await run("build");
  expect(calls()).toHaveLength(2);
});

test("a Node.js that cannot build the page compiles the rest and reports that; a newer one builds the page", async () => {
  const page = join(clone, "dist", "explorer", "index.html");
  const old = await startWith(pretending("20.9.0"), "holdfast").ended;
  expect(old).toMatchObject({ code: 0, out: `ran  in ${realpathSync(tmpdir())}\n` });
  expect(old.err).toBe(
    "Installing the locked packages ...\nCompiling ...\nThe page at /explorer is left out: to build it, " +
      "Node.js 20.19, 22.12 or newer is needed, and this is v20.9.0.\n",
  );
  expect(existsSync(page)).toBe(false);
  // Nothing is repeated because the page is missing.
  expect((await startWith(pretending("22.11.0"), "holdfast").ended).err).toBe("");
  expect((await startWith(pretending("20.19.0"), "holdfast").ended).err).toBe("Compiling ...\n");
  expect(readFileSync(page, "utf8")).toBe("the page");
  expect((await startWith(pretending("20.9.0"), "holdfast").ended).err).toBe("");
});

test("an unknown task is rejected", async () => {
  expect(await run("nonsense")).toMatchObject({ code: 2, err: "Unknown task: nonsense\n" });
});
