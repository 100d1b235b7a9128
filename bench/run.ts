/**
 * Runs benchmarks by name: `npm run bench` lists them, `npm run bench -- verify codec` runs two, and
 * `npm run bench -- all` runs all of them, with each of their `VARIANTS`. Each prints ratios to a baseline measured in
 * the same run, in alternating turns. With `--json` or `--json=FILE` it also writes their figures to
 * `bench/figures.json` or the given file, where they replace those of earlier runs.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describeRun, FIGURES_VARIABLE, recordedFigures, saveRun } from "./figures.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const helpers = [
  "run",
  "figures",
  "block-source",
  "support",
  "costly-scripts",
  "dear-transactions",
  "explorer-chain",
  "http-load",
  "import-writer",
  "index-import",
  "index-pages",
  "index-routes",
  "light-blocks",
  "route-speed",
  "sync-node",
  "requests-together",
  "transfers",
  "wire-peer",
];
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".js"))
  .map((file) => file.slice(0, -3))
  .filter((name) => !helpers.includes(name) && !name.includes("worker") && !/^(attack|soak)-/.test(name))
  .sort();

/** Runs with options that `all` makes besides each benchmark without options. */
const VARIANTS = [
  "import --trusted",
  "import --long",
  "import --light",
  "import --disk",
  "import --memory",
  "import --warm",
  "import --wide",
  "import --ceiling",
  "start --long",
  "sync --trusted",
];

const isJson = (argument: string): boolean => argument === "--json" || argument.startsWith("--json=");
const args = process.argv.slice(2);
/** Names of benchmarks. Other arguments that begin with dashes are for the benchmark itself. */
const named = args.filter((argument) => !argument.startsWith("--"));
const options = args.filter((argument) => argument.startsWith("--") && !isJson(argument));
const json = args.find(isJson);

/** Runs a benchmark in a process and adds its figures to the file. @returns false if it failed or missed a target */
function runForFigures(command: string, figuresFile: string): boolean {
  const home = mkdtempSync(join(tmpdir(), "holdfast-figures-"));
  try {
    const recorded = join(home, "figures");
    const run = describeRun();
    const script = fileURLToPath(import.meta.url);
    const { status } = spawnSync(process.execPath, [...process.execArgv, script, ...command.split(" ")], {
      stdio: "inherit",
      env: { ...process.env, [FIGURES_VARIABLE]: recorded },
    });
    const figures = recordedFigures(recorded);
    if (figures.length === 0) console.error(`${command} reported no figures`);
    else saveRun(figuresFile, command, { ...run, figures });
    return status === 0;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const unknown = named.find((name) => name !== "all" && !names.includes(name));
if (named.length === 0) {
  console.log(`Benchmarks: ${names.join(", ")}\nUsage: npm run bench -- ${names[0]}`);
} else if (unknown !== undefined) {
  console.error(`Unknown benchmark ${unknown}. Known benchmarks: all, ${names.join(", ")}`);
  process.exitCode = 2;
} else if (json === undefined && !named.includes("all")) {
  for (const name of named) {
    console.log(`\n== ${name}`);
    await import(pathToFileURL(join(folder, `${name}.js`)).href);
  }
} else {
  const file = json?.includes("=") ? json.slice("--json=".length) : join(folder, "../../bench/figures.json");
  const commands = named.includes("all")
    ? [...names, ...VARIANTS].sort()
    : named.map((name) => [name, ...options].join(" "));
  const failed = commands.filter((command) => !runForFigures(command, file));
  if (failed.length > 0) {
    console.error(`\nFailed or missed a target: ${failed.join(", ")}`);
    process.exitCode = 1;
  }
}
