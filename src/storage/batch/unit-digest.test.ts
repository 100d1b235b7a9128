import { expect, test } from "vitest";
import { encodeHex } from "../../bytes/hex.ts";
import { memoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";
import { counters, tables } from "../tables.ts";
import { isInUnitDigest } from "./unit-digest.ts";
import { allTables, type WriteBatch } from "./write-batch.ts";

const unit = { height: 5, sequence: 2 };

type Write = (batch: WriteBatch) => void;

const putScore: Write = (batch) => batch.put(tables.score, 5, 7n);
const putFeature: Write = (batch) => batch.put(tables.features, 3, { approved: 1, activated: 2 });
const putCertificate: Write = (batch) =>
  batch.put(tables.certificates, new Uint8Array(26).fill(1), Uint8Array.of(9));
const putOther: Write = (batch) => batch.put(tables.certificates, new Uint8Array(26), Uint8Array.of(8));

function write(store: Store, writes: readonly Write[], key = unit): string | undefined {
  return store.write((batch) => {
    batch.beginUnit(key);
    for (const write of writes) write(batch);
    batch.endUnit();
    const digest = batch.get(tables.unitDigests, key);
    return digest && encodeHex(digest);
  });
}

const digestOf = (...writes: Write[]): string | undefined => write(memoryStore(), writes);

test("a digest does not depend on the order of writes or on values that were replaced in the unit", () => {
  const expected = digestOf(putScore, putFeature, putCertificate, putOther);
  expect(expected).toMatch(/^[0-9a-f]{64}$/);
  expect(digestOf(putOther, putCertificate, putFeature, putScore)).toBe(expected);
  const putFirst: Write = (batch) => batch.put(tables.score, 5, 1n);
  expect(digestOf(putFirst, putOther, putFeature, putCertificate, putScore)).toBe(expected);
});

test("a digest does not depend on other units of the same commit", () => {
  const expected = digestOf(putScore, putCertificate);
  const store = memoryStore();
  store.write((batch) => {
    batch.beginUnit({ height: 4, sequence: 0 });
    putScore(batch);
    putFeature(batch);
    batch.endUnit();
    batch.beginUnit(unit);
    putCertificate(batch);
    putScore(batch);
    batch.endUnit();
    batch.beginUnit({ height: 6, sequence: 0 });
    batch.put(tables.score, 5, 8n);
    batch.endUnit();
  });
  expect(encodeHex(store.get(tables.unitDigests, unit) ?? new Uint8Array(0))).toBe(expected);
});

test("a digest depends on each key, each value and each removal", () => {
  const digests = [
    digestOf(),
    digestOf(putScore),
    digestOf(putScore, putFeature),
    digestOf((batch) => batch.put(tables.score, 5, 8n)),
    digestOf((batch) => batch.put(tables.score, 6, 7n)),
    digestOf((batch) => batch.remove(tables.score, 5)),
    digestOf((batch) => batch.put(tables.feePrices, 5, 7n)),
  ];
  expect(new Set(digests).size).toBe(digests.length);
});

test("a digest covers the journaled tables of chain and ledger, but not accounts, sponsors and indexes", () => {
  const missing = allTables.filter((table) => table.journaled && !isInUnitDigest(table));
  expect(missing.map(({ name }) => name).sort()).toEqual(
    [
      "accounts",
      "sponsorLists",
      "sponsors",
      "sponsorships",
      "sponsorFunds",
      ...allTables
        .filter(({ prefix }) => prefix >= tables.addressTransactions.prefix)
        .map(({ name }) => name),
    ].sort(),
  );
  const expected = digestOf(putScore);
  const address = new Uint8Array(26);
  expect(
    digestOf(putScore, (batch) => {
      batch.put(tables.associationParents, { first: address, second: address }, true);
      batch.addCount(counters.listedTransactions, new Uint8Array(20), 1, 1);
    }),
  ).toBe(expected);
});

test("undoing a unit removes its digest; an abandoned unit has none", () => {
  const store = memoryStore();
  write(store, [putScore]);
  store.write((batch) => {
    batch.undoUnit(unit);
    batch.beginUnit(unit);
    putScore(batch);
    batch.abandonUnit();
  });
  expect([...store.range(tables.unitDigests)]).toEqual([]);
});
