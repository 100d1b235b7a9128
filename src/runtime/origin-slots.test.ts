import { expect, test } from "vitest";
import { OriginSlots } from "./origin-slots.ts";

test("limits connections in total and per address", () => {
  const slots = new OriginSlots(3, 2);
  const first = slots.take("1.1.1.1");
  expect([slots.take("::ffff:1.1.1.1") !== undefined, slots.take("1.1.1.1")]).toEqual([true, undefined]);
  expect([slots.take("2.2.2.2") !== undefined, slots.take("3.3.3.3"), slots.total]).toEqual([
    true,
    undefined,
    3,
  ]);
  first?.();
  first?.();
  expect([slots.total, slots.take("1.1.1.1") !== undefined, slots.take("1.1.1.1")]).toEqual([
    2,
    true,
    undefined,
  ]);
});
