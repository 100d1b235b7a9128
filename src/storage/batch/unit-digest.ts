import { sortedByKey } from "../../bytes/sort.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { fastHash } from "../../crypto/hashes.ts";
import { writeLengthPrefixed, writeVarint } from "../codecs.ts";
import { tables } from "../tables.ts";

/** The digest excludes indexes, because they may differ between nodes. */
const FIRST_INDEX_PREFIX = 0x50;

/**
 * Other excluded tables. Sponsor serials may differ between stores. `accountHistory` has the amounts of `accounts`; the
 * numbers of sponsored accounts are not in the digest.
 */
const excludedPrefixes: ReadonlySet<number> = new Set(
  [tables.accounts, tables.sponsorLists, tables.sponsors, tables.sponsorships, tables.sponsorFunds].map(
    ({ prefix }) => prefix,
  ),
);

export function isInUnitDigest({ prefix, journaled }: { prefix: number; journaled: boolean }): boolean {
  return journaled && prefix < FIRST_INDEX_PREFIX && !excludedPrefixes.has(prefix);
}

const scratch = new ByteWriter(16 * 1_024);

/**
 * Returns a hash of the rows that a unit wrote, independent of the order of the writes: BLAKE2b-256 of the tables in
 * prefix order. A table is prefix u8, varint number of rows, and the rows in key order. A row is its length-prefixed
 * key, and varint 0 if the unit removed it, or else length + 1 and the value.
 * @param encodedValueOf returns the encoded value after the unit
 */
export function unitDigest<R extends { readonly key: Uint8Array }>(
  changesByPrefix: ReadonlyMap<number, { readonly rows: readonly R[] }>,
  encodedValueOf: (prefix: number, row: R) => Uint8Array | undefined,
): Uint8Array {
  const writer = scratch.clear();
  const prefixes = [...changesByPrefix.keys()].filter((prefix) =>
    isInUnitDigest({ prefix, journaled: true }),
  );
  prefixes.sort((a, b) => a - b);
  for (const prefix of prefixes) {
    const rows = changesByPrefix.get(prefix)?.rows ?? [];
    writer.u8(prefix);
    writeVarint(writer, rows.length);
    for (const row of rows.length > 1 ? sortedByKey(rows) : rows) {
      writeLengthPrefixed(writer, row.key);
      const value = encodedValueOf(prefix, row);
      writeVarint(writer, value === undefined ? 0 : value.length + 1);
      if (value !== undefined) writer.bytes(value);
    }
  }
  return fastHash(writer.view());
}
