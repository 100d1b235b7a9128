/**
 * `npm run fuzz:network -- --inputs 1000000 [--seed N]`: sends this many mutated messages and handshakes to a node. A
 * failure is reported with its seed and the number of the input; a run with the same seed and as many inputs reproduces
 * it.
 */
import { growthFault, memoryNow, numbersOf } from "./command-options.ts";
import { loadCorpus } from "./corpus.ts";
import { type FuzzProgress, fuzz } from "./fuzz.ts";

/** Inputs per line of output, and lines before the heap reaches its normal size. */
const EVERY = 25_000;
const WARM = 8;
/** Allowed growth of the heap after that, MB. */
const GROWTH_MB = 48;

async function main(args: readonly string[]): Promise<number> {
  const { inputs, seed } = numbersOf(args, { name: "fuzz:network", count: "inputs" });
  const corpus = loadCorpus();
  if (corpus === undefined) {
    process.stderr.write("No recorded connections found in the vectors\n");
    return 1;
  }
  process.stdout.write(`Seed ${seed}, ${inputs} inputs\n`);
  const begin = performance.now();
  const heaps: number[] = [];
  const tell = (progress: FuzzProgress): void => {
    const { inputs: count, connections, turnedAway, taken, rollbacks, answers, slowest } = progress;
    const seconds = (performance.now() - begin) / 1_000;
    const { heap, resident } = memoryNow();
    heaps.push(heap);
    process.stdout.write(
      `${count} inputs in ${seconds.toFixed(0)} s; heap ${heap.toFixed(1)} MB, ` +
        `resident ${resident.toFixed(0)} MB; ${connections} connections, ${turnedAway} of them ended by the node, ` +
        `${taken} changes of the chain, ${rollbacks} rollbacks; ${answers} answers to honest peers, the slowest after ${slowest} ms\n`,
    );
  };
  try {
    const { byKind } = await fuzz({ corpus, seed, inputs, report: { every: EVERY, tell } });
    process.stdout.write(`${Array.from(byKind, ([kind, count]) => `${kind} ${count}`).join(", ")}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  const grown = growthFault(heaps, WARM, GROWTH_MB);
  if (grown !== undefined) process.stderr.write(grown);
  return grown === undefined ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
