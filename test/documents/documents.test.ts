/** Every command of the documents is run, in their order, and gives what they show. */
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

/** What the documents take for granted on the reader's machine. */
const hasTools = ["bash", "curl", "jq", "openssl", "sha256sum"].every(
  (tool) => spawnSync("bash", ["-c", `command -v ${tool}`]).status === 0,
);

const runnable = documents.filter(({ steps }) => steps.some(({ kind }) => kind === "command"));

describe.skipIf(!hasTools)("the commands of", () => {
  // Each waits for blocks most of the time.
  test.concurrent.each(runnable)(
    "$path",
    async ({ path, steps }) => {
      const reader = await Reader.at(path.replace(/\W/g, "-"));
      const wrong: string[] = [];
      try {
        for (const step of steps) {
          if (step.kind === "file") reader.write(step);
          // What follows may depend on it: a few show whether one is wrong, or all, and are not waited for.
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

test("few commands are left out, each for a reason", () => {
  const left = documents.flatMap(({ path, steps }) =>
    steps.flatMap((step) => (step.kind === "left" ? [{ path, ...step }] : [])),
  );
  const run = documents.flatMap(({ steps }) => steps.filter(({ kind }) => kind === "command")).length;
  expect(left.filter(({ reason }) => reason.length < 15)).toEqual([]);
  expect(left.reduce((sum, { commands }) => sum + commands, 0)).toBeLessThan(0.4 * run);
});
