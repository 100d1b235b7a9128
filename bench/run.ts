/**
 * Runs benchmarks by name: `npm run bench` lists them, `npm run bench -- verify codec` runs two.
 * Each prints ratios against a baseline that is measured in the same run, in alternating turns.
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

/** Names; what begins with dashes is for the benchmark itself. */
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
if (wanted.length === 0) {
  console.log(`Benchmarks: ${names.join(", ")}\nRun some with: npm run bench -- ${names[0]}`);
} else {
  for (const name of wanted) {
    if (!names.includes(name)) {
      console.error(`No such benchmark: ${name}. There are: ${names.join(", ")}`);
      process.exit(2);
    }
    console.log(`\n== ${name}`);
    await import(pathToFileURL(join(folder, `${name}.js`)).href);
  }
}
