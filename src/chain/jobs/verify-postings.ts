import { lowerBound } from "../../collections/binary-search.ts";
import type { Reader } from "../../storage/kv.ts";
import { entriesOf } from "../../storage/lsm/sorted-run.ts";
import type { UnitKey } from "../../storage/places.ts";
import type { InvertedIndex } from "../../storage/postings/inverted-index.ts";
import { type FaultOrPause, postingKeyText } from "./verify-differences.ts";
import { ENTRIES_PER_SLICE, growTags, tagOf, unreadableFault } from "./verify-lookups.ts";

/** Bounds the memory: 9 bytes for each key. */
const KEYS_PER_PASS = 4_000_000;
const UNITS_PER_SLICE = 500;
/** A sequence is a u16. */
const MAX_SEQUENCES = 0x1_0000;

interface UnitSegment {
  /** Height and sequence as one number, see `unitNumber`. */
  readonly units: readonly number[];
  /** Index of each unit's first tag; at the end, the number of all tags. */
  readonly starts: readonly number[];
  /** Tags of the units' keys, sorted per unit. */
  readonly tags: BigUint64Array;
}

/**
 * Yields a fault for each key (address, hash) whose lookup misses a unit.
 * @param expected the correct store
 * @returns number of keys looked up, counted once per unit
 */
export function* postingFaults(
  index: InvertedIndex,
  stored: Reader,
  expected: Reader,
  perPass: number = KEYS_PER_PASS,
): Generator<FaultOrPause, number> {
  const table = index.table.name;
  let total = 0;
  for (const segment of readSegments(index, expected, perPass)) {
    if (segment === undefined) {
      yield undefined;
      continue;
    }
    let found: Uint8Array;
    try {
      found = yield* findTags(segment, stored, index);
    } catch (error) {
      yield unreadableFault(table, error);
      return total;
    }
    const { units, starts } = segment;
    for (let i = 0; i < units.length; i++) {
      if (i % UNITS_PER_SLICE === UNITS_PER_SLICE - 1) yield undefined;
      if (!found.subarray(starts[i], starts[i + 1]).includes(0)) continue;
      const unit = unitOf(units[i]);
      for (const { key } of expected.get(index.table, unit) ?? []) {
        if (found[tagIndex(segment, i, tagOf(index.tag(key)))] !== 0) continue;
        const name = `height=${unit.height} sequence=${unit.sequence} ${postingKeyText(key)}`;
        yield { table, key: name, problem: "is missing: not found by the lookup" };
      }
    }
    total += found.length;
  }
  return total;
}

function* readSegments(
  index: InvertedIndex,
  reader: Reader,
  perPass: number,
): Generator<UnitSegment | undefined> {
  let units: number[] = [];
  let starts: number[] = [];
  let tags: BigUint64Array = new BigUint64Array(1_024);
  let count = 0;
  const segment = (): UnitSegment => ({ units, starts: [...starts, count], tags: tags.subarray(0, count) });
  for (const [unit, postings] of reader.range(index.table)) {
    if (count > 0 && count + postings.length > perPass) {
      yield segment();
      [units, starts, count] = [[], [], 0];
    }
    tags = growTags(tags, count + postings.length);
    units.push(unitNumber(unit));
    starts.push(count);
    for (const { key } of postings) tags[count++] = tagOf(index.tag(key));
    tags.subarray(starts.at(-1), count).sort();
    if (units.length % UNITS_PER_SLICE === 0) yield undefined;
  }
  if (count > 0) yield segment();
}

function* findTags(
  segment: UnitSegment,
  stored: Reader,
  index: InvertedIndex,
): Generator<undefined, Uint8Array> {
  const { units, starts, tags } = segment;
  const found = new Uint8Array(tags.length);
  let entriesRead = 0;
  for (const { tag, height, position: sequence } of entriesOf(stored, index.tree.id)) {
    if (++entriesRead % ENTRIES_PER_SLICE === 0) yield undefined;
    if (sequence >= MAX_SEQUENCES) continue;
    const number = unitNumber({ height, sequence });
    const unitIndex = lowerBound(0, units.length, (at) => units[at] < number);
    if (units[unitIndex] !== number) continue;
    for (let at = tagIndex(segment, unitIndex, tag); at < starts[unitIndex + 1] && tags[at] === tag; at++)
      found[at] = 1;
  }
  return found;
}

function tagIndex({ starts, tags }: UnitSegment, unitIndex: number, tag: bigint): number {
  return lowerBound(starts[unitIndex], starts[unitIndex + 1], (at) => tags[at] < tag);
}

function unitNumber({ height, sequence }: UnitKey): number {
  return height * MAX_SEQUENCES + sequence;
}

function unitOf(number: number): UnitKey {
  return { height: Math.floor(number / MAX_SEQUENCES), sequence: number % MAX_SEQUENCES };
}
