import { expect, test } from "vitest";
import { pages } from "./all.ts";

test.each(pages)("defines the path '$path' that the list has", async ({ path, fetch }) => {
  expect((await fetch()).path).toBe(path);
});
