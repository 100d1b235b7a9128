import { compareBytes } from "../../bytes/compare.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { fastHash } from "../../crypto/hashes.ts";
import { writeLengthPrefixed, writeVarint } from "../codecs.ts";
import { tables } from "../tables.ts";
import type { Records } from "./journal-records.ts";

/** Nodes may have other indexes, so the digest does not cover them. */
const FIRST_INDEX_PREFIX = 0x50;

/**
 * Other tables that a digest does not cover. Serials of sponsors may differ between stores. `accountHistory`
 * has the values of `accounts`, except the numbers of sponsored accounts.
 */
const uncovered: ReadonlySet<number> = new Set(
  [tables.accounts, tables.sponsorLists, tables.sponsors, tables.sponsorships, tables.sponsorFunds].map(
    ({ prefix }) => prefix,
  ),
);

export function isInUnitDigest({ prefix, journaled }: { prefix: number; journaled: boolean }): boolean {
  return journaled && prefix < FIRST_INDEX_PREFIX && !uncovered.has(prefix);
}

const scratch = new ByteWriter(16 * 1_024);

/**
 * Returns a hash of the rows that a unit wrote, independent of the order of the writes: BLAKE2b-256 of all tables by
 * prefix. A table is prefix u8, varint number of rows, and the rows by key. A row is its length-prefixed key, and
 * varint 0 if the unit removed it, or else length + 1 and the value.
 * @param all the keys of the rows, by table prefix
 * @param encodedValueOf returns the encoded value after the unit
 */
export function unitDigest(
  all: ReadonlyMap<number, Pick<Records, "keys">>,
  encodedValueOf: (prefix: number, key: Uint8Array) => Uint8Array | undefined,
): Uint8Array {
  const writer = scratch.clear();
  const prefixes = [...all.keys()].filter((prefix) => isInUnitDigest({ prefix, journaled: true }));
  prefixes.sort((a, b) => a - b);
  for (const prefix of prefixes) {
    const keys = all.get(prefix)?.keys ?? [];
    writer.u8(prefix);
    writeVarint(writer, keys.length);
    for (const key of keys.length > 1 ? [...keys].sort(compareBytes) : keys) {
      writeLengthPrefixed(writer, key);
      const value = encodedValueOf(prefix, key);
      writeVarint(writer, value === undefined ? 0 : value.length + 1);
      if (value !== undefined) writer.bytes(value);
    }
  }
  return fastHash(writer.view());
}
