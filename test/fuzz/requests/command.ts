/**
 * `npm run fuzz:requests -- --requests 200000 [--seed N]`: sends this many requests to a node's HTTP server. A failure
 * is reported with its seed and the number of the request; a run with the same seed and as many requests reproduces it.
 */
import { growthFault, memoryNow, numbersOf } from "../command-options.ts";
import { fuzzRequests, type RequestFuzzProgress } from "./fuzz-requests.ts";

/** Phases before the heap reaches its normal size, and its allowed growth after that, MB. */
const WARM = 4;
const GROWTH_MB = 32;

async function main(args: readonly string[]): Promise<number> {
  const { inputs, seed } = numbersOf(args, { name: "fuzz:requests", count: "requests" });
  process.stdout.write(`Seed ${seed}, ${inputs} requests\n`);
  const begin = performance.now();
  const heaps: number[] = [];
  const tell = ({ requests, raw, answers, included, blocks }: RequestFuzzProgress): void => {
    const seconds = (performance.now() - begin) / 1_000;
    const { heap, resident } = memoryNow();
    heaps.push(heap);
    const statuses = [...answers].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    process.stdout.write(
      `${requests} requests, ${raw} of them raw, in ${seconds.toFixed(0)} s; heap ${heap.toFixed(1)} MB, ` +
        `resident ${resident.toFixed(0)} MB; ${included} transactions in ${blocks} blocks; ${statuses.join(", ")}\n`,
    );
  };
  try {
    await fuzzRequests({ seed, requests: inputs, tell });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  const grown = growthFault(heaps, WARM, GROWTH_MB);
  if (grown !== undefined) process.stderr.write(grown);
  return grown === undefined ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
