import { afterAll, expect, test } from "vitest";
import { killRounds } from "./support/kill-rounds.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";

/** Twice at each moment; `npm run soak:kill -- --times 1000 --parallel 4` asks for more, and says another seed each time. */
const times = Number(process.env.SOAK_TIMES ?? 10);
const parallel = Number(process.env.SOAK_PARALLEL ?? 2);
const seed = Number(process.env.SOAK_SEED ?? 1);
const folder = temporaryFolder("kill");

afterAll(() => removeFolder(folder));

test(
  `a node killed ${times} times loses no block, no transaction in a block, no index row, and no hash that it took`,
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
    // A run in which nothing was confirmed would have shown nothing.
    expect(result.confirmed).toBeGreaterThan(times / 10);
    expect(result.promised).toBeGreaterThan(0);
    expect(result.blocks).toBeGreaterThan(1);
  },
  120_000 + times * 10_000,
);

function minutes(milliseconds: number): string {
  return `${(milliseconds / 60_000).toFixed(1)} min`;
}
