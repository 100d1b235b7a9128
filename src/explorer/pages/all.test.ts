import { expect, test } from "vitest";
import { pages } from "./all.ts";

test.each(pages)("the page listed as '$path' defines the same path", async ({ path, fetch }) => {
  expect((await fetch()).path).toBe(path);
});
