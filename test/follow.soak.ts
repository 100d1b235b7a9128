import { afterAll, expect, test } from "vitest";
import { followRounds } from "./support/follow-rounds.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";

/** `npm run soak:follow -- --times 200` sets the number of kills of the source and of followers, and a random seed. */
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
