/**
 * Runs benchmarks by name: `npm run bench` lists them, `npm run bench -- verify codec` runs two. Each prints ratios to
 * a baseline measured in the same run, in alternating turns.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const helpers = [
  "run",
  "support",
  "costly-scripts",
  "attack-setup",
  "dear-transactions",
  "explorer-chain",
  "index-import",
  "index-pages",
  "index-routes",
  "route-speed",
  "sync-node",
  "transfers",
  "wire-peer",
];
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".js"))
  .map((file) => file.slice(0, -3))
  .filter((name) => !helpers.includes(name) && !name.includes("worker") && !name.startsWith("soak"))
  .sort();

/** Names of benchmarks. Arguments that begin with dashes are for the benchmark itself. */
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
if (wanted.length === 0) {
  console.log(`Benchmarks: ${names.join(", ")}\nUsage: npm run bench -- ${names[0]}`);
} else {
  for (const name of wanted) {
    if (!names.includes(name)) {
      console.error(`Unknown benchmark ${name}. Known benchmarks: ${names.join(", ")}`);
      process.exit(2);
    }
    console.log(`\n== ${name}`);
    await import(pathToFileURL(join(folder, `${name}.js`)).href);
  }
}
