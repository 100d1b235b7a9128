/** Kills nodes while they build indexes: an incomplete index is never used, and in the end each index is correct. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { randomModes } from "./support/kill-modes.ts";
import {
  type NodeProcess,
  removeFolder,
  runCli,
  startNodeProcess,
  temporaryFolder,
  until,
} from "./support/node-process.ts";
import { hasVectors, vectorsPath } from "./vectors.ts";

/** `npm run soak:index` kills more often, on a chain whose indexes take seconds to build. */
const soakTimes = process.env.SOAK_TIMES;
const times = soakTimes === undefined ? 1 : Math.ceil(Number(soakTimes) / 20);
const chain = soakTimes === undefined ? "chains/dev-all" : "chains/load";
const seed = Number(process.env.SOAK_SEED ?? 1);
/** Maximum time between the start of a build and the kill, ms. */
const MAX_KILL_DELAY_MS = soakTimes === undefined ? 20 : 3_000;

const folder = temporaryFolder("index-kill");

afterAll(() => removeFolder(folder));

/** Returns true if an index must still be built or removed. */
async function isUnderWay({ client }: NodeProcess): Promise<boolean> {
  const indexes = await client.call("GET /node/indexes");
  return indexes.some(({ state }) => state === "building" || state === "clearing");
}

test.skipIf(!hasVectors(`${chain}/blocks.bin`))(
  `indexes match the blocks after ${times} kills during their build, with changing modes`,
  async () => {
    const random = new SeededRandom(seed);
    const dataDir = join(folder, "node");
    const copy = join(folder, "blocks.bin");
    const blocks = vectorsPath(`${chain}/blocks.bin`);
    const where = ["--data-dir", dataDir, "--genesis", vectorsPath(`${chain}/genesis.json`)];
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runCli([...args, ...where]);
      if (code !== 0) throw new Error(`${args.join(" ")} ended with code ${code}: ${stdout}${stderr}`);
      return stdout + stderr;
    };
    const start = (modes: readonly string[]): Promise<NodeProcess> =>
      startNodeProcess({ dataDir, args: [...where.slice(2), "--no-forge", ...modes] });

    await run("import", blocks, ...randomModes(random));
    let modes: readonly string[] = [];
    let halfBuilt = 0;
    for (let kill = 0; kill < times; kill++) {
      if (kill === 0 || random.chance(60)) modes = randomModes(random);
      const node = await start(modes);
      if (await isUnderWay(node)) await delay(random.below(MAX_KILL_DELAY_MS));
      await node.kill();
      if ((await run("verify", ...modes)).includes("Not compared")) halfBuilt++;
      await run("export", copy, "--force");
      expect(readFileSync(copy).equals(readFileSync(blocks))).toBe(true);
    }
    const node = await start(modes);
    await until("all indexes", async () => !(await isUnderWay(node)) || undefined, 600);
    expect(await node.stop()).toBe(0);
    expect(await run("verify", ...modes)).not.toContain("Not compared");
    console.log(`${times} kills, ${halfBuilt} of them while an index was half built`);
    if (soakTimes !== undefined) expect(halfBuilt).toBeGreaterThan(0);
  },
  60_000 + times * 120_000,
);
