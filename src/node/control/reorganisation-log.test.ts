import { expect, test } from "vitest";
import { DevNode } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ReorganisationLog } from "./reorganisation-log.ts";

test("counts from its start, and shows what the store has", () => {
  const { chain, forger, blocks, clock } = new DevNode();
  const log = new ReorganisationLog(clock, chain);
  chain.onChange((change) => log.follow(change));
  forger.start();
  while (blocks.length < 3) clock.step();
  forger.stop();
  expect(log.info).toMatchObject({ count: 0, newest: [] });
  const [first, second, third] = blocks.map(({ signature }) => signature);
  const startedAt = log.since;
  chain.removeAfter(first, { returnTransactions: false });
  const entry = {
    timestamp: clock.now(),
    commonHeight: 2,
    oldTip: third,
    newTip: first,
    revertedTransactions: 0,
    revertedCount: 2,
    reverted: [second, third],
    committedCount: 0,
    committed: [],
  };
  expect(log.info).toEqual({ since: startedAt, count: 1, newest: [entry] });
  const later = new VirtualClock(clock.now() + 5);
  expect(new ReorganisationLog(later, chain).info).toEqual({
    since: clock.now() + 5,
    count: 0,
    newest: [entry],
  });
});
