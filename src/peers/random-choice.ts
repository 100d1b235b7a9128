import type { Random } from "../interfaces.ts";

/** Returns an integer from 0 to `bound` (exclusive, at most 2^32). */
export function randomBelow(random: Random, bound: number): number {
  // With 48 bits, each number's bias is below 2^-16 of its share.
  let value = 0;
  for (const byte of random.bytes(6)) value = value * 256 + byte;
  return Math.floor((value / 2 ** 48) * bound);
}

export function pickRandom<T>(random: Random, items: readonly T[]): T | undefined {
  return items.length === 0 ? undefined : items[randomBelow(random, items.length)];
}

/** Returns `count` random items, or all if there are fewer, in any order. */
export function sample<T>(random: Random, items: readonly T[], count: number): T[] {
  const rest = [...items];
  const chosen: T[] = [];
  while (chosen.length < count && rest.length > 0) {
    const at = randomBelow(random, rest.length);
    chosen.push(rest[at]);
    rest[at] = rest[rest.length - 1];
    rest.pop();
  }
  return chosen;
}
