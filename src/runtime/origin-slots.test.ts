import { expect, test } from "vitest";
import { OriginSlots } from "./origin-slots.ts";

test("limits connections in total and per address", () => {
  const slots = new OriginSlots(3, 2);
  const first = slots.take("1.1.1.1");
  expect(slots.take("::ffff:1.1.1.1")).toBeDefined();
  expect(slots.take("1.1.1.1")).toBeUndefined();
  expect(slots.take("2.2.2.2")).toBeDefined();
  expect(slots.take("3.3.3.3")).toBeUndefined();
  expect(slots.total).toBe(3);
  first?.();
  first?.();
  expect(slots.total).toBe(2);
  expect(slots.take("1.1.1.1")).toBeDefined();
  expect(slots.take("1.1.1.1")).toBeUndefined();
});
