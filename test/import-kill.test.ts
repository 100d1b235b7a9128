import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { networkIdentity } from "../src/node/composition.ts";
import { customProfile } from "../src/profiles/index.ts";
import { openStore, type Store } from "../src/storage/store.ts";
import { tables } from "../src/storage/tables.ts";
import { journaledRows } from "../src/storage/testing/dump.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { nextWrite } from "./support/next-write.ts";
import { removeFolder, runCli, temporaryFolder } from "./support/node-process.ts";
import { hasVectors, vectorsPath } from "./vectors.ts";

/** `npm run soak:import -- --times 1000` sets the number of kills and a random seed. */
const times = Number(process.env.SOAK_TIMES ?? 6);
const seed = Number(process.env.SOAK_SEED ?? 1);
/** Maximum number of writes before a kill. The import of the whole chain writes about 400 times. */
const MAX_WRITES = 300;

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const chain = "chains/dev-all";
const folder = temporaryFolder("import-kill");

afterAll(() => removeFolder(folder));

describe.skipIf(!hasVectors(`${chain}/blocks.bin`))("an import", () => {
  const genesis = vectorsPath(`${chain}/genesis.json`);
  const file = vectorsPath(`${chain}/blocks.bin`);

  // Use many small commits, so that kills happen during and between commits.
  const importArgs = (dataDir: string): string[] => [
    ...["import", file, "--genesis", genesis, "--data-dir", dataDir],
    ...["--commit-every", "20", "--threads", "2"],
  ];

  /** Returns the whole content of the store, or only the height. */
  async function stored<T>(dataDir: string, read: (store: Store) => T): Promise<T> {
    const profile = customProfile(readFileSync(genesis, "utf8"));
    const store = await openStore(join(dataDir, "chain"), { network: networkIdentity(profile) });
    try {
      return read(store);
    } finally {
      await store.close();
    }
  }
  const heightOf = (store: Store): number => store.get(tables.heights, undefined)?.height ?? 0;
  const contents = (dataDir: string) =>
    stored(dataDir, (store) => ({ height: heightOf(store), rows: journaledRows(store) }));

  test(
    `killed ${times} times resumes each time and ends like an uninterrupted one`,
    async () => {
      const whole = join(folder, "whole");
      const begun = performance.now();
      const { code, stdout, stderr } = await runCli(importArgs(whole));
      // Time of an import, ms. It is adapted below, because the machine may become busier or quieter.
      let duration = performance.now() - begun;
      expect(`${code} ${stderr}`).toMatch(/^0 /);
      expect(stdout).toContain("Imported");
      const expected = await contents(whole);

      const random = new SeededRandom(seed);
      const dataDir = join(folder, "killed");
      let kills = 0;
      let resumed = 0;
      let completed = 0;
      let height = 0;
      // On a busy machine all these kills may come before the first commit. Then more kills follow, until one resumes.
      while (kills < times || (resumed === 0 && kills < 5 * times)) {
        const child = spawn(process.execPath, [cli, ...importArgs(dataDir)], {
          stdio: ["ignore", "ignore", "pipe"],
        });
        let said = "";
        child.stderr.on("data", (chunk) => {
          said += chunk;
        });
        const ended = new Promise<string>((resolve) => {
          child.on("close", (exitCode, signal) => resolve(signal ?? String(exitCode)));
        });
        const dataFile = join(dataDir, "chain", "data.mdb");
        const over = new AbortController();
        // Alternate between a random time and one of the first writes to the store, which are mostly in a commit.
        const moment =
          kills % 2 === 1 && existsSync(dataFile)
            ? nextWrite(dataFile, 1 + random.below(MAX_WRITES), over.signal)
            : delay(duration * (0.1 + random.below(500) / 1_000));
        await Promise.race([moment, ended]);
        over.abort();
        child.kill("SIGKILL");
        const how = await ended;
        if (how === "SIGKILL") {
          kills++;
          // Before the first commit there may be no store to check.
          const now = existsSync(dataFile) ? await stored(dataDir, heightOf) : 0;
          expect(now).toBeGreaterThanOrEqual(height);
          if (now <= 1) duration *= 1.5;
          if (now > 1 && now < expected.height) resumed++;
          height = now;
        } else {
          expect(`${how} ${said}`).toMatch(/^0 /);
          expect((await contents(dataDir)).rows).toEqual(expected.rows);
          removeFolder(dataDir);
          completed++;
          duration /= 1.5;
          height = 0;
        }
      }
      const last = await runCli(importArgs(dataDir));
      expect(`${last.code} ${last.stderr}`).toMatch(/^0 /);
      expect(await contents(dataDir)).toEqual(expected);
      // Kills only before the first commit or after the last would prove nothing.
      expect(resumed).toBeGreaterThan(0);
      console.log(`${kills} kills, ${completed} complete imports between them`);
      const verified = await runCli(["verify", "--genesis", genesis, "--data-dir", dataDir]);
      expect(`${verified.code} ${verified.stdout}`).toMatch(/^0 No faults/);
    },
    120_000 + times * 10_000,
  );
});
