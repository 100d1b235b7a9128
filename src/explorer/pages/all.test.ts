import { expect, test } from "vitest";
import { pages } from "./all.ts";

test.each(pages)("the page at '$path' says the same of itself", async ({ path, fetch }) => {
  expect((await fetch()).path).toBe(path);
});
