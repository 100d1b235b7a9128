import { lowerBound } from "../../collections/binary-search.ts";
import type { Reader } from "../../storage/kv.ts";
import { entriesOf } from "../../storage/lsm/sorted-run.ts";
import type { UnitKey } from "../../storage/places.ts";
import type { InvertedIndex } from "../../storage/postings/inverted-index.ts";
import { type FaultOrPause, postingKeyText } from "./verify-differences.ts";
import { ENTRIES_PER_SLICE, growTags, tagOf, unreadableFault } from "./verify-lookups.ts";

/** Keys per pass. Determines the memory needed. */
const KEYS_PER_PASS = 4_000_000;
const UNITS_PER_SLICE = 500;
/** Upper bound of the sequences of units, exclusive. */
const MAX_SEQUENCES = 0x1_0000;

interface UnitSegment {
  /** The units in order, as numbered by `numberOf`. */
  readonly units: readonly number[];
  /** Index of each unit's first tag, then the number of tags. */
  readonly starts: readonly number[];
  readonly tags: BigUint64Array;
}

/**
 * Yields keys (addresses, hashes) whose lookup does not find all their units. Allows extra entries and any grouping.
 * Memory does not grow with the chain.
 * @param expected the correct store
 * @returns number of keys looked up, once per unit
 */
export function* postingFaults(
  index: InvertedIndex,
  stored: Reader,
  expected: Reader,
  atOnce: number = KEYS_PER_PASS,
): Generator<FaultOrPause, number> {
  const table = index.table.name;
  let total = 0;
  for (const segment of segments(index, expected, atOnce)) {
    if (segment === undefined) {
      yield undefined;
      continue;
    }
    let seen: Uint8Array;
    try {
      seen = yield* findTags(segment, stored, index);
    } catch (error) {
      // Without this part, all other entries may be affected.
      yield unreadableFault(table, error);
      return total;
    }
    const { units, starts } = segment;
    for (let i = 0; i < units.length; i++) {
      if (i % UNITS_PER_SLICE === UNITS_PER_SLICE - 1) yield undefined;
      if (!seen.subarray(starts[i], starts[i + 1]).includes(0)) continue;
      const unit = unitOf(units[i]);
      for (const { key } of expected.get(index.table, unit) ?? []) {
        if (seen[tagIndex(segment, i, tagOf(index.tag(key)))] !== 0) continue;
        const name = `height=${unit.height} sequence=${unit.sequence} ${postingKeyText(key)}`;
        yield { table, key: name, problem: "is missing: not found by the lookup" };
      }
    }
    total += seen.length;
  }
  return total;
}

function* segments(index: InvertedIndex, reader: Reader, atOnce: number): Generator<UnitSegment | undefined> {
  let units: number[] = [];
  let starts: number[] = [];
  let tags: BigUint64Array = new BigUint64Array(1_024);
  let count = 0;
  const segment = (): UnitSegment => ({ units, starts: [...starts, count], tags: tags.subarray(0, count) });
  for (const [unit, postings] of reader.range(index.table)) {
    // Do not split a unit.
    if (count > 0 && count + postings.length > atOnce) {
      yield segment();
      [units, starts, count] = [[], [], 0];
    }
    tags = growTags(tags, count + postings.length);
    units.push(numberOf(unit));
    starts.push(count);
    for (const { key } of postings) tags[count++] = tagOf(index.tag(key));
    tags.subarray(starts.at(-1), count).sort();
    if (units.length % UNITS_PER_SLICE === 0) yield undefined;
  }
  if (count > 0) yield segment();
}

/** Returns 1 for each tag of the segment that an entry maps to its unit, otherwise 0. */
function* findTags(
  segment: UnitSegment,
  stored: Reader,
  index: InvertedIndex,
): Generator<undefined, Uint8Array> {
  const { units, starts, tags } = segment;
  const seen = new Uint8Array(tags.length);
  let walked = 0;
  for (const { tag, height, position } of entriesOf(stored, index.tree.id)) {
    if (++walked % ENTRIES_PER_SLICE === 0) yield undefined;
    if (position >= MAX_SEQUENCES) continue;
    const number = numberOf({ height, sequence: position });
    const unit = lowerBound(0, units.length, (at) => units[at] < number);
    if (units[unit] !== number) continue;
    // One entry serves all keys with the same tag.
    for (let at = tagIndex(segment, unit, tag); at < starts[unit + 1] && tags[at] === tag; at++) seen[at] = 1;
  }
  return seen;
}

/** Returns the first index: several keys may have the same tag. */
function tagIndex({ starts, tags }: UnitSegment, unit: number, tag: bigint): number {
  return lowerBound(starts[unit], starts[unit + 1], (at) => tags[at] < tag);
}

function numberOf({ height, sequence }: UnitKey): number {
  return height * MAX_SEQUENCES + sequence;
}

function unitOf(number: number): UnitKey {
  return { height: Math.floor(number / MAX_SEQUENCES), sequence: number % MAX_SEQUENCES };
}
