import { afterAll, expect, test } from "vitest";
import { killRounds } from "./support/kill-rounds.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";

/** Two kills per activity. `npm run soak:kill -- --times 1000 --parallel 4` runs more, with a random seed. */
const soakTimes = process.env.SOAK_TIMES;
const times = Number(soakTimes ?? 10);
const parallel = Number(process.env.SOAK_PARALLEL ?? 2);
const seed = Number(process.env.SOAK_SEED ?? 1);
const folder = temporaryFolder("kill");

afterAll(() => removeFolder(folder));

test(
  `a node killed ${times} times loses no block, confirmed transaction, index row or accepted hash`,
  async () => {
    const begun = performance.now();
    const result = await killRounds({
      folder,
      times,
      parallel,
      seed,
      report: (kills) => {
        if (kills % 50 === 0) console.log(`${kills} kills, ${minutes(performance.now() - begun)}`);
      },
    });
    const each = Object.entries(result.kills).map(([moment, count]) => `${moment} ${count}`);
    console.log(
      `${times} kills in ${minutes(performance.now() - begun)} (${each.join(", ")}); ${result.chains} chains with ` +
        `${result.blocks} blocks; ${result.accepted} transactions taken, ${result.confirmed} told to be in a block and ` +
        `found there after each kill, ${result.forgotten} only waiting; ` +
        `${result.promised} hashes taken, all anchored; every store verified`,
    );
    // A run without confirmed transactions would prove nothing. The nodes of ten kills do not run long enough for more.
    expect(result.confirmed).toBeGreaterThan(soakTimes === undefined ? times / 10 : times);
    expect(result.promised).toBeGreaterThan(0);
    expect(result.blocks).toBeGreaterThan(1);
  },
  120_000 + times * 10_000,
);

function minutes(milliseconds: number): string {
  return `${(milliseconds / 60_000).toFixed(1)} min`;
}
