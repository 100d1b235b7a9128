// Runs the project's commands from a clone. Installs and builds what is missing or out of date, and
// does neither when nothing changed, so that a second start is quick.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, "node_modules", ".bin", name);

/** Runs a command in the project folder; ends this process with its code when it fails. */
function run(command, args, env = process.env) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", env });
  if (result.error) {
    console.error(`Cannot run ${command}: ${result.error.message}`);
    process.exit(1);
  }
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Installs the locked packages unless the lock file is the one that was installed last. */
function install() {
  const lock = createHash("sha256").update(readFileSync(join(root, "package-lock.json"))).digest("hex");
  const stamp = join(root, "node_modules", ".holdfast-lock");
  if (readStamp(stamp) === lock) return;
  console.error("Installing the locked packages ...");
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(stamp, lock);
}

/** Name, size and time of every source file: cheap, and changes whenever a source changes. */
function sourceState(folder, out = []) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sourceState(path, out);
    else if (!entry.name.endsWith(".test.ts")) {
      const { size, mtimeMs } = statSync(path);
      out.push(`${path}:${size}:${mtimeMs}`);
    }
  }
  return out;
}

/** Compiles the sources unless they are those that were compiled last. */
function build({ force = false } = {}) {
  install();
  const state = sourceState(join(root, "src")).concat(["package.json", "tsconfig.json", "tsconfig.build.json"].map((name) => readStamp(join(root, name))));
  const digest = createHash("sha256").update(state.join("\n")).digest("hex");
  const stamp = join(root, "dist", ".stamp");
  if (!force && readStamp(stamp) === digest) return;
  console.error("Compiling ...");
  run(bin("tsc"), ["-p", "tsconfig.build.json"]);
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(stamp, digest);
}

const [task, ...args] = process.argv.slice(2);
switch (task) {
  case "build":
    build({ force: true });
    break;
  case "holdfast": {
    build();
    process.argv = [process.argv[0], join(root, "dist", "cli.js"), ...args];
    await import(join(root, "dist", "cli.js"));
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
    install();
    run(bin("tsc"), ["-p", "tsconfig.json"]);
    break;
  case "bench":
    build();
    run(bin("tsc"), ["-p", "tsconfig.bench.json"]);
    run(process.execPath, [join(root, "dist-bench", "bench", "run.js"), ...args]);
    break;
  default:
    console.error(`Unknown task: ${task}`);
    process.exit(2);
}
