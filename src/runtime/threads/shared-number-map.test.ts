import { expect, test } from "vitest";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { SharedNumberMap } from "./shared-number-map.ts";

test("a shared map does what a map does, for every user of its memory", () => {
  for (let seed = 1; seed <= 10; seed++) {
    const random = new SeededRandom(seed);
    const memory = SharedNumberMap.memory(50, seed);
    const maps = [new SharedNumberMap(memory), new SharedNumberMap(memory)];
    const model = new Map<string, number>();
    for (let step = 0; step < 500; step++) {
      const map = maps[random.below(2)];
      const key = `10.0.0.${random.below(60)}`;
      const action = random.below(10);
      if (action < 5 && (model.has(key) || model.size < 50)) {
        map.set(key, step);
        model.set(key, step);
      } else if (action < 9) {
        if (map.delete(key) !== model.delete(key)) expect.fail(`seed ${seed}, step ${step}`);
      } else if (random.below(100) === 0) {
        map.clear();
        model.clear();
      }
      // `expect` at each step would take most of the time.
      if (map.size !== model.size || map.get(key) !== model.get(key))
        expect.fail(`seed ${seed}, step ${step}`);
    }
    expect(new Map(maps[0].entries())).toEqual(model);
  }
});

test("keys that do not fit are counted in groups, and a full map refuses further keys", () => {
  const map = new SharedNumberMap(SharedNumberMap.memory(2, 7));
  const long = "xy".repeat(100);
  map.set(long, 1);
  expect(map.get(long)).toBe(1);
  expect(map.has("")).toBe(false);
  map.set("", 2);
  map.set("é", 3);
  map.set("ffff:ffff:ffff:ffff::/64", 4);
  expect([map.get(""), map.get("é"), map.get("ffff:ffff:ffff:ffff::/64")]).toEqual([2, 3, 4]);
  expect(map.size).toBe(4);
  expect(() => map.set("one more", 5)).toThrow("A shared map is full");
  expect(map.get("one more")).toBeUndefined();
});
