import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, the longest first: one that began last would run while the other worker has nothing to do. */
const longest = [
  "test/explorer/explorer.test.ts",
  "test/peers-live.test.ts",
  "test/command-line.test.ts",
  "test/documents/documents.test.ts",
  "test/kill.test.ts",
  "test/node.test.ts",
  "test/simulation/simulation.test.ts",
  "test/routes.conformance.test.ts",
  "test/import-kill.test.ts",
  "src/chain/undo.property.test.ts",
  "test/npm.test.ts",
  "test/additions.test.ts",
  "test/rest.conformance.test.ts",
  "test/index-kill.test.ts",
  "test/local-network.test.ts",
  "test/scripts.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(relative(this.ctx.config.root, moduleId));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  // That of the explorer's pages.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    // Nodes that tests start ask nobody on the internet, of whatever network they are.
    env: { HOLDFAST_NTP_SERVER: "off" },
    setupFiles: [
      // No test reaches another machine, nor does any process that a test starts.
      "test/support/loopback-only.mjs",
      // The whole check names tests that hang.
      ...(process.env.TEST_PROGRESS === undefined ? [] : ["test/support/progress.mjs"]),
    ],
    include: [
      "src/**/*.test.{ts,tsx}",
      "test/**/*.test.ts",
      // Too long for the whole check, even with one round.
      ...(process.env.SOAK_TIMES === undefined ? [] : ["test/**/*.soak.ts"]),
    ],
    // Two cores are the machine we plan for. Tests of whole nodes wait a good part of their time, which a third uses.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Loading the sources anew for each file costs as much as the tests; none of them changes what others import.
    isolate: false,
    // Longer than anything takes on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The client package is an ES bundle without file extensions: plain Node cannot import it, vite can.
    server: { deps: { inline: ["@ltonetwork/lto"] } },
  },
});
