import { beforeAll, describe, expect, test } from "vitest";
import { bytesKey } from "../../bytes/compare.ts";
import type { ChainCursor, UnitQueries, UnitRecord } from "../../interfaces.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { forgeBlocks, forgedProfile, forgedTrust } from "../../testing/forged-chain.ts";
import { chainReader } from "../snapshot.ts";
import { chainStart } from "./changes.ts";
import { blockBytesAt } from "./history.ts";
import { headerRow } from "./rows.ts";
import { minUnitsBehind } from "./unit-records.ts";

const HEIGHT = 12;
const REMOVED_AFTER = HEIGHT - 4;
const store = memoryStore();
const { chain } = forgeBlocks(store, HEIGHT);
const context = { profile: forgedProfile, rules: chain.rules, indexAll: false, trust: forgedTrust };

function units<T>(reading: (queries: UnitQueries) => T): T {
  return chainReader(store, context).read((snapshot) => reading(snapshot.units));
}

function all(position: ChainCursor = chainStart): readonly UnitRecord[] {
  return units((queries) => queries.after(position, { units: 10_000, bytes: 1e9 }).records);
}

const place = ({ height, sequence }: ChainCursor): string => `${height}/${sequence}`;

/** @param before records of the chain at an earlier time, which the chain has left in part */
function expectCommon(before: readonly UnitRecord[]): void {
  const onChain = new Set(all().map(({ id, sequence }) => `${bytesKey(id)} ${sequence}`));
  const gone = before.findIndex(({ id, sequence }) => !onChain.has(`${bytesKey(id)} ${sequence}`));
  expect(before.length - gone).toBeGreaterThan(1);
  // The log of reverted units names the persisted unit as the parent, not its persist unit.
  const expected = before.slice(0, gone).findLast(({ kind }) => kind !== "persist");
  for (const { height, sequence, id } of before.slice(gone)) {
    const common = units((queries) => queries.common({ height, sequence, id }));
    expect(common).toMatchObject({
      height: expected?.height,
      sequence: expected?.sequence,
      id: expected?.id,
    });
  }
}

let left: readonly UnitRecord[];

beforeAll(() => {
  left = all();
  const id = store.read((reader) => headerRow(reader, REMOVED_AFTER).signature);
  chain.removeAfter(id, { returnTransactions: false });
});

describe("records after a position", () => {
  test("are every unit of the chain in its order, with the persist units", () => {
    const rolledBack = all();
    expect(rolledBack.at(-1)).toMatchObject({ kind: "persist", height: REMOVED_AFTER });
    const { chain: again } = forgeBlocks(store, HEIGHT, 2);
    const records = all();
    expect(records[0]).toMatchObject({ kind: "block", height: 1, isParentPersisted: false });
    expect(records.filter(({ kind }) => kind === "micro").length).toBeGreaterThan(HEIGHT);
    expect(records.filter(({ isParentPersisted }) => isParentPersisted).map(place)).toEqual([
      `${REMOVED_AFTER + 1}/0`,
    ]);
    expect(records.filter(({ kind }) => kind === "persist").map(place)).toEqual([
      `${REMOVED_AFTER}/${PERSIST_SEQUENCE}`,
    ]);
    for (const [i, record] of records.entries())
      if (i > 0 && records[i - 1].kind !== "persist") expect(record.parent).toEqual(records[i - 1].id);
    again.persistTip();
    expect(place(units((queries) => queries.newest()))).toBe(`${HEIGHT}/${PERSIST_SEQUENCE}`);
    expect(all().at(-1)).toMatchObject({ kind: "persist", height: HEIGHT });
  });

  test("have the bytes of each key block as it stood alone", () => {
    for (const { kind, height, id, bytes } of all())
      if (kind === "block")
        expect(store.read((reader) => blockBytesAt(reader, { height, sequence: 0 }, id))).toEqual(bytes);
  });

  test("come in pages that join without a gap, whatever the limits", () => {
    const expected = all();
    for (const limits of [
      { units: 1, bytes: 1e9 },
      { units: 7, bytes: 1e9 },
      { units: 1_000, bytes: 1_500 },
    ]) {
      const joined: UnitRecord[] = [];
      for (let position = chainStart; ; ) {
        const page = units((queries) => queries.after(position, limits));
        expect(page.records.length).toBeLessThanOrEqual(limits.units);
        joined.push(...page.records);
        if (page.isComplete) break;
        position = page.records.at(-1) ?? position;
      }
      expect(joined).toEqual(expected);
    }
    expect(all(expected.at(-1))).toEqual([]);
  });

  test("say which accounts a unit changed, with their values", () => {
    const [genesis] = all();
    const accounts = units((queries) => queries.accounts(genesis));
    const sum = accounts.reduce((total, { balance }) => total + balance, 0n);
    expect(sum).toBe(forgedProfile.genesis.transactions.reduce((total, { amount }) => total + amount, 0n));
    expect(units((queries) => queries.accounts(chainStart))).toEqual([]);
  });
});

describe("the common unit", () => {
  test("of a position on the chain is that position", () => {
    for (const { height, sequence, id } of all())
      expect(units((queries) => queries.common({ height, sequence, id }))).toEqual({ height, sequence, id });
    expect(units((queries) => queries.common(chainStart))).toEqual(chainStart);
  });

  test("of a unit that left the chain is its newest ancestor on the chain", () => {
    expectCommon(left);
  });

  test("of a persist unit that was undone is below it", () => {
    const before = all();
    expect(before.at(-1)).toMatchObject({ kind: "persist", height: HEIGHT });
    const parent = store.read((reader) => headerRow(reader, HEIGHT - 1).signature);
    chain.removeAfter(parent, { returnTransactions: false });
    forgeBlocks(store, HEIGHT, 5);
    expectCommon(before);
  });

  test("of an unknown position is unknown", () => {
    for (const sequence of [0, 3, PERSIST_SEQUENCE])
      for (const height of [4, HEIGHT + 5])
        expect(
          units((queries) => queries.common({ height, sequence, id: new Uint8Array(64).fill(7) })),
        ).toBeUndefined();
  });
});

test.each<[string, [number, number], [number, number], number]>([
  ["the same unit", [7, 2], [7, 2], 0],
  ["a later micro block", [7, 2], [7, 5], 3],
  ["a later block", [7, 2], [9, 0], 2],
  ["the persist unit of the block", [7, 2], [7, PERSIST_SEQUENCE], 1],
  ["an earlier unit, after a rollback", [7, 2], [6, 0], 1],
])(
  "a chain is behind %s by at least the units between",
  (_, [height, sequence], [tip, tipSequence], units) => {
    const id = new Uint8Array(64);
    const newest = { height: tip, sequence: tipSequence, id };
    expect(minUnitsBehind({ height, sequence, id }, newest)).toBe(units);
  },
);
