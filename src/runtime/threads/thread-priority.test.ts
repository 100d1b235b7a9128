import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const INCREMENT = 4;

test.skipIf(process.platform !== "linux")("the priority of all threads of a process becomes lower", () => {
  const compiled = new URL("../../../dist/runtime/threads/thread-priority.js", import.meta.url);
  const script = `
    import { readdirSync, readFileSync } from "node:fs";
    import { readFile } from "node:fs/promises";
    import { getPriority } from "node:os";
    import { lowerProcessPriority } from ${JSON.stringify(compiled.href)};
    // Begins the threads that read and compress files.
    await readFile("/proc/self/stat");
    const before = getPriority();
    lowerProcessPriority(${INCREMENT});
    const threads = readdirSync("/proc/self/task").map((thread) => {
      const stat = readFileSync("/proc/self/task/" + thread + "/stat", "latin1");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]) - before;
    });
    console.log(JSON.stringify(threads));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  const threads: number[] = JSON.parse(stdout);
  expect(threads.length).toBeGreaterThan(4);
  expect(new Set(threads)).toEqual(new Set([INCREMENT]));
});
