/** What the commands of `test/fuzz` share: numbers behind flags, and how much memory is in use. */
const MB = 1_024 * 1_024;

/**
 * The numbers of a command line by name, `seed` another one each time unless it is given. Ends the process when there is
 * anything else.
 * @param count name of the flag that says how many inputs
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

/** The heap in use, and the memory of the process, MB. */
export function memoryNow(): { readonly heap: number; readonly resident: number } {
  // Only there with `--expose-gc`.
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed / MB, resident: rss / MB };
}

/**
 * Says when the heap has grown, in the words of the command; undefined when it has not.
 * @param heaps in order, MB
 * @param warm so many of them before it has its size
 * @param growth MB that it may come to more than it was then
 */
export function growthFault(heaps: readonly number[], warm: number, growth: number): string | undefined {
  const [before, last] = [heaps[warm - 1], heaps.at(-1)];
  if (before === undefined || last === undefined || last <= before + growth) return undefined;
  return `The heap grew from ${before.toFixed(1)} to ${last.toFixed(1)} MB\n`;
}
