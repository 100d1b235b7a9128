import fc from "fast-check";
import { expect, test } from "vitest";
import { BinaryHeap } from "./binary-heap.ts";

test("pops items in order after any pushes and pops", () => {
  // A number is pushed, undefined pops.
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: -50, max: 50 }), { nil: undefined })), (steps) => {
      const heap = new BinaryHeap<number>((a, b) => a - b);
      const model: number[] = [];
      for (const step of steps) {
        if (step !== undefined) heap.push(step);
        else expect(heap.pop()).toBe(model.shift());
        if (step !== undefined) model.push(step);
        model.sort((a, b) => a - b);
        expect(heap.first).toBe(model[0]);
      }
      for (const next of [...model, undefined]) expect(heap.pop()).toBe(next);
    }),
  );
});

test("compares an item with few others", () => {
  const count = 4_096;
  let compared = 0;
  const heap = new BinaryHeap<number>((a, b) => {
    compared++;
    return a - b;
  });
  for (let i = 0; i < count; i++) heap.push((i * 1_999) % count);
  for (let i = 0; i < count; i++) expect(heap.pop()).toBe(i);
  // The heap has 12 levels: one comparison per level up, two per level down.
  expect(compared).toBeLessThan(count * 3 * 12);
});
