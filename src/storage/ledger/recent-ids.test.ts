import { expect, test } from "vitest";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { memoryStore } from "../memory-store.ts";
import { RecentIds, ScratchIds } from "./recent-ids.ts";

function idOf(number: number): Uint8Array {
  const id = new Uint8Array(32);
  new DataView(id.buffer).setUint32(4, number);
  return id;
}

test("a trial sees the cached ids, adds its own, and leaves nothing behind", () => {
  const recent = new RecentIds();
  recent.beginBlock(0n);
  recent.add(idOf(1), { height: 2, position: 0 });
  const tried = new ScratchIds(recent);
  expect(tried.find(idOf(1))).toEqual([{ height: 2, position: 0 }]);
  expect(tried.find(idOf(2))).toEqual([]);
  tried.add(idOf(2), { height: 2, position: 1 });
  expect(tried.find(idOf(2))).toEqual([{ height: 2, position: 1 }]);
  expect(recent.find(idOf(2))).toEqual([]);
  expect(recent.count).toBe(1);
});

test("the cache is filled at the first lookup", () => {
  const store = memoryStore();
  const filledFrom: unknown[] = [];
  class Watched extends RecentIds {
    override fillFrom(reader: Parameters<RecentIds["fillFrom"]>[0]): void {
      filledFrom.push(reader);
    }
  }
  const tried = new ScratchIds(new Watched());
  tried.fillFrom(store);
  expect(filledFrom).toEqual([]);
  tried.find(idOf(1));
  tried.find(idOf(2));
  expect(filledFrom).toEqual([store]);
});

test("finds exactly the ids of the newest generations, however many there are", () => {
  const recent = new RecentIds();
  const random = new SeededRandom(7);
  const ids = Array.from({ length: 6_000 }, () => random.bytes(32));
  for (const [position, id] of ids.entries()) {
    // A generation lasts at least 52.5 minutes; those that ended 3.5 hours before the newest block are removed.
    if (position % 1_000 === 0) recent.beginBlock(BigInt(position * 6_000));
    recent.add(id, { height: 1, position });
  }
  const removed = ids.length - recent.count;
  expect(removed).toBe(3_000);
  for (const [position, id] of ids.entries())
    expect(recent.find(id)).toEqual(position < removed ? [] : [{ height: 1, position }]);
  for (let i = 0; i < 1_000; i++) expect(recent.find(random.bytes(32))).toEqual([]);
});
