import { afterAll, expect, test } from "vitest";
import { postgresPrograms } from "../src/postgres/testing/postgres-server.ts";
import { mirrorRounds } from "./support/mirror-rounds.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";

/**
 * `npm run soak:mirror -- --times 100` sets the number of kills of the mirror, of PostgreSQL and of the node, half of
 * them during a fill, and a random seed. It ends after two hours at the latest.
 */
const times = Number(process.env.SOAK_TIMES);
const seed = Number(process.env.SOAK_SEED ?? 1);
const MAX_MS = 2 * 3_600_000;
const folder = temporaryFolder("mirror");

afterAll(() => removeFolder(folder));

test.skipIf(postgresPrograms === undefined)(
  `a database has the node's chain after ${times} kills of each of mirror, PostgreSQL and node`,
  { timeout: MAX_MS + 300_000 },
  async () => {
    const begun = performance.now();
    const report = await mirrorRounds({
      folder,
      times,
      seed,
      isOver: () => performance.now() - begun > MAX_MS,
      report: (rounds) => {
        if (rounds % 10 === 0)
          console.log(`${rounds} kills of each, ${((performance.now() - begun) / 60_000).toFixed(1)} min`);
      },
    });
    console.log(JSON.stringify(report));
    expect(report.rounds).toBe(times);
    expect(report.blocks).toBeGreaterThan(0);
  },
);
