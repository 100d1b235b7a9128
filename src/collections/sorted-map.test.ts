import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SortedMap } from "./sorted-map.ts";

test("behaves like a map that is sorted on demand", () => {
  const command = fc.record({
    add: fc.boolean(),
    key: fc.nat(400).map((n) => String(n)),
    value: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(command, { maxLength: 1500 }), (commands) => {
      const sorted = new SortedMap<number>();
      const model = new Map<string, number>();
      for (const { add, key, value } of commands) {
        if (add) {
          sorted.set(key, value);
          model.set(key, value);
        } else expect(sorted.delete(key)).toBe(model.delete(key));
      }
      expect(sorted.size).toBe(model.size);
      const wanted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
      expect([...sorted.entries()]).toEqual(wanted);
      expect([...sorted.values()]).toEqual(wanted.map(([, value]) => value));
      for (const after of ["", "2", "199", "2000", "5"])
        expect([...sorted.entries(after)]).toEqual(wanted.filter(([key]) => key > after));
    }),
    { numRuns: 100, seed: 1 },
  );
});

test("stays ordered through splits and emptied chunks", () => {
  const sorted = new SortedMap<number>();
  const keys = Array.from({ length: 5000 }, (_, i) => String((i * 7919) % 5000).padStart(4, "0"));
  for (const key of keys) sorted.set(key, Number(key));
  expect([...sorted.values()]).toEqual(Array.from({ length: 5000 }, (_, i) => i));
  for (let i = 1000; i < 4000; i++) expect(sorted.delete(String(i).padStart(4, "0"))).toBe(true);
  expect(sorted.delete("2000")).toBe(false);
  expect(sorted.size).toBe(2000);
  expect([...sorted.values()].at(1000)).toBe(4000);
  for (const [after, first] of [
    ["0254", 255],
    ["0255", 256],
    ["0999", 4000],
    ["2000", 4000],
  ] as const)
    expect(sorted.entries(after).next().value?.[1]).toBe(first);
  expect([...sorted.entries("4999")]).toEqual([]);
});
