import { encodeBase58 } from "../../bytes/base58.ts";
import { compareBytes } from "../../bytes/compare.ts";
import { allCounts, type Count } from "../../storage/counters.ts";
import type { Reader } from "../../storage/kv.ts";
import type { Counter } from "../../storage/lsm/counter.ts";
import { type FaultOrPause, mergeSorted } from "./verify-differences.ts";
import { ENTRIES_PER_SLICE, unreadableFault } from "./verify-lookups.ts";

/**
 * Compares a counter's numbers.
 * @param expected the correct store
 * @returns the number of entries in `stored`
 */
export function* counterFaults(
  counter: Counter,
  stored: Reader,
  expected: Reader,
): Generator<FaultOrPause, number> {
  const table = counter.name;
  let total = 0;
  let comparedCount = 0;
  try {
    for (const [actual, correct] of mergeSorted(
      allCounts(stored, counter),
      allCounts(expected, counter),
      compareCounts,
    )) {
      if (actual !== undefined) total++;
      const problem = problemOf(actual?.count, correct?.count);
      const { key, label } = actual ?? correct;
      if (problem !== undefined) yield { table, key: `key=${encodeBase58(key)} label=${label}`, problem };
      if (++comparedCount % ENTRIES_PER_SLICE === 0) yield undefined;
    }
  } catch (error) {
    yield unreadableFault(table, error);
  }
  return total;
}

function compareCounts(a: Count, b: Count): number {
  return compareBytes(a.key, b.key) || a.label - b.label;
}

function problemOf(found: number | undefined, expected: number | undefined): string | undefined {
  if (found === expected) return undefined;
  if (found === undefined) return `is missing: ${expected}`;
  if (expected === undefined) return `is unexpected: ${found}`;
  return `is ${found}, expected ${expected}`;
}
