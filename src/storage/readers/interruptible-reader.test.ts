import { expect, test } from "vitest";
import { memoryStore } from "../memory-store.ts";
import { tables } from "../tables.ts";
import { InterruptibleReader } from "./interruptible-reader.ts";

test("calls check before each row, which can end a scan", async () => {
  const store = memoryStore();
  store.write((batch) => {
    batch.beginUnit({ height: 1, sequence: 0 });
    for (let height = 1; height <= 5; height++) batch.put(tables.score, height, BigInt(height));
    batch.endUnit();
  });
  let looks = 0;
  const reader = new InterruptibleReader(store, () => {
    if (++looks > 6) throw new Error("enough");
  });
  expect(reader.get(tables.score, 2)).toBe(2n);
  expect([...reader.range(tables.score, { from: 2 })].map(([height]) => height)).toEqual([2, 3, 4, 5]);
  expect(looks).toBe(5);
  expect(() => [...reader.range(tables.score)]).toThrow("enough");
  await store.close();
});
