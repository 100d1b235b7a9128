/** Runs random scripts: 100,000 by default, or as many as the first argument says; the second argument is the seed. */
import { soakScripts } from "../test/support/script-soak.ts";

const cases = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
console.log(`${cases.toLocaleString("en")} cases, seed ${seed}`);
const start = performance.now();
const counts = soakScripts(cases, seed);
for (const [outcome, count] of counts)
  console.log(`${outcome.padEnd(14)} ${count.toLocaleString("en").padStart(9)}`);
console.log(`no failures in ${((performance.now() - start) / 1000).toFixed(0)} s`);
