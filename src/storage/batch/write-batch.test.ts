import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { memoryStore } from "../memory-store.ts";
import type { UnitKey } from "../places.ts";
import { openStore, type Store } from "../store.ts";
import { tables } from "../tables.ts";
import { journaledRows } from "../testing/dump.ts";
import { allTables, PERSIST_SEQUENCE, type WriteBatch } from "./write-batch.ts";

const home = mkdtempSync(join(tmpdir(), "holdfast-batch-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const address = (n: number) => new Uint8Array(26).fill(n);
const small = fc.nat(5);
const amount = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

/** A change of a row; keys are few, so that changes collide often. */
const change = fc.oneof(
  fc.record({
    at: fc.constant("account" as const),
    n: small,
    value: fc.option(fc.tuple(amount, amount, small), { nil: undefined }),
  }),
  fc.record({
    at: fc.constant("certificate" as const),
    n: small,
    value: fc.option(fc.uint8Array({ maxLength: 40 }), { nil: undefined }),
  }),
  fc.record({
    at: fc.constant("data" as const),
    n: small,
    key: fc.string({ unit: "binary", maxLength: 4 }),
    value: fc.string({ maxLength: 6 }),
  }),
  fc.record({
    at: fc.constant("score" as const),
    n: small,
    value: fc.option(fc.bigInt({ min: 0n, max: 2n ** 90n }), { nil: undefined }),
  }),
  fc.record({ at: fc.constant("features" as const), n: small, value: fc.option(small, { nil: undefined }) }),
  fc.record({ at: fc.constant("read" as const), n: small }),
);

type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

function applyChange(batch: WriteBatch, step: Change): void {
  switch (step.at) {
    case "account": {
      if (step.value === undefined) batch.remove(tables.accounts, address(step.n));
      else {
        const [balance, leaseIn, changedAt] = step.value;
        const row = { balance, leaseIn, leaseOut: 0n, unbonding: 0n, changedAt };
        if (changedAt % 2 === 0) batch.put(tables.accounts, address(step.n), row);
        else batch.putOpened(tables.accounts, batch.open(tables.accounts, address(step.n)), row);
      }
      break;
    }
    case "certificate":
      if (step.value === undefined) batch.remove(tables.certificates, address(step.n));
      else batch.put(tables.certificates, address(step.n), step.value);
      break;
    case "data":
      batch.put(
        tables.data,
        { address: address(step.n), key: step.key },
        { type: "string", value: step.value },
      );
      break;
    case "score":
      if (step.value === undefined) batch.remove(tables.score, step.n);
      else batch.put(tables.score, step.n, step.value);
      break;
    case "features":
      if (step.value === undefined) batch.remove(tables.features, step.n);
      else batch.put(tables.features, step.n, { approved: step.value, activated: step.value + 1 });
      break;
    case "read":
      batch.get(tables.accounts, address(step.n));
      batch.get(tables.certificates, address(step.n));
      for (const _ of batch.range(tables.score, { from: step.n, reverse: true, limit: 2 }));
      break;
  }
}

it("has no change for a row that is added and removed again", () => {
  const batch = memoryStore().begin();
  batch.beginUnit({ height: 1, sequence: 0 });
  batch.insert(tables.score, 1, 1n);
  batch.put(tables.score, 2, 2n);
  for (const height of [1, 2, 3]) batch.remove(tables.score, height);
  batch.endUnit();
  expect(batch.pruneJournal(1)).toBe(1);
  expect(Array.from(batch.changes(), ({ table, key }) => [table.name, key.at(-1)])).toEqual([
    ["unitDigests", 0],
    ["score", 2],
    ["score", 3],
  ]);
});

/** An event in a chain of units. */
const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("unit" as const),
      changes: fc.array(change, { maxLength: 12 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("abandoned" as const),
      changes: fc.array(change, { maxLength: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("undo" as const), count: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("commit" as const) }) },
);

/** Records the rows after each unit, to compare them after undoing. */
function run(
  store: Store,
  events: readonly (typeof event extends fc.Arbitrary<infer E> ? E : never)[],
): void {
  const units: { key: UnitKey; before: string[] }[] = [];
  let batch = store.begin();
  const rows = () => journaledRows(batch);
  let serial = 0;
  for (const step of events) {
    if (step.kind === "commit") {
      const before = rows();
      store.commit(batch);
      expect(store.read(journaledRows)).toEqual(before);
      batch = store.begin();
    } else if (step.kind === "undo") {
      for (let i = 0; i < step.count; i++) {
        const last = units.pop();
        if (last === undefined) break;
        batch.undoUnit(last.key);
        expect(rows()).toEqual(last.before);
      }
    } else {
      // Three units per height: key block, micro block, persisting. Undone units return with other content.
      const key = { height: 1 + Math.floor(serial / 3), sequence: [0, 1, PERSIST_SEQUENCE][serial % 3] };
      serial++;
      const before = rows();
      batch.beginUnit(key);
      for (const one of step.changes) applyChange(batch, one);
      if (step.kind === "abandoned") {
        batch.abandonUnit();
        expect(rows()).toEqual(before);
      } else {
        batch.endUnit();
        units.push({ key, before });
      }
    }
  }
  while (units.length > 0) {
    const last = units.pop();
    if (last !== undefined) batch.undoUnit(last.key);
  }
  expect(rows()).toEqual([]);
  store.commit(batch);
  expect(store.read(journaledRows)).toEqual([]);
  expect(store.read((reader) => [...reader.range(tables.journal)])).toEqual([]);
}

describe("units", () => {
  it("leave no trace after undo (store in memory)", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 25 }), (events) => run(memoryStore(), events)),
      { numRuns: 400, seed: 11 },
    );
  });

  it("leave no trace after undo (store on disk)", async () => {
    const samples = fc.sample(fc.array(event, { minLength: 5, maxLength: 25 }), { numRuns: 60, seed: 12 });
    // One store for all runs: each run ends as it began.
    const store = await openStore(join(home, "undo"), { network: "test" });
    for (const events of samples) run(store, events);
    await store.close();
  });

  it("are undone newest first, and only inside them journaled tables can change", () => {
    const batch = memoryStore().begin();
    const put = () => batch.put(tables.score, 1, 1n);
    expect(put).toThrow("change it inside a unit");
    batch.beginUnit({ height: 5, sequence: 0 });
    expect(() => batch.beginUnit({ height: 5, sequence: 1 })).toThrow("Unit 5/0 is still open");
    expect(() => batch.undoUnit({ height: 5, sequence: 0 })).toThrow("still open");
    put();
    batch.endUnit();
    expect(put).toThrow("change it inside a unit");
    expect(() => batch.endUnit()).toThrow("No unit is open");
    expect(() => batch.beginUnit({ height: 5, sequence: 0 })).toThrow("does not come after");
    expect(() => batch.beginUnit({ height: 4, sequence: 9 })).toThrow("does not come after");
    batch.beginUnit({ height: 5, sequence: 1 });
    batch.endUnit();
    expect(() => batch.undoUnit({ height: 5, sequence: 0 })).toThrow("cannot be undone before unit 5/1");
    expect(() => batch.undoUnit({ height: 6, sequence: 0 })).toThrow("Cannot undo block 6");
    expect(batch.lastUnit).toEqual({ height: 5, sequence: 1 });
    batch.undoUnit({ height: 5, sequence: 1 });
    batch.undoUnit({ height: 5, sequence: 0 });
    expect(batch.lastUnit).toBeUndefined();
    expect(() => batch.undoUnit({ height: 5, sequence: 0 })).toThrow("the undo journal no longer has it");
  });

  it("remove inserted rows when undone, and can insert them again", () => {
    const batch = memoryStore().begin();
    const key = { address: address(1), height: 3 };
    for (let round = 0; round < 3; round++) {
      batch.beginUnit({ height: 3, sequence: 0 });
      batch.insert(tables.generatedBlocks, key, true);
      expect(() => batch.insert(tables.generatedBlocks, key, true)).toThrow("inserted twice");
      batch.endUnit();
      batch.undoUnit({ height: 3, sequence: 0 });
      expect(batch.get(tables.generatedBlocks, key)).toBeUndefined();
    }
  });
});

describe("amended units", () => {
  const rewritten = allTables.filter(({ name }) => name === "score" || name === "features");
  const [score] = rewritten.filter(({ name }) => name === "score");

  /** Three units that each write a certificate and a score; the journal of the first is pruned. */
  function filled(first: bigint): Store {
    const store = memoryStore();
    store.write((batch) => {
      for (let height = 1; height <= 3; height++) {
        batch.beginUnit({ height, sequence: 0 });
        batch.put(tables.certificates, address(1), Uint8Array.of(height));
        batch.put(tables.score, 7, first + BigInt(height));
        if (height === 2) batch.put(tables.score, height, 1n);
        batch.endUnit();
      }
      batch.pruneJournal(1);
    });
    return store;
  }

  it("are undone as if they had been written that way at first", () => {
    const store = filled(100n);
    store.write((batch) => {
      expect(batch.clearTable(score, 1)).toBe(1);
      expect(batch.clearTable(score)).toBe(1);
      expect(batch.clearTable(score)).toBe(0);
      for (let height = 1; height <= 3; height++) {
        batch.amendUnit({ height, sequence: 0 }, rewritten, () => {
          batch.put(tables.score, 7, BigInt(height));
          if (height === 2) batch.put(tables.score, height, 1n);
        });
      }
      expect(batch.lastUnit).toEqual({ height: 3, sequence: 0 });
      expect(batch.unitCount).toBe(0);
    });
    const fresh = filled(0n);
    for (const height of [3, 2]) {
      expect(journaledRows(store)).toEqual(journaledRows(fresh));
      for (const one of [store, fresh]) one.write((batch) => batch.undoUnit({ height, sequence: 0 }));
    }
    expect(journaledRows(store)).toEqual(journaledRows(fresh));
    expect(store.get(tables.score, 7)).toBe(1n);
    expect(store.get(tables.certificates, address(1))).toEqual(Uint8Array.of(1));
    expect(() => store.write((batch) => batch.undoUnit({ height: 1, sequence: 0 }))).toThrow("Cannot undo");
  });

  it("may change nothing", () => {
    const store = filled(100n);
    store.write((batch) => {
      batch.clearTable(score);
      for (let height = 1; height <= 3; height++)
        batch.amendUnit({ height, sequence: 0 }, rewritten, () => {});
      batch.undoUnit({ height: 3, sequence: 0 });
      expect([...batch.range(tables.score)]).toEqual([]);
      expect(batch.get(tables.certificates, address(1))).toEqual(Uint8Array.of(2));
    });
  });

  it("change only the named tables, and only while no unit is open", () => {
    const batch = filled(100n).begin();
    const unit = { height: 3, sequence: 0 };
    expect(() =>
      batch.amendUnit(unit, rewritten, () => batch.put(tables.certificates, address(1), Uint8Array.of(9))),
    ).toThrow("amendUnit cannot change table certificates");
    batch.beginUnit({ height: 4, sequence: 0 });
    expect(() => batch.amendUnit(unit, rewritten, () => {})).toThrow("Unit 4/0 is still open");
    expect(() => batch.clearTable(score)).toThrow("Unit 4/0 is still open");
  });
});
