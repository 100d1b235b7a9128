import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../storage/memory-store.ts";
import { InterruptibleReader } from "../../storage/readers/interruptible-reader.ts";
import { tables } from "../../storage/tables.ts";
import { listedFlags, listedLength, listedTransactions, writeListed } from "../../storage/values/indexes.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import type { Transaction } from "../../transactions/index.ts";
import { addresses, IndexChain, people, timeOf, transactionOf, unitOf } from "../testing/index-chain.ts";
import { groupPageOf, nodeListOf, nodeListPageOf } from "./query.ts";
import { addressTransactionIndex, groupTotalIndex } from "./write.ts";

const [alice, bob, carol, dora] = addresses;

const times = { height: 1_000, timestampOf: timeOf };

/** From the first of `people`. */
function transfer(recipient: Uint8Array, minutes = 0): Transaction {
  const members = { recipient, amount: 1n, attachment: new Uint8Array(0) };
  return transactionOf(people[0], 4, members, timeOf(1) + BigInt(minutes * 60_000));
}

function massTransfer(...recipients: readonly Uint8Array[]): Transaction {
  const transfers = recipients.map((recipient) => ({ recipient, amount: 1n }));
  return transactionOf(people[0], 11, { transfers, attachment: new Uint8Array(0) }, timeOf(1));
}

function inGroup(
  { store }: IndexChain,
  address: Uint8Array,
  group: string,
): { total: number; places: string[] } {
  const { total, places } = groupPageOf(store, address, group, { offset: 0, limit: 100 }, times);
  return { total, places: places.map(({ height, position }) => `${height}/${position}`) };
}

function inNodeList({ store }: IndexChain, address: Uint8Array): string[] {
  return Array.from(
    nodeListOf(store, address, { types: [] }, true),
    ({ height, position }) => `${height}/${position}`,
  );
}

describe("the lists of an address", () => {
  test("list a transaction once, however often and as whichever object the address occurs", () => {
    const chain = new IndexChain([addressTransactionIndex(), groupTotalIndex()]);
    const again = (address: Uint8Array): Uint8Array => Uint8Array.from(address);
    chain.apply(
      unitOf(1, 0, 0, [
        massTransfer(bob, again(bob), alice, bob),
        transfer(again(alice)),
        transfer(again(bob)),
        massTransfer(),
      ]),
    );
    expect(inGroup(chain, bob, "all")).toEqual({ total: 2, places: ["1/2", "1/0"] });
    expect(inGroup(chain, bob, "mass_transfer")).toEqual({ total: 1, places: ["1/0"] });
    expect(inGroup(chain, bob, "transfer")).toEqual({ total: 1, places: ["1/2"] });
    expect(inGroup(chain, alice, "all_transfers")).toEqual({
      total: 4,
      places: ["1/3", "1/2", "1/1", "1/0"],
    });
    expect(inNodeList(chain, bob)).toEqual(["1/2", "1/0"]);
    expect(inNodeList(chain, alice)).toEqual(["1/3", "1/2", "1/1", "1/0"]);
    expect([...(chain.store.get(tables.addressTransactions, { height: 1, sequence: 0 }) ?? [])]).toHaveLength(
      2,
    );
  });

  test("hold hundreds of transactions of one unit", () => {
    const chain = new IndexChain([addressTransactionIndex(), groupTotalIndex()]);
    const count = 300;
    chain.apply(
      unitOf(
        1,
        0,
        0,
        Array.from({ length: count }, (_, i) => transfer(bob, i % 3)),
      ),
    );
    const { total, places } = groupPageOf(chain.store, bob, "transfer", { offset: 99, limit: 2 }, times);
    // The newest third first, in descending positions.
    expect({ total, positions: places.map(({ position }) => position) }).toEqual({
      total: count,
      positions: [2, 298],
    });
    expect(inNodeList(chain, alice)).toHaveLength(count);
  });

  test("differ if an account is touched without being sender or recipient", () => {
    const chain = new IndexChain([addressTransactionIndex(), groupTotalIndex()]);
    const unit = unitOf(1, 0, 0, [transfer(bob)]);
    const [entry] = unit.transactions;
    if (entry === undefined) throw new Error("no transaction");
    // An address that is touched without being sender or recipient, and vice versa.
    chain.apply({ ...unit, transactions: [{ ...entry, addresses: [carol] }] });
    expect(inNodeList(chain, carol)).toEqual(["1/0"]);
    expect(inGroup(chain, carol, "all").total).toBe(0);
    expect(inNodeList(chain, bob)).toEqual([]);
    expect(inGroup(chain, bob, "all").total).toBe(1);
  });

  test("are restored when a unit is undone, and again when it returns", () => {
    const chain = new IndexChain([addressTransactionIndex(), groupTotalIndex()]);
    const answers = (): unknown =>
      addresses.map((address) => [inNodeList(chain, address), inGroup(chain, address, "all")]);
    chain.apply(unitOf(1, 0, 0, [transfer(bob), massTransfer(carol, bob)]));
    const before = answers();
    const unit = unitOf(1, 1, 2, [transfer(carol), massTransfer(bob, dora)]);
    chain.apply(unit);
    const after = answers();
    expect(after).not.toEqual(before);
    chain.undo();
    expect(answers()).toEqual(before);
    chain.apply(unit);
    expect(answers()).toEqual(after);
    while (chain.units.length > 0) chain.undo();
    expect(inGroup(chain, bob, "all")).toEqual({ total: 0, places: [] });
  });

  test("skip a unit that was replaced", () => {
    const chain = new IndexChain([addressTransactionIndex(), groupTotalIndex()]);
    chain.apply(unitOf(1, 0, 0, [transfer(bob)]));
    chain.apply(unitOf(2, 0, 0, [transfer(carol), transfer(bob)]));
    chain.undo();
    chain.apply(unitOf(2, 0, 0, [transfer(dora)]));
    expect(inNodeList(chain, bob)).toEqual(["1/0"]);
    expect(inNodeList(chain, carol)).toEqual([]);
    expect(inGroup(chain, carol, "all")).toEqual({ total: 0, places: [] });
    expect(inNodeList(chain, dora)).toEqual(["2/0"]);
    expect(inNodeList(chain, alice)).toEqual(["2/0", "1/0"]);
  });

  test("continue within a commit, and each unit can be undone alone", () => {
    const store = memoryStore();
    const indexes = [addressTransactionIndex(), groupTotalIndex()];
    const units = [1, 2, 3].map((height) => unitOf(height, 0, 0, [transfer(bob), transfer(bob)]));
    store.write((batch) => {
      for (const unit of units) {
        batch.beginUnit(unit);
        for (const index of indexes) index.apply(batch, unit);
        batch.endUnit();
      }
    });
    const total = (): number => groupPageOf(store, bob, "transfer", { offset: 0, limit: 1 }, times).total;
    expect(total()).toBe(6);
    for (const unit of units.toReversed()) {
      store.write((batch) => batch.undoUnit(unit));
      expect(total()).toBe(2 * (unit.height - 1));
    }
  });
});

test("read each unit once per page, however many transactions are pending", () => {
  const store = memoryStore();
  const heights = 120;
  store.write((batch) => {
    const index = addressTransactionIndex();
    for (let height = 1; height <= heights; height++) {
      const minute = BigInt(height) * 60_000n;
      const members = { recipient: bob, amount: 1n, attachment: new Uint8Array(0) };
      const transactions = [1n, 2n, 3n].map((ms) => transactionOf(people[0], 4, members, minute + ms));
      const unit = unitOf(height, 0, 0, transactions);
      batch.beginUnit(unit);
      for (const one of [index, groupTotalIndex()]) one.apply(batch, unit);
      batch.endUnit();
    }
  });
  const minutes = { height: heights, timestampOf: (height: number) => BigInt(height) * 60_000n };
  let rows = 0;
  const reader = new InterruptibleReader(store, () => rows++);
  const page = { offset: 0, limit: 3 };
  const first = groupPageOf(reader, bob, "transfer", page, minutes).places;
  expect(first.map(({ height, position }) => [height, position])).toEqual([
    [120, 2],
    [120, 1],
    [120, 0],
  ]);
  // A transaction dated up to 90 minutes after its block can be in 92 of them: an entry and a row each, plus the
  // total.
  expect(rows).toBe(2 * 92 + 1);
  rows = 0;
  groupPageOf(reader, bob, "transfer", { ...page, after: first.at(-1) }, minutes);
  expect(rows).toBeLessThanOrEqual(2 * 93 + 1);
});

test("pages at deep offsets are parts of the whole list", () => {
  const store = memoryStore();
  const heights = 300;
  const timestampOf = (height: number): bigint => BigInt(height) * 60_000n;
  const random = new SeededRandom(20261124);
  store.write((batch) => {
    for (let height = 1; height <= heights; height++) {
      const transactions = Array.from({ length: 12 }, () => {
        // From 2 hours before the parent to 90 minutes after the block.
        const at = timestampOf(height - 1) + BigInt(random.below(12_660_001) - 7_200_000);
        const timestamp = at < 0n ? 0n : at;
        if (random.below(3) === 0) return transactionOf(people[0], 15, { anchors: [] }, timestamp);
        const members = { recipient: bob, amount: 1n, attachment: new Uint8Array(0) };
        return transactionOf(people[0], 4, members, timestamp);
      });
      const unit = unitOf(height, 0, 0, transactions);
      batch.beginUnit(unit);
      for (const one of [addressTransactionIndex(), groupTotalIndex()]) one.apply(batch, unit);
      batch.endUnit();
    }
  });
  const times = { height: heights, timestampOf };
  const address = alice;
  const text = ({ height, position }: { readonly height: number; readonly position: number }) =>
    `${height}/${position}`;
  for (const group of ["all", "transfer"]) {
    const page = (offset: number, limit: number) =>
      groupPageOf(store, address, group, { offset, limit }, times);
    const { total, places } = page(0, 10_000);
    expect(places.length).toBe(total);
    // From half of the total on, blocks are counted from the oldest one.
    const half = Math.ceil(total / 2);
    const offsets = [
      999,
      1_000,
      1_001,
      half - 1,
      half,
      half + 1,
      2_213,
      total - 13,
      total - 3,
      total - 1,
      total,
    ];
    for (let i = 0; i < 40; i++) offsets.push(random.below(total + 20));
    for (const offset of offsets)
      expect(page(offset, 7).places.map(text), `${group} ${offset}`).toEqual(
        places.slice(offset, offset + 7).map(text),
      );
  }
  const types = [4];
  const all = [...nodeListOf(store, address, { types }, true)].map(text);
  for (const offset of [999, 1_000, 1_700, all.length - 3, all.length, all.length + 5])
    expect(nodeListPageOf(store, address, { types, offset, limit: 7 }, true).map(text)).toEqual(
      all.slice(offset, offset + 7),
    );
  // Deep pages read each skipped row once and only as bytes: an entry and a row for each height.
  let rows = 0;
  nodeListPageOf(
    new InterruptibleReader(store, () => rows++),
    address,
    { types: [], offset: 3_000, limit: 7 },
    true,
  );
  expect(rows).toBeLessThanOrEqual(2 * (251 + 3));
});

test("packed transactions are read back", () => {
  const listed = fc.record({
    position: fc.nat(0xffff_ffff),
    type: fc.nat(255),
    timestamp: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    inNodeList: fc.boolean(),
    inGroups: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(listed), (list) => {
      const length = list.reduce((sum, { position, type }) => sum + listedLength(position, type), 0);
      const bytes = new Uint8Array(length);
      let at = 0;
      for (const { position, type, timestamp, inNodeList: node, inGroups: groups } of list) {
        const flags = (node ? listedFlags.node : 0) | (groups ? listedFlags.groups : 0);
        at = writeListed(new DataView(bytes.buffer), at, position, type, timestamp, flags);
      }
      expect(at).toBe(length);
      expect([...listedTransactions(bytes)]).toEqual(list);
      const newest = list[0]?.timestamp ?? 0n;
      expect([...listedTransactions(bytes, newest)]).toEqual(
        list.filter(({ timestamp }) => timestamp <= newest),
      );
    }),
  );
});
