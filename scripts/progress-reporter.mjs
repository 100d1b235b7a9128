// A reporter of Vitest that writes to the file named by TEST_PROGRESS what begins and ends, a line each, at once: after
// a run that was killed, scripts/ci-summary.mjs reads there which tests hung.
import { appendFileSync } from "node:fs";

export default class ProgressReporter {
  #file = process.env.TEST_PROGRESS;

  #write(event, module, test) {
    const line = { event, file: module.relativeModuleId, test: test?.fullName, state: test?.result().state };
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  onTestModuleQueued(module) {
    this.#write("file begins", module);
  }

  onTestModuleEnd(module) {
    this.#write("file ends", module);
  }

  onTestCaseReady(test) {
    this.#write("test begins", test.module, test);
  }

  onTestCaseResult(test) {
    this.#write("test ends", test.module, test);
  }
}
