// Prints the last line of .ci/run: `N passed, N failed`. Arguments: file of vitest's JSON report, exit code of
// the tests, other checks passed, other checks failed.
import { readFileSync } from "node:fs";

const [file, code, checksPassed, checksFailed] = process.argv.slice(2);
let passed = Number(checksPassed);
let failed = Number(checksFailed);
try {
  const report = JSON.parse(readFileSync(file, "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  // A file that cannot even be loaded has no tests to count.
  failed += report.testResults.filter(
    (one) => one.status === "failed" && one.assertionResults.every(({ status }) => status !== "failed"),
  ).length;
  if (code !== "0" && failed === Number(checksFailed)) failed += 1;
} catch {
  console.error(`The tests ended with code ${code} and left no report.`);
  failed += 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
