import { afterAll, expect, test } from "vitest";
import { killRounds } from "./support/kill-rounds.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";

/** `npm run soak:kill -- --times 1000` asks for more rounds, and says another seed each time. */
const times = Number(process.env.SOAK_TIMES ?? 30);
const seed = Number(process.env.SOAK_SEED ?? 1);
const dataDir = temporaryFolder("kill");

afterAll(() => removeFolder(dataDir));

test(
  `a node killed ${times} times loses no block, no transaction in a block, and no index row`,
  async () => {
    const report = await killRounds({
      dataDir,
      times,
      seed,
      report: (round, height) => {
        if (round % 50 === 0) console.log(`round ${round}, height ${height}`);
      },
    });
    // A run in which nothing was confirmed would have shown nothing.
    expect(report.confirmed).toBeGreaterThan(times);
    expect(report.height).toBeGreaterThan(1);
  },
  60_000 + times * 10_000,
);
