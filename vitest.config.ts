import { defineConfig } from "vitest/config";

export default defineConfig({
  // That of the explorer's pages.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    // Nodes that tests start ask nobody on the internet, of whatever network they are.
    env: { HOLDFAST_NTP_SERVER: "off" },
    // No test reaches another machine, nor does any process that a test starts.
    setupFiles: ["test/support/loopback-only.mjs"],
    include: ["src/**/*.test.{ts,tsx}", "test/**/*.test.ts"],
    // Whole-node tests start child processes; two cores are the machine we plan for.
    maxWorkers: 2,
    // Loading the sources anew for each file costs as much as the tests; none of them changes what others import.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The client package is an ES bundle without file extensions: plain Node cannot import it, vite can.
    server: { deps: { inline: ["@ltonetwork/lto"] } },
  },
});
