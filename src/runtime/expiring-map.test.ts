import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { ExpiringMap } from "./expiring-map.ts";

const keys = (map: ExpiringMap<unknown>) => Array.from(map.entries(), ({ key }) => key);

test("entries expire a fixed time after they were written, which only writing extends", () => {
  const clock = new VirtualClock(1_000);
  const map = new ExpiringMap<number>(clock, 100, 10);
  map.set("a", 1);
  map.set("b", 2);
  clock.advance(60);
  expect(map.get("a")).toBe(1);
  expect(map.has("b")).toBe(true);
  expect(map.size).toBe(2);
  map.set("a", 3);
  expect([...map.entries()]).toEqual([
    { key: "b", value: 2, since: 1_000, writtenAt: 1_000 },
    { key: "a", value: 3, since: 1_060, writtenAt: 1_060 },
  ]);
  clock.advance(39);
  expect(map.has("b")).toBe(true);
  clock.advance(1);
  expect(map.get("b")).toBeUndefined();
  expect(map.get("a")).toBe(3);
  expect(map.size).toBe(1);
  clock.advance(60);
  expect(map.has("a")).toBe(false);
  expect(map.size).toBe(0);
  expect(keys(map)).toEqual([]);
});

test.each([0, 1_000_000])("setting the clock neither extends nor ends a lifetime: %i", (time) => {
  const clock = new VirtualClock(10_000);
  const map = new ExpiringMap<number>(clock, 100, 10);
  map.set("a", 1);
  clock.set(time);
  map.set("b", 2);
  expect(Array.from(map.entries(), ({ since }) => since)).toEqual([10_000, time]);
  clock.advance(99);
  expect(keys(map)).toEqual(["a", "b"]);
  clock.advance(1);
  expect(keys(map)).toEqual([]);
});

test("the oldest entry is evicted above the capacity", () => {
  const map = new ExpiringMap<number>(new VirtualClock(0), 100, 2);
  for (const [i, key] of ["a", "b", "a", "c"].entries()) map.set(key, i);
  expect(keys(map)).toEqual(["a", "c"]);
  map.delete("a");
  map.set("d", 1);
  expect(keys(map)).toEqual(["c", "d"]);
  map.clear();
  expect(map.size).toBe(0);
  const none = new ExpiringMap<number>(new VirtualClock(0), 100, 0);
  none.set("a", 1);
  expect(none.size).toBe(0);
});
