/**
 * `npm run fuzz:network -- --inputs 1000000 [--seed N]`: says so many mutated messages and handshakes to a node. A fault is
 * told with its seed and the number of the input: as many inputs of that seed come to it again.
 */
import { loadCorpus } from "./corpus.ts";
import { type FuzzProgress, fuzz } from "./fuzz.ts";

const USAGE = "Usage: npm run fuzz:network -- --inputs N [--seed N]\n";
const MB = 1_024 * 1_024;
/** Inputs between two lines of figures, and so many of them before the heap has its size. */
const EVERY = 25_000;
const WARM = 8;
/** What the heap may come to more than it was then, MB. */
const GROWTH_MB = 48;

function numbersOf(args: readonly string[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (let i = 0; i < args.length; i += 2) {
    const value = args[i + 1] ?? "";
    if (!/^--(inputs|seed)$/.test(args[i]) || !/^\d{1,9}$/.test(value)) {
      process.stderr.write(USAGE);
      process.exit(2);
    }
    numbers.set(args[i].slice(2), Number(value));
  }
  return numbers;
}

/** Size of what is in use, MB. */
function heapNow(): number {
  // Only there with `--expose-gc`.
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / MB;
}

async function main(args: readonly string[]): Promise<number> {
  const numbers = numbersOf(args);
  const inputs = numbers.get("inputs") ?? 100_000;
  const seed = numbers.get("seed") ?? Math.floor(Math.random() * 2 ** 31);
  const corpus = loadCorpus();
  if (corpus === undefined) {
    process.stderr.write("There are no recorded connections to begin with\n");
    return 1;
  }
  process.stdout.write(`Seed ${seed}, ${inputs} inputs\n`);
  const begin = performance.now();
  const heaps: number[] = [];
  const tell = (progress: FuzzProgress): void => {
    const { inputs: count, connections, turnedAway, taken, rollbacks, answers, slowest } = progress;
    const seconds = (performance.now() - begin) / 1_000;
    const heap = heapNow();
    heaps.push(heap);
    process.stdout.write(
      `${count} inputs in ${seconds.toFixed(0)} s; heap ${heap.toFixed(1)} MB, ` +
        `resident ${(process.memoryUsage.rss() / MB).toFixed(0)} MB; ${connections} connections, ${turnedAway} of them ended by the node, ` +
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
  const [warm, last] = [heaps[WARM - 1], heaps.at(-1)];
  if (warm !== undefined && last !== undefined && last > warm + GROWTH_MB) {
    process.stderr.write(`The heap grew from ${warm.toFixed(1)} to ${last.toFixed(1)} MB\n`);
    return 1;
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
