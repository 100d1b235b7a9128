import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { followRounds } from "./support/follow-rounds.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";
import { positionRounds } from "./support/position-rounds.ts";

/**
 * `npm run soak:follow -- --times 200` sets the number of kills of the source and of followers, and a random seed. Five
 * times as many writes are read at another node.
 */
const times = Number(process.env.SOAK_TIMES);
const seed = Number(process.env.SOAK_SEED ?? 1);
const folder = temporaryFolder("follow");

afterAll(() => removeFolder(folder));

test(
  `followers of a node reach its chain after ${times} kills of the node and ${times} of followers`,
  async () => {
    const begun = performance.now();
    const minutes = (): string => `${((performance.now() - begun) / 60_000).toFixed(1)} min`;
    const report = await followRounds({
      folder,
      times,
      seed,
      report: (rounds) => {
        if (rounds % 10 === 0) console.log(`${rounds} kills of each, ${minutes()}`);
      },
    });
    const { live, filling } = report.kills;
    console.log(
      `Killed: ${times} times the node (${report.sourceFirst} times before the follower), ${live} times a follower at the ` +
        `tip, ${filling} times one that filled itself; ${report.rollbacks} rollbacks, ${report.blocks} blocks, ${report.accepted} transactions, ` +
        `${minutes()}. Readers of /events: ${report.events} events, ${report.reverted} of them reverted, ` +
        `${report.changes} changes of the node, ${report.unknown} positions that a node did not know`,
    );
    expect(report.blocks).toBeGreaterThan(0);
    expect(report.changes).toBeGreaterThan(0);
  },
  300_000 + times * 60_000,
);

test(
  `${5 * times} times, a client reads at one node what it wrote at another one`,
  async () => {
    const { reads, late } = await positionRounds(
      join(folder, "positions"),
      5 * times,
      new SeededRandom(seed),
    );
    console.log(`${reads} reads; ${late} answers with status 503 before them`);
    expect(reads).toBe(5 * times);
  },
  300_000 + times * 60_000,
);
