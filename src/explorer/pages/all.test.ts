import { expect, test } from "vitest";
import { pages } from "./all.ts";

test.each(pages)("the page at '$path' can be loaded", async ({ fetch }) => {
  expect((await fetch()).View).toBeTypeOf("function");
});
