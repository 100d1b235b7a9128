/** What users start through npm, and the content of the npm package. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  cleanEnvironment,
  cliPath,
  removeFolder,
  startNodeProcess,
  temporaryFolder,
} from "./support/node-process.ts";

const project = join(import.meta.dirname, "..");
const bin = (name: string) => join(project, "node_modules", ".bin", name);
let folder: string;

beforeEach(() => {
  folder = temporaryFolder("npm");
});

afterEach(() => removeFolder(folder));

/** Settings of a node without conflicts with other nodes. */
const start = (name: string) => ["--data-dir", join(folder, name), "--api-port", "0", "--log-format", "text"];

/**
 * Starts a separate process group. `said` resolves when the output contains a text, `ended` with the code and all
 * output.
 */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child: ChildProcess = spawn(command, args, {
    cwd: project,
    detached: true,
    env: { ...cleanEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let look = (): void => {};
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      output += chunk;
      look();
    });
  // Wait for the last process that holds the output: an orphan would keep it open.
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, output })),
  );
  const said = (text: string) =>
    new Promise<void>((resolve, reject) => {
      look = () => {
        if (output.includes(text)) resolve();
      };
      look();
      ended.then(() => reject(new Error(`It ended without saying ${text}:\n${output}`)));
    });
  return { pid: child.pid ?? 0, said, ended };
}

/** Stops a node's processes once the node answers, and waits for all of them to end. Returns the output. */
async function ended(node: ReturnType<typeof run>, whom: (pid: number) => number): Promise<string> {
  await node.said("HTTP interface at");
  process.kill(whom(node.pid), "SIGTERM");
  return (await node.ended).output;
}

test("SIGTERM to any process of the group stops a node that npm started cleanly", async () => {
  const alone = run("npm", ["start", "--", ...start("a")]);
  const group = run("npm", ["start", "--", ...start("b")]);
  // Like npx: this shell does not forward signals.
  const script = ["-c", `"$0" "$@"; true`, process.execPath, cliPath, "start", ...start("c")];
  const shell = run("sh", script, { npm_lifecycle_event: "npx" });
  const said = await Promise.all([
    ended(alone, (pid) => pid),
    ended(group, (pid) => -pid),
    ended(shell, (pid) => pid),
  ]);
  expect(said[0]).toMatch(/Stopping \(SIGTERM\)[\s\S]*Stopped/);
  expect(said[1]).toMatch(/Stopping \(SIGTERM\)[\s\S]*Stopped/);
  expect(said[2]).toMatch(/Stopping \(npm has ended\)[\s\S]*Stopped/);
});

test("a too old Node.js is rejected with its version before it reads newer syntax", () => {
  const preload = join(folder, "old.cjs");
  writeFileSync(preload, 'Object.defineProperty(process, "version", { value: "v18.20.4" });');
  for (const script of ["node-version.cjs", "run.cjs", "holdfast.cjs"]) {
    const path = join(project, "scripts", script);
    const { status, stderr } = spawnSync(process.execPath, ["--require", preload, path, "version"], {
      encoding: "utf8",
    });
    // Syntax of ten years ago, except for loading the rest after the check.
    const code = readFileSync(path, "utf8").replace(/^\/\/.*$/gm, "");
    expect(code).not.toMatch(/=>|`|\?\.|\?\?|\b(const|let|await|async)\b|^(im|ex)port\b[^(]/m);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `Holdfast needs Node.js 20 or newer, and this is Node.js v18.20.4 at ${process.execPath}.\n`,
    });
  }
});

/** A program of a user of the package. Lines that must not compile are marked. */
const PROGRAM = `
import { createClient, readEvents } from "holdfast/client";
const url = String(process.argv[2]);
const client = createClient({ url, fetch });
// @ts-expect-error there is no such route
export const none = () => client.call("GET /blocks/nothing");
const block = await client.call("GET /blocks/at/:height", { params: { height: 1 } });
const fee: bigint | undefined = block.transactions[0]?.effectiveFee;
// @ts-expect-error it is a number
export const text: string = block.height;
for await (const { event, data } of readEvents({ url, fetch, since: "0" })) {
  if (event !== "transaction") continue;
  console.log(fee, data.height, data.transaction.type);
  break;
}
`;

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

/** Path and version of each locked package that a node needs on every platform. */
function neededPackages(): [path: string, version: string][] {
  const { packages } = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path.startsWith("node_modules/") && !dev && !optional)
    .map(([path, { version }]) => [path, version]);
}

/** Version of the package in a folder; undefined if there is none. */
function versionIn(folder: string): string | undefined {
  const path = join(folder, "package.json");
  return existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version
    : undefined;
}

test("the npm package contains a command and a client that run without other files", async () => {
  // The files are compiled already, and the package's scripts would check that again.
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    cwd: project,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    // A line for each file of each dependency.
    maxBuffer: 16 << 20,
  });
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["dist/cli.js", "dist/explorer/index.html"]));
  expect(
    paths.filter(
      (path) =>
        !path.startsWith("node_modules/") &&
        /(^|\/)(src|test|testing|bench|docs)\/|\.test\.|\.code$/.test(path),
    ),
  ).toEqual([]);
  execFileSync("tar", ["-xzf", join(folder, filename), "-C", folder]);
  const modules = join(folder, "node_modules");
  const installed = join(modules, "holdfast");
  mkdirSync(modules);
  renameSync(join(folder, "package"), installed);
  const needed = neededPackages();
  expect(needed.length).toBeGreaterThan(50);
  // Each dependency is in the package, with its tested version.
  expect(needed.map(([path]) => [path, versionIn(join(installed, path))])).toEqual(needed);
  const command = join(installed, "scripts", "holdfast.cjs");
  expect(execFileSync(command, ["version"], { encoding: "utf8" })).toMatch(/^Holdfast v\d+\.\d+\.\d+\n/);
  const node = await startNodeProcess({ dataDir: join(folder, "data"), cli: command });
  expect((await node.get("/blocks/height")).json.height).toBeGreaterThan(0);
  expect((await node.get("/api-docs/swagger.json")).status).toBe(200);
  expect((await fetch(`${node.url}/explorer/`)).status).toBe(200);

  const inFolder = { cwd: folder, encoding: "utf8" } as const;
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  const types = ["--types", "node", "--typeRoots", join(project, "node_modules", "@types")];
  const options = ["--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", ...types];
  const compiled = spawnSync(bin("tsc"), [...options, "program.ts"], inFolder);
  expect(compiled.stdout + compiled.stderr).toBe("");
  const told = "0n 1 1\n";
  expect(execFileSync(process.execPath, ["program.js", node.url], inFolder)).toBe(told);
  // The bundler that Vitest includes. It would keep modules that browsers lack as imports.
  const bundle = ["--platform", "browser", "--format", "esm", "--file", "bundle.mjs"];
  execFileSync(bin("rolldown"), ["program.js", ...bundle], { ...inFolder, stdio: "pipe" });
  expect(readFileSync(join(folder, "bundle.mjs"), "utf8")).not.toMatch(/^import|\brequire\(|"node:/m);
  expect(await node.stop()).toBe(0);
});
