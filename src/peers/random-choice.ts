import type { Random } from "../interfaces.ts";

/** An integer from 0 to `bound` - 1. @param bound at most 2^32 */
export function randomBelow(random: Random, bound: number): number {
  // With 48 bits, the relative error is below 2^-16.
  let value = 0;
  for (const byte of random.bytes(6)) value = value * 256 + byte;
  return Math.floor((value / 2 ** 48) * bound);
}

export function pickRandom<T>(random: Random, items: readonly T[]): T | undefined {
  return items.length === 0 ? undefined : items[randomBelow(random, items.length)];
}

export function sample<T>(random: Random, items: readonly T[], count: number): T[] {
  const remaining = [...items];
  const chosen: T[] = [];
  while (chosen.length < count && remaining.length > 0) {
    const index = randomBelow(random, remaining.length);
    chosen.push(remaining[index]);
    remaining[index] = remaining[remaining.length - 1];
    remaining.pop();
  }
  return chosen;
}
