import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { cliPath, removeFolder, runCli, temporaryFolder } from "./support/node-process.ts";

/** `npm run soak:import -- --times 1000` asks for more rounds, and says another seed each time. */
const times = Number(process.env.SOAK_TIMES ?? 30);
const seed = Number(process.env.SOAK_SEED ?? 1);
const recorded = join(import.meta.dirname, "vectors", "chains", "eras");
const file = join(recorded, "blocks.bin");
const root = temporaryFolder("import-kill");

afterAll(() => removeFolder(root));

const network = (dataDir: string) => ["--genesis", join(recorded, "genesis.json"), "--data-dir", dataDir];
/** Small groups: a kill shall fall between commits, and the next import begin in the middle. */
const importArguments = (dataDir: string) => ["import", file, ...network(dataDir), "--commit-every", "40"];

/** An import that is killed after a while, unless it ends before; whether it ended. */
async function importFor(dataDir: string, ms: number): Promise<boolean> {
  const child: ChildProcess = spawn(process.execPath, [cliPath, ...importArguments(dataDir)], {
    stdio: "ignore",
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const timer = new AbortController();
  const code = await Promise.race([
    ended,
    delay(ms, undefined, { signal: timer.signal }).catch(() => undefined),
  ]);
  timer.abort();
  if (code !== undefined) {
    expect(code).toBe(0);
    return true;
  }
  child.kill("SIGKILL");
  await ended;
  return false;
}

test(
  `an import killed ${times} times goes on each time, and ends in the same state`,
  async () => {
    const random = new SeededRandom(seed);
    // How long a whole import takes here decides when to kill.
    const whole = join(root, "whole");
    const start = performance.now();
    const reference = await runCli(importArguments(whole));
    const duration = performance.now() - start;
    expect(reference.code, reference.stderr).toBe(0);
    const end = /The chain is at .*/.exec(reference.stdout)?.[0];
    expect(end).toBeDefined();

    let kills = 0;
    let resumed = 0;
    for (let chain = 1; kills < times; chain++) {
      const dataDir = join(root, `chain-${chain}`);
      let done = false;
      while (!done && kills < times) {
        // From the first instants of the process to a little beyond the expected end of what is left.
        done = await importFor(dataDir, random.below(Math.ceil(duration * 0.9)));
        if (!done) kills++;
      }
      const rest = await runCli(importArguments(dataDir));
      expect(rest.code, rest.stdout + rest.stderr).toBe(0);
      if (/were in the chain already/.test(rest.stdout)) resumed++;
      expect(rest.stdout).toContain(end);
      const verdict = await runCli(["verify", ...network(dataDir)]);
      expect(verdict.code, verdict.stdout + verdict.stderr).toBe(0);
      const copy = join(root, "copy.bin");
      removeFolder(copy);
      const exported = await runCli(["export", copy, ...network(dataDir)]);
      expect(exported.code, exported.stderr).toBe(0);
      expect(existsSync(copy) && readFileSync(copy).equals(readFileSync(file))).toBe(true);
      removeFolder(dataDir);
    }
    expect(resumed).toBeGreaterThan(0);
  },
  120_000 + times * 20_000,
);
