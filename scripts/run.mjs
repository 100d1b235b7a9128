// Runs the project's commands from a clone. Installs and builds what is missing or out of date, and neither if nothing
// changed, so that a second start is quick. Any number of these processes may run at once.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installPlatformPackages } from "./packages.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const inRoot = (...path) => join(root, ...path);
const bin = (name) => inRoot("node_modules", ".bin", name);

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Ends this process with the code of a failed command. */
function run(command, args, env = process.env) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", env });
  if (result.error) fail(`Cannot run ${command}: ${result.error.message}`);
  if (result.signal) process.exit(128 + (constants.signals[result.signal] ?? 0));
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Checks types. TypeScript caches facts about unchanged files for the next check. */
function checkTypes(project, name) {
  const facts = [
    // Each checker computes shared types anew: four, the default, take a third more processor time than two.
    "--checkers",
    "2",
    "--incremental",
    "--tsBuildInfoFile",
    inRoot(".holdfast-build", `types-${name}.tsbuildinfo`),
  ];
  run(bin("tsc"), ["-p", project, "--noEmit", ...facts]);
}

function npm(...args) {
  const path = process.env.npm_execpath;
  if (path && /npm-cli\.c?js$/.test(path)) run(process.execPath, [path, ...args]);
  else run("npm", args);
}

function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

const buildFolder = inRoot(".holdfast-build");
const lockFile = join(buildFolder, "lock");
const stealing = join(buildFolder, "lock.stealing");
const LOCK_TIMEOUT_MS = 15 * 60_000;

/** Start time of a process, which distinguishes it from a later process with the same id; "" if unknown. */
function beginning(pid) {
  return (
    readText(`/proc/${pid}/stat`)
      .replace(/^.*\) /, "")
      .split(" ")[19] ?? ""
  );
}

const identity = (pid) => `${pid} ${beginning(pid)}`;

function lives(owner) {
  const pid = Number(owner.split(" ")[0]);
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code === "ESRCH") return false;
  }
  return identity(pid) === owner;
}

/** Removes the lock of a killed process. Only one process at a time does this: otherwise it could remove a new lock. */
function removeDeadLock() {
  try {
    mkdirSync(stealing);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    // The process that held this guard was killed too, unless the guard is new.
    if (Date.now() - (statSync(stealing, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 10_000)
      rmSync(stealing, { recursive: true, force: true });
    return;
  }
  try {
    if (existsSync(lockFile) && !lives(readText(lockFile))) rmSync(lockFile, { force: true });
  } finally {
    rmdirSync(stealing);
  }
}

function sleep(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

let locked = false;

function unlock() {
  if (locked) rmSync(lockFile, { force: true });
  locked = false;
}

/** Runs `work` while no other process installs or builds here. */
function alone(work) {
  mkdirSync(buildFolder, { recursive: true });
  const draft = join(buildFolder, `lock.${process.pid}`);
  writeFileSync(draft, identity(process.pid));
  const begin = Date.now();
  let hasReported = false;
  try {
    while (!locked) {
      try {
        // A link appears atomically with its content, and does not replace an existing file.
        linkSync(draft, lockFile);
        locked = true;
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
        const owner = readText(lockFile);
        if (owner !== "" && !lives(owner)) {
          removeDeadLock();
          continue;
        }
        if (!hasReported && Date.now() - begin > 1_000) {
          console.error(`Waiting for process ${owner.split(" ")[0]} to finish installing or compiling ...`);
          hasReported = true;
        }
        if (Date.now() - begin > LOCK_TIMEOUT_MS)
          fail(
            `Process ${owner} still holds ${lockFile}. If it does not install or compile, delete that file.`,
          );
        sleep(50);
      }
    }
  } finally {
    rmSync(draft, { force: true });
  }
  process.once("exit", unlock);
  try {
    work();
  } finally {
    unlock();
  }
}

const lockDigest = sha256(readText(inRoot("package-lock.json")));
const installStamp = inRoot("node_modules", ".holdfast-lock");

/** Returns true if npm's record of the last installation matches the lock file. */
function installedByHand() {
  try {
    const wanted = JSON.parse(readText(inRoot("package-lock.json"))).packages;
    const found = JSON.parse(readText(inRoot("node_modules", ".package-lock.json"))).packages;
    return Object.entries(wanted).every(
      ([path, { version, integrity, optional }]) =>
        path === "" ||
        (found[path] === undefined
          ? optional === true
          : found[path].version === version && found[path].integrity === integrity),
    );
  } catch {
    return false;
  }
}

const isInstalled = () => readText(installStamp) === lockDigest;

/** Packages may not run scripts. */
function installMissing() {
  if (isInstalled()) return;
  if (!installedByHand()) {
    console.error("Installing the locked packages ...");
    npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error");
  }
  writeFileSync(installStamp, lockDigest);
}

const dist = inRoot("dist");
const freshDist = inRoot("dist.new");
const buildStamp = join(dist, ".stamp");

/**
 * Which integers of answers are large, for the client: generated from the routes, so that a page need not load them.
 */
const shapes = inRoot("src", "client", "shapes.ts");

/** Name, size and time of every source file: cheap, and changes whenever a source changes. */
function listSources(folder, list) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) listSources(path, list);
    else if (!/\.test\.tsx?$/.test(entry.name) && path !== shapes) {
      const { size, mtimeMs } = statSync(path);
      list.push(`${path}:${size}:${mtimeMs}`);
    }
  }
  return list;
}

function sourceDigest() {
  const configuration = [
    "package.json",
    "tsconfig.json",
    "tsconfig.build.json",
    "scripts/bundle.mjs",
    "scripts/code-cache.mjs",
  ].map((name) => readText(inRoot(name)));
  return sha256([lockDigest, ...configuration, ...listSources(inRoot("src"), []).sort()].join("\n"));
}

/** A build's identity: its sources, and the shapes generated from them. */
const stampOf = (digest) => `${digest} ${sha256(readText(shapes))}`;

/** The Node.js version that Vite and Rolldown require; package.json requires a lower one, which is enough for everything else. */
function canBundle() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major === 20 ? minor >= 19 : major === 22 ? minor >= 12 : major > 22;
}

/** Returns true if the existing build is of these sources, with the page if it can be built. */
const isBuilt = () =>
  readText(buildStamp) === stampOf(sourceDigest()) &&
  (existsSync(join(dist, "explorer", "index.html")) || !canBundle());

function buildPage() {
  const config = inRoot("src", "explorer", "vite.config.ts");
  const build = (outDir, ...options) =>
    run(bin("vite"), ["build", "--config", config, "--outDir", outDir, "--logLevel", "warn", ...options]);
  build(join(freshDist, "explorer"));
  const server = join(freshDist, "explorer", "server");
  build(server, "--ssr", inRoot("src", "explorer", "server.tsx"));
  // The code takes its language from the name of its file.
  copyFileSync(join(server, "en.js"), join(server, "nl.js"));
}

/** Compiles the benchmarks or the simulation, with the sources that they import. */
function compileFolder(name) {
  run(bin("tsc"), ["-p", `tsconfig.${name}.json`]);
  // The sources read their version from the file above their folder.
  copyFileSync(inRoot("package.json"), inRoot(`dist-${name}`, "package.json"));
}

/** Compiles into a separate folder and moves it into place as a whole, so that no process sees half a build. */
function compile() {
  const digest = sourceDigest();
  console.error("Compiling ...");
  rmSync(freshDist, { recursive: true, force: true });
  // The compiler needs the file for its types; its content is generated later.
  if (!existsSync(shapes))
    writeFileSync(
      shapes,
      'export const shapes: Readonly<Record<string, import("./decode.ts").Shape>> = {};\n',
    );
  // One checker takes half the processor time of four, the default, and about as long.
  run(bin("tsc"), ["-p", "tsconfig.build.json", "--outDir", freshDist, "--checkers", "1"]);
  const client = join(freshDist, "client");
  run(process.execPath, [join(client, "testing", "write-shapes.js"), shapes, join(client, "shapes.js")]);
  if (canBundle()) {
    run(process.execPath, [inRoot("scripts", "bundle.mjs"), freshDist]);
    buildPage();
  } else
    console.error(
      `The page at /explorer is left out: to build it, Node.js 20.19, 22.12 or newer is needed, and this is ${process.version}.`,
    );
  const old = join(buildFolder, "old");
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(freshDist, dist);
  rmSync(old, { recursive: true, force: true });
  // In the final folder, because cached code contains its script's path, for stack traces.
  if (canBundle()) run(process.execPath, [inRoot("scripts", "code-cache.mjs"), dist]);
  writeFileSync(buildStamp, stampOf(digest));
}

function install() {
  if (!isInstalled()) alone(installMissing);
}

function build({ force = false } = {}) {
  if (!force && isInstalled() && isBuilt()) return;
  alone(() => {
    installMissing();
    if (force || !isBuilt()) compile();
  });
}

function prepare() {
  if (existsSync(shapes)) install();
  else build();
}

const [task, ...args] = process.argv.slice(2);
/** Soak tests, which take a number of rounds and may run for hours: file by name. */
const soaks = {
  kill: "test/kill.test.ts",
  import: "test/import-kill.test.ts",
  undo: [
    "src/chain/undo.property.test.ts",
    "src/chain/reading/changes.property.test.ts",
    "src/api/events/pages.property.test.ts",
    "src/api/units/pages.property.test.ts",
  ],
  index: ["src/chain/index-switching.property.test.ts", "test/index-kill.test.ts"],
  script: "src/script/script.property.test.ts",
  upgrade: "test/upgrade-kill.test.ts",
  backup: "test/copies.soak.ts",
  restore: "test/restore-kill.test.ts",
  follow: "test/follow.soak.ts",
  mirror: "test/mirror.soak.ts",
  "follower-answers": ["test/follower-answers.conformance.test.ts", "test/follower-answers.property.test.ts"],
};

/**
 * `soak kill --times 1000 [--seed 7]`: the default seed is random. `--parallel N`, only for `kill`, sets the number of
 * concurrent nodes.
 */
function soak([name, ...options]) {
  if (["attack", "memory", "proofs", "trusted", "watch"].includes(name)) {
    compileFolder("bench");
    run(process.execPath, [inRoot("dist-bench", "bench", `soak-${name}.js`), ...options]);
    return;
  }
  const file = soaks[name];
  const given = new Map();
  for (let i = 0; i < options.length; i += 2) given.set(options[i], options[i + 1]);
  const times = given.get("--times") ?? "1000";
  const seed = given.get("--seed") ?? String(Math.floor(Math.random() * 2 ** 31));
  const parallel = given.get("--parallel") ?? "1";
  const taken = name === "kill" ? ["--times", "--seed", "--parallel"] : ["--times", "--seed"];
  const known = [...given.keys()].every((option) => taken.includes(option));
  const isNumber = /^[1-9]\d*$/;
  if (
    file === undefined ||
    !known ||
    !isNumber.test(times) ||
    !isNumber.test(parallel) ||
    !/^\d+$/.test(seed)
  ) {
    console.error(`Usage: npm run soak:{${Object.keys(soaks).join("|")}} -- --times N [--seed N]`);
    process.exit(2);
  }
  console.error(`Seed ${seed}`);
  const env = { ...process.env, SOAK_TIMES: times, SOAK_SEED: seed, SOAK_PARALLEL: parallel };
  run(bin("vitest"), ["run", ...[file].flat()], env);
}

switch (task) {
  case "build":
    build({ force: true });
    break;
  case "prepack":
    build();
    alone(() => installPlatformPackages(root));
    break;
  case "release":
    build();
    run(process.execPath, [inRoot("scripts", "release", "release.mjs"), ...args]);
    break;
  case "holdfast": {
    // SIGHUP does not end the program, so it does not end the preparation either.
    process.on("SIGHUP", () => {});
    build();
    // npm changes to the project folder, but relative paths are relative to the user's folder.
    if (process.env.npm_lifecycle_event && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
    const cli = join(dist, "cli.js");
    process.argv = [process.argv[0], cli, ...args];
    await import(pathToFileURL(cli).href);
    break;
  }
  case "test":
    build();
    run(bin("vitest"), ["run", ...args]);
    break;
  case "lint":
    install();
    run(bin("biome"), ["check", "--error-on-warnings", ...args]);
    break;
  case "format":
    install();
    run(bin("biome"), ["check", "--write", ...args]);
    break;
  case "typecheck":
    prepare();
    checkTypes("tsconfig.json", "node");
    checkTypes(inRoot("src", "explorer", "tsconfig.json"), "explorer");
    break;
  case "bench":
    build();
    compileFolder("bench");
    run(process.execPath, [inRoot("dist-bench", "bench", "run.js"), ...args]);
    break;
  case "screenshots": {
    build();
    // Takes screenshots of all pages, or of those whose name begins with the argument.
    const env = { ...process.env, EXPLORER_PICTURES: inRoot("screenshots") };
    run(bin("vitest"), ["run", "test/explorer", "-t", `every page ${args[0] ?? ""}`], env);
    break;
  }
  case "simulate":
    prepare();
    compileFolder("simulation");
    run(process.execPath, [inRoot("dist-simulation", "test", "simulation", "command.js"), ...args]);
    break;
  case "fuzz": {
    prepare();
    compileFolder("simulation");
    const [name, ...options] = args;
    const command = inRoot("dist-simulation", "test", "fuzz", `${name}.js`);
    const env = { HOLDFAST_VECTORS: inRoot("test", "vectors"), ...process.env };
    run(process.execPath, ["--expose-gc", command, ...options], env);
    break;
  }
  case "soak":
    build();
    soak(args);
    break;
  default:
    console.error(`Unknown task: ${task}`);
    process.exit(2);
}
