import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedCache } from "./bounded-cache.ts";

test("holds the newest entries that fit, like an ordered list", () => {
  const step = fc.record({
    kind: fc.constantFrom("set", "set", "set", "use", "get", "delete", "clear"),
    key: fc.nat(12).map(String),
    weight: fc.nat(6),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 0, max: 8 }), (steps, entries) => {
      const cache = new BoundedCache<number>({ entries, weight: 20 });
      let model: { key: string; value: number; weight: number }[] = [];
      const without = (key: string) => model.filter((one) => one.key !== key);
      const sum = () => model.reduce((all, { weight }) => all + weight, 0);
      for (const [value, { kind, key, weight }] of steps.entries()) {
        const known = model.find((one) => one.key === key);
        if (kind === "set") {
          expect(cache.set(key, value, weight)).toBe(value);
          model = [...without(key), { key, value, weight }];
          while (model.length > entries || sum() > 20) model.shift();
        } else if (kind === "use") {
          expect(cache.use(key)).toBe(known?.value);
          if (known !== undefined) model = [...without(key), known];
        } else if (kind === "get") expect(cache.get(key)).toBe(known?.value);
        else if (kind === "delete") {
          cache.delete(key);
          model = without(key);
        } else if (value % 5 === 0) {
          cache.clear();
          model = [];
        }
        expect([...cache.entries()]).toEqual(model.map((one) => [one.key, one.value]));
        expect(cache.size).toEqual(model.length);
        expect(cache.weight).toEqual(sum());
        expect(cache.has(key)).toEqual(model.some((one) => one.key === key));
      }
    }),
    { seed: 1 },
  );
});

test("neither keeps nor evicts for a value above the bound", () => {
  const cache = new BoundedCache<string>({ weight: 10 });
  cache.set("a", "light", 4);
  cache.set("b", "heavy", 11);
  expect([...cache.entries()]).toEqual([["a", "light"]]);
  cache.set("a", "heavy", 11);
  expect(cache.size).toBe(0);
});
