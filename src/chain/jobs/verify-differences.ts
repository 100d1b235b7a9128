import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual, compareBytes } from "../../bytes/compare.ts";
import { ADDRESS_LENGTH, addressText } from "../../crypto/addresses.ts";
import type { Reader, Table } from "../../storage/kv.ts";
import { type UnitPosting, UnitPostings, unitPostingsValue } from "../../storage/postings/unit-postings.ts";
import { tables } from "../../storage/tables.ts";

export interface Fault {
  readonly table: string;
  readonly key: string;
  readonly problem: string;
}

/** A fault; undefined where the caller may pause. */
export type FaultOrPause = Fault | undefined;

/** Bytes of a value that count as one more row of work. */
const BYTES_PER_ROW = 1_024;
const ROWS_PER_SLICE = 2_000;

const sponsorTables: ReadonlySet<string> = new Set(
  [tables.sponsorLists, tables.sponsors, tables.sponsorships, tables.sponsorFunds].map(({ name }) => name),
);

/** Tables determined by the blocks, except those about sponsors (`verify-sponsors.ts`). */
export const comparedTables: readonly Table<unknown, unknown>[] = (
  Object.values(tables) as unknown as readonly Table<unknown, unknown>[]
).filter(({ journaled, name }) => journaled && !sponsorTables.has(name));

function describe(value: unknown, depth = 0): string {
  if (value instanceof Uint8Array) {
    if (value.length === ADDRESS_LENGTH) return addressText(value);
    return value.length === 0 ? "nothing" : encodeBase58(value.subarray(0, 64));
  }
  if (value === undefined) return "nothing";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) {
    const shown = value.slice(0, 4).map((item) => describe(item, depth + 1));
    return `[${shown.join(", ")}${value.length > shown.length ? `, … ${value.length} in all` : ""}]`;
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => (depth < 2 ? `${name}=${describe(member, depth + 1)}` : name));
  return members.join(" ");
}

function differenceText(found: unknown, expected: unknown): string {
  if (!isRecord(found) || !isRecord(expected)) return `is ${describe(found)}, expected ${describe(expected)}`;
  const names = new Set([...Object.keys(found), ...Object.keys(expected)]);
  const differing = [...names].filter((name) => describe(found[name]) !== describe(expected[name]));
  return differing
    .map((name) => `${name} is ${describe(found[name])}, expected ${describe(expected[name])}`)
    .join("; ");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

/** An encoded value. */
class Raw {
  constructor(readonly bytes: Uint8Array) {}
}

type Row = [key: Uint8Array, value: Uint8Array];

function* rowsOf(table: Table<unknown, unknown>, reader: Reader): Generator<Row, void> {
  for (const [key, value] of reader.scan(table, {}))
    yield [key, value instanceof Raw ? value.bytes : table.value.encode(value)];
}

function decode(table: Table<unknown, unknown>, bytes: Uint8Array): unknown {
  try {
    return table.value.decode(bytes);
  } catch {
    return `unreadable (${encodeBase58(bytes.subarray(0, 64))})`;
  }
}

interface Difference {
  /** Set if the difference is in one posting. */
  readonly postingKey?: Uint8Array;
  readonly problem: string;
}

function* valueDifferences(
  found: Uint8Array | undefined,
  expected: Uint8Array | undefined,
  read: (bytes: Uint8Array) => unknown,
): Generator<Difference> {
  if (found !== undefined && expected !== undefined) {
    if (!bytesEqual(found, expected)) yield { problem: differenceText(read(found), read(expected)) };
  } else if (found !== undefined) yield { problem: `is unexpected: ${describe(read(found))}` };
  else if (expected !== undefined) yield { problem: `is missing: ${describe(read(expected))}` };
}

function* postingDifferences(
  found: Uint8Array | undefined,
  expected: Uint8Array | undefined,
): Generator<Difference> {
  if (found !== undefined && expected !== undefined && bytesEqual(found, expected)) return;
  const foundPostings = postingsOf(found);
  const expectedPostings = postingsOf(expected);
  let isReported = false;
  if (foundPostings !== undefined && expectedPostings !== undefined) {
    for (const [actual, correct] of mergeSorted(foundPostings, expectedPostings, (a, b) =>
      compareBytes(a.key, b.key),
    ))
      for (const { problem } of valueDifferences(actual?.value, correct?.value, (bytes) => bytes)) {
        isReported = true;
        yield { postingKey: (actual ?? correct).key, problem };
      }
  }
  // Unreadable or empty rows have no postings to compare.
  if (!isReported)
    yield {
      problem: differenceText(postingsText(found, foundPostings), postingsText(expected, expectedPostings)),
    };
}

/** Merges two sorted sequences. Equal items are yielded together, others alone. */
export function* mergeSorted<T>(
  found: Iterable<T>,
  correct: Iterable<T>,
  compare: (a: T, b: T) => number,
): Generator<[found: T, correct: T | undefined] | [found: undefined, correct: T]> {
  const [left, right] = [found[Symbol.iterator](), correct[Symbol.iterator]()];
  try {
    let [a, b] = [left.next(), right.next()];
    while (a.done !== true || b.done !== true) {
      const order = a.done === true ? 1 : b.done === true ? -1 : compare(a.value, b.value);
      if (order <= 0) yield [a.value, order === 0 ? b.value : undefined];
      else yield [undefined, b.value];
      if (order <= 0) a = left.next();
      if (order >= 0) b = right.next();
    }
  } finally {
    left.return?.();
    right.return?.();
  }
}

function postingsOf(bytes: Uint8Array | undefined): readonly UnitPosting[] | undefined {
  if (bytes === undefined) return [];
  const postings = new UnitPostings(bytes);
  return postings.isWellFormed() ? [...postings] : undefined;
}

function postingsText(
  bytes: Uint8Array | undefined,
  postings: readonly UnitPosting[] | undefined,
): string | undefined {
  return bytes && `${postings === undefined ? "unreadable" : `${postings.length} keys`} (${describe(bytes)})`;
}

/** Compares all rows of a table. @param expected the correct store @returns number of rows in `stored` */
export function* tableFaults(
  table: Table<unknown, unknown>,
  stored: Reader,
  expected: Reader,
): Generator<FaultOrPause, number> {
  const raw: Table<unknown, unknown> = {
    ...table,
    value: { ...table.value, decode: (bytes) => new Raw(bytes) },
  };
  const hasPostings = table.value === unitPostingsValue;
  const differences = (
    found: Uint8Array | undefined,
    correct: Uint8Array | undefined,
  ): Iterable<Difference> =>
    hasPostings
      ? postingDifferences(found, correct)
      : valueDifferences(found, correct, (bytes) => decode(table, bytes));
  let rows = 0;
  let work = 0;
  const compare = ([a]: Row, [b]: Row): number => compareBytes(a, b);
  for (const [actual, correct] of mergeSorted(rowsOf(raw, stored), rowsOf(raw, expected), compare)) {
    const [key, value] = actual ?? correct;
    if (actual !== undefined) rows++;
    for (const { postingKey, problem } of differences(actual?.[1], correct?.[1]))
      yield { table: table.name, key: keyText(table, key, postingKey), problem };
    work += 1 + value.length / BYTES_PER_ROW;
    if (work >= ROWS_PER_SLICE) {
      work = 0;
      yield undefined;
    }
  }
  return rows;
}

function keyText(
  table: Table<unknown, unknown>,
  key: Uint8Array,
  postingKey: Uint8Array | undefined,
): string {
  const row = key.length === 0 ? "(the only row)" : describe(table.key.decode(key));
  return postingKey === undefined ? row : `${row} ${postingKeyText(postingKey)}`;
}

export function postingKeyText(key: Uint8Array): string {
  return `${key.length === ADDRESS_LENGTH ? "address" : "key"} ${describe(key)}`;
}
