/**
 * Extrapolates the time to sync chains of 1, 3 and 10 million transactions, on two cores with no other work, from the
 * processor time of imports of the recorded chain `load`, with all checks and with `--assume-valid`, in alternating pairs.
 * All checks keep both cores busy. A trusted import counts as if it used one core, because the writer limits it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { report } from "./figures.ts";
import type { ImportFigures } from "./import-worker.ts";
import { inHome, median, runWorker, whole } from "./support.ts";

const PAIRS = 3;
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
const MILLION = 1_000_000;
const ID_LENGTH = 64;

const folder = join(VECTORS, "chains", "load");
const [file, genesis] = [join(folder, "blocks.bin"), join(folder, "genesis.json")];
// The file ends with the signature of its last block.
const id = encodeBase58(readFileSync(file).subarray(-ID_LENGTH));

/** Processor time per transaction, µs. @param assumed id of the block up to which signatures are trusted, or "" */
function cost(assumed: string): number {
  const { transactions, processorMs } = inHome((home) =>
    runWorker<ImportFigures>("import-worker", [
      ...[file, genesis, home, String(DEFAULT_CHECKER_THREADS)],
      ...["", "", "", assumed],
    ]),
  );
  return (processorMs * 1_000) / transactions;
}

const pairs = Array.from({ length: PAIRS }, () => ({ checked: cost(""), trusted: cost(id) }));
for (const [kind, cores, label] of [
  ["checked", 2, "all checks"],
  ["trusted", 1, "trusted"],
] as const) {
  const us = median(pairs.map((pair) => pair[kind]));
  for (const millions of [1, 3, 10])
    report(
      `${whole(millions * MILLION)} transactions, ${label}`,
      (millions * us) / cores,
      "s",
      undefined,
      `extrapolated: ${us.toFixed(1)} µs per transaction on ${cores === 1 ? "one core" : "two cores"}`,
    );
}
