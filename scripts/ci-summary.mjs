// Prints the last line of .ci/run: `N passed, N failed`. Arguments: file of vitest's JSON report, exit code of
// the tests, other checks passed, other checks failed, file written by test/support/progress.mjs.
import { readFileSync } from "node:fs";

const [file, code, checksPassed, checksFailed, progress] = process.argv.slice(2);
let passed = Number(checksPassed);
let failed = Number(checksFailed);

/** Vitest's report; undefined if the tests were killed before they wrote it. */
function readReport() {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Counts the tests that ended, and names the files and tests that began and did not end: each such file is one failure.
 */
function readProgress() {
  const unfinished = new Map();
  // A killed process may leave half a line.
  const lines = readFileSync(progress, "utf8").split("\n").slice(0, -1);
  for (const { event, file, test, state } of lines.map((line) => JSON.parse(line))) {
    if (event === "file begins") unfinished.set(file, new Set());
    else if (event === "file ends") unfinished.delete(file);
    else if (event === "test begins") unfinished.get(file)?.add(test);
    else if (event === "test ends") {
      unfinished.get(file)?.delete(test);
      if (state === "pass") passed++;
      if (state === "fail") failed++;
    }
  }
  for (const [file, tests] of unfinished) {
    console.error(`Not finished: ${[file, ...tests].join("\n  ")}`);
    failed++;
  }
}

const report = readReport();
if (report === undefined) {
  console.error(`The tests ended with code ${code} and left no report.`);
  readProgress();
} else {
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  // A file that fails to load has no tests to count.
  failed += report.testResults.filter(
    (one) => one.status === "failed" && one.assertionResults.every(({ status }) => status !== "failed"),
  ).length;
}
if (code !== "0" && failed === Number(checksFailed)) failed++;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
