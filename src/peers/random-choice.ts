/** Choices by the randomness that is handed in. */
import type { Random } from "../interfaces.ts";

/** An integer from 0 (inclusive) to `bound` (exclusive), at most 2^32. */
export function randomBelow(random: Random, bound: number): number {
  // 48 bits: what is left over favours no number by more than 2^-16 of its share.
  let value = 0;
  for (const byte of random.bytes(6)) value = value * 256 + byte;
  return Math.floor((value / 2 ** 48) * bound);
}

/** One of the items; undefined when there are none. */
export function pickRandom<T>(random: Random, items: readonly T[]): T | undefined {
  return items.length === 0 ? undefined : items[randomBelow(random, items.length)];
}

/** So many of the items, or all of them, in any order. */
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
