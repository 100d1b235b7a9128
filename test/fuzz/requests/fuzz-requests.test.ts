/** Runs the first requests of `npm run fuzz:requests`. */
import { expect, test } from "vitest";
import { fuzzRequests } from "./fuzz-requests.ts";

test("requests of all kinds get a documented answer and leave a valid chain", async () => {
  const { answers, raw, included } = await fuzzRequests({ seed: 1, requests: 2_000 });
  for (const status of [200, 308, 400, 403, 404, 405]) expect(answers.get(status)).toBeGreaterThan(0);
  expect(raw).toBeGreaterThan(300);
  expect(included).toBeGreaterThan(20);
});
