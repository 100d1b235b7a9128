// Writes the begin and end of each test to the file TEST_PROGRESS at once, one line each. After a run that was killed,
// scripts/ci-summary.mjs reads there which tests hung. A reporter would not hear of a test that blocks its thread.
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, afterEach, beforeEach, expect } from "vitest";

const file = relative(process.cwd(), expect.getState().testPath);

/** @param {string} event @param {import("vitest").Test} [test] */
function write(event, test) {
  const line = { event, file, test: test?.fullTestName, state: test?.result?.state };
  appendFileSync(process.env.TEST_PROGRESS, `${JSON.stringify(line)}\n`);
}

write("file begins");
beforeEach(({ task }) => write("test begins", task));
afterEach(({ task }) => write("test ends", task));
afterAll(() => write("file ends"));
