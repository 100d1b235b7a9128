import { expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import type { Reader } from "../../storage/kv.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { InterruptibleReader } from "../../storage/readers/interruptible-reader.ts";
import { tables } from "../../storage/tables.ts";
import type { MethodRecord } from "../../storage/values/indexes.ts";
import { addresses, IndexChain, people, timeOf, transactionOf, unitOf } from "../testing/index-chain.ts";
import { sourceOf } from "../testing/query-source.ts";
import { CapabilityCache } from "./did-capabilities.ts";
import { identityFacts } from "./did-records.ts";
import { IdentityQuery } from "./query.ts";
import { identityIndex } from "./write.ts";

const [giver, holder, other] = addresses;
const STATEMENTS = 50;

function record(recipient: Uint8Array, timestamp: bigint, relationships: number): MethodRecord {
  return { capability: true, recipient, timestamp, relationships };
}

function statementsAbout(address: Uint8Array, height: number) {
  return Array.from({ length: STATEMENTS }, (_, i) =>
    transactionOf(
      people[2],
      23,
      { statementType: 0x121n, recipient: address, subject: undefined, data: [] },
      timeOf(height) + BigInt(i),
    ),
  );
}

test("the records of an address are read once per unit", () => {
  const chain = new IndexChain([identityIndex()]);
  const give = transactionOf(
    people[0],
    16,
    { associationType: 0x108n, recipient: holder, subject: undefined, expires: undefined, data: [] },
    timeOf(1),
  );
  chain.apply(unitOf(1, 0, 0, [give]));
  let ranges = 0;
  const store = chain.store;
  store.write((batch) => {
    const range = batch.range.bind(batch);
    batch.range = ((table: typeof tables.didMethods, options: Parameters<Reader["range"]>[1]) => {
      if (table === tables.didMethods) ranges++;
      return range(table, options as never);
    }) as typeof batch.range;
    const unit = unitOf(2, 0, 0, statementsAbout(giver, 2));
    batch.beginUnit(unit);
    identityIndex().apply(batch, unit);
    batch.endUnit();
  });
  expect(ranges).toBe(1);
  expect(identityFacts(store).deactivation(giver)).toBeUndefined();
});

test("records read in steps give the same answers as records read at once", () => {
  const store = memoryStore();
  const count = 2_500;
  store.write((batch) => {
    batch.beginUnit({ height: 1, sequence: 0 });
    for (let position = 0; position < count; position++) {
      const place = { address: giver, height: 1 + (position >> 8), position };
      batch.insert(
        tables.didMethods,
        place,
        record(position % 2 === 0 ? holder : other, BigInt(position), 1),
      );
    }
    batch.endUnit();
  });
  let rows = 0;
  const counted = new InterruptibleReader(store, () => rows++);
  const inSteps = new CapabilityCache(counted);
  let steps = 1;
  for (const loading = inSteps.load(giver); loading.next().done !== true; steps++) {
    expect(rows).toBeLessThanOrEqual(1_000);
    rows = 0;
  }
  expect(steps).toBe(3);
  const atOnce = new CapabilityCache(store);
  rows = 0;
  for (const time of [0n, 1n, 999n, 1_000n, 9_999n])
    for (const one of [holder, other, giver])
      expect(inSteps.inEffect(giver, one, time)).toEqual(atOnce.inEffect(giver, one, time));
  expect(inSteps.newest(giver, other)).toEqual(record(other, BigInt(count - 1), 1));
  expect(rows).toBe(0);
});

test("the latest effect counts, at equal times the last record, whatever other holders have", () => {
  const none: Pick<Reader, "range"> = { range: () => [] };
  const held = new CapabilityCache(none as Reader);
  expect(held.newest(giver, holder)).toBeUndefined();
  expect(held.inEffect(giver, holder, 100n)).toBeUndefined();
  const [late, early, equal, foreign] = [
    record(holder, 20n, 1),
    record(holder, 10n, 2),
    record(holder, 10n, 3),
    record(other, 15n, 4),
  ];
  for (const one of [late, early, equal, foreign]) held.add(giver, one);
  held.add(giver, { ...foreign, capability: false, timestamp: 16n });
  expect(held.newest(giver, holder)).toBe(equal);
  expect([9n, 10n, 19n, 20n, 99n].map((time) => held.inEffect(giver, holder, time))).toEqual([
    undefined,
    equal,
    equal,
    late,
    late,
  ]);
  expect(held.inEffect(giver, other, 99n)).toBe(foreign);
  expect(held.inEffect(other, holder, 99n)).toBeUndefined();
});

test("records of an identity are counted up to the limit, for any form of its name", () => {
  const chain = new IndexChain([identityIndex()]);
  const methods = Array.from({ length: 5 }, (_, i) =>
    transactionOf(
      people[0],
      16,
      { associationType: 0x101n, recipient: holder, subject: undefined, expires: undefined, data: [] },
      timeOf(1) + BigInt(i),
    ),
  );
  const service = { key: "did:service:a", type: "string", value: '{"type":"T"}' };
  chain.apply(unitOf(1, 0, 0, [...methods, transactionOf(people[0], 12, { data: [service] }, timeOf(1))]));
  const records = (did: string, enough = 100) =>
    new IdentityQuery(sourceOf(chain.store)).countRecords(did, enough);
  const address = encodeBase58(giver);
  for (const name of ["", "did:lto:"].flatMap((prefix) =>
    ["", ":derived:2ecUjVz", "#sign", "?service=a", "/path"].map((rest) => `${prefix}${address}${rest}`),
  ))
    expect(records(name), name).toBe(6);
  expect(records(address, 4)).toBe(4);
  expect(records(address, 6)).toBe(6);
  for (const none of ["", "x", "did:", "did:lto:", `${address}x`, encodeBase58(other)])
    expect(records(none), none).toBe(0);
});
