/**
 * Measures what a fork costs a node with 105 full blocks: one block without stake that declares a base target of 1, and
 * an honest switch of 100 blocks. `npm run bench -- forks` prints the longest time that the writer thread was blocked,
 * the total time, and the peak resident memory, with a heap of 400 MB.
 */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const worker = join(dirname(fileURLToPath(import.meta.url)), "forks-worker.js");
/** Heap limit of the process that switches, MB. */
const HEAP = 400;

/** Runs a step in a separate process. */
function run(step: string, directory: string, kind: string, heap?: number): Promise<void> {
  const execArgv = heap === undefined ? [] : [`--max-old-space-size=${heap}`];
  const child = fork(worker, [step, directory, kind], { execArgv, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${step}: ended with ${signal ?? code}`));
    });
  });
}

const kinds = process.argv.includes("--mass") ? ["mass transfers"] : ["transfers"];
for (const kind of kinds) {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-forks-"));
  try {
    await run("build", directory, kind);
    for (const step of ["phantom", "switch"])
      await run(step, directory, kind, HEAP).catch((error: Error) => console.log(error.message));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
