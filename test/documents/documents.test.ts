/** Runs every command of the documents, in order, and compares its output with what they show. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stepsOf } from "./markdown.ts";
import { Reader, readDocument } from "./reader.ts";

const docs = join(import.meta.dirname, "../../docs");
const documents = [
  "README.md",
  ...readdirSync(docs)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].map((path) => ({ path, steps: stepsOf(readDocument(path)) }));

/** Programs that the documents expect on the reader's machine. */
const hasTools = ["bash", "curl", "jq", "openssl", "sha256sum"].every(
  (tool) => spawnSync("bash", ["-c", `command -v ${tool}`]).status === 0,
);

const runnable = documents.filter(({ steps }) => steps.some(({ kind }) => kind === "command"));

describe.skipIf(!hasTools)("the commands of", () => {
  // Each document mostly waits for blocks.
  test.concurrent.each(runnable)(
    "$path",
    async ({ path, steps }) => {
      const reader = await Reader.at(path.replace(/\W/g, "-"));
      const wrong: string[] = [];
      try {
        for (const step of steps) {
          if (step.kind === "file") reader.write(step);
          // A wrong output may break the following steps. A few failures show that; do not wait for all.
          else if (step.kind === "command" && wrong.length < 4) {
            const fault = await reader.run(step, wrong.length === 0 ? undefined : 1);
            if (fault !== undefined) wrong.push(fault);
          }
        }
      } finally {
        await reader.leave();
      }
      expect(wrong.join("\n\n")).toBe("");
    },
    600_000,
  );
});

test("few commands are skipped, each for a reason", () => {
  const left = documents.flatMap(({ path, steps }) =>
    steps.flatMap((step) => (step.kind === "left" ? [{ path, ...step }] : [])),
  );
  const run = documents.flatMap(({ steps }) => steps.filter(({ kind }) => kind === "command")).length;
  expect(left.filter(({ reason }) => reason.length < 15)).toEqual([]);
  expect(left.reduce((sum, { commands }) => sum + commands, 0)).toBeLessThan(0.4 * run);
});
