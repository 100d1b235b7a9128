/** What two stores differ in, row by row. */

import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesEqual, compareBytes } from "../../bytes/compare.ts";
import { addressText } from "../../crypto/addresses.ts";
import { ADDRESS_LENGTH } from "../../storage/codecs.ts";
import type { Reader, Table } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";

/** A fault that was found. */
export interface Fault {
  /** Table of the store, or `blocks` for what is wrong with a block itself. */
  readonly table: string;
  /** Which row: address, height, id. */
  readonly key: string;
  /** What is wrong with it. */
  readonly problem: string;
}

/**
 * Every table that the blocks decide. The others are the store's own facts, the checkpoint, look-ups (which `verify`
 * compares by what they find), and the journal, of which only the newest part is kept.
 */
export const comparedTables: readonly Table<unknown, unknown>[] = (
  Object.values(tables) as unknown as readonly Table<unknown, unknown>[]
).filter(({ journaled }) => journaled);

/** A value for people: bytes in Base58, records as `name=value`. */
export function describe(value: unknown, depth = 0): string {
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

/** The members in which two values differ, side by side; the whole values when they are no records. */
function compared(found: unknown, expected: unknown): string {
  if (!isRecord(found) || !isRecord(expected))
    return `stored is ${describe(found)}, the blocks give ${describe(expected)}`;
  const names = new Set([...Object.keys(found), ...Object.keys(expected)]);
  const differing = [...names].filter((name) => describe(found[name]) !== describe(expected[name]));
  return differing
    .map((name) => `stored ${name} is ${describe(found[name])}, the blocks give ${describe(expected[name])}`)
    .join("; ");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

/** The bytes of a value as they are stored. Readers that hold values in memory hand these out instead. */
class Raw {
  constructor(readonly bytes: Uint8Array) {}
}

/** Keys and values as bytes. */
function* rowsOf(table: Table<unknown, unknown>, reader: Reader): Generator<[Uint8Array, Uint8Array], void> {
  for (const [key, value] of reader.scan(table, {}))
    yield [key, value instanceof Raw ? value.bytes : table.value.encode(value)];
}

/** Reads a value of a table, or says that it cannot be read. */
function decoded(table: Table<unknown, unknown>, bytes: Uint8Array): unknown {
  try {
    return table.value.decode(bytes);
  } catch {
    return `unreadable (${encodeBase58(bytes.subarray(0, 64))})`;
  }
}

/**
 * Compares a table of two stores, from end to end.
 * @param expected the store that is known to be right
 */
export function* tableFaults(
  table: Table<unknown, unknown>,
  stored: Reader,
  expected: Reader,
): Generator<Fault, number> {
  // Bytes against bytes: nothing is decoded unless it differs.
  const raw: Table<unknown, unknown> = {
    ...table,
    value: { ...table.value, decode: (bytes) => new Raw(bytes) },
  };
  const keyText = (key: Uint8Array): string =>
    key.length === 0 ? "(the only row)" : describe(table.key.decode(key));
  const ours = rowsOf(raw, stored);
  const theirs = rowsOf(raw, expected);
  let rows = 0;
  try {
    let found = ours.next();
    let right = theirs.next();
    while (found.done !== true || right.done !== true) {
      const order =
        found.done === true ? 1 : right.done === true ? -1 : compareBytes(found.value[0], right.value[0]);
      if (order <= 0 && found.done !== true) rows++;
      if (order < 0 && found.done !== true) {
        const problem = `is not what the blocks give: ${describe(decoded(table, found.value[1]))}`;
        yield { table: table.name, key: keyText(found.value[0]), problem };
      } else if (order > 0 && right.done !== true) {
        const problem = `is missing: ${describe(decoded(table, right.value[1]))}`;
        yield { table: table.name, key: keyText(right.value[0]), problem };
      } else if (found.done !== true && right.done !== true && !bytesEqual(found.value[1], right.value[1])) {
        const problem = compared(decoded(table, found.value[1]), decoded(table, right.value[1]));
        yield { table: table.name, key: keyText(found.value[0]), problem };
      }
      if (order <= 0) found = ours.next();
      if (order >= 0) right = theirs.next();
    }
    return rows;
  } finally {
    ours.return(undefined);
    theirs.return(undefined);
  }
}
