/** Shared by the commands of `test/fuzz`: numeric options and memory use. */
const MB = 1_024 * 1_024;

/**
 * Parses the numeric options of a command line; the default of `seed` is random. Ends the process on any other
 * argument.
 * @param count name of the option for the number of inputs
 */
export function numbersOf(
  args: readonly string[],
  { name, count }: { readonly name: string; readonly count: string },
): { readonly inputs: number; readonly seed: number } {
  const numbers = new Map<string, number>();
  for (let i = 0; i < args.length; i += 2) {
    const value = args[i + 1] ?? "";
    if (!["seed", count].some((one) => args[i] === `--${one}`) || !/^\d{1,9}$/.test(value)) {
      process.stderr.write(`Usage: npm run ${name} -- --${count} N [--seed N]\n`);
      process.exit(2);
    }
    numbers.set(args[i].slice(2), Number(value));
  }
  return {
    inputs: numbers.get(count) ?? 100_000,
    seed: numbers.get("seed") ?? Math.floor(Math.random() * 2 ** 31),
  };
}

/** Heap in use and resident memory of the process, MB. */
export function memoryNow(): { readonly heap: number; readonly resident: number } {
  // Defined only with `--expose-gc`.
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed / MB, resident: rss / MB };
}

/**
 * Returns the command's message if the heap has grown; otherwise undefined.
 * @param heaps samples in order, MB
 * @param warm number of samples before the heap reaches its normal size
 * @param growth allowed growth after that, MB
 */
export function growthFault(heaps: readonly number[], warm: number, growth: number): string | undefined {
  const [before, last] = [heaps[warm - 1], heaps.at(-1)];
  if (before === undefined || last === undefined || last <= before + growth) return undefined;
  return `The heap grew from ${before.toFixed(1)} to ${last.toFixed(1)} MB\n`;
}
