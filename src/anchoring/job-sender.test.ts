import { expect, test } from "vitest";
import type { ChainSnapshot } from "../interfaces.ts";
import { dev } from "../profiles/index.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { RecordingLog } from "../testing/dev-node.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { JobQueue } from "./job-queue.ts";
import { JobSender } from "./job-sender.ts";

const HEIGHT = 7;

test.each([
  [50, 50],
  [1_000_000, 1_000],
])(
  "where %i blocks can be undone, what was sent is forgotten once %i stand on it",
  async (depth, watched) => {
    const queue = new JobQueue(memoryStore(), 10, () => {});
    await queue.add("hash", new Uint8Array(32), 0);
    await queue.dispatch(new Uint8Array(32).fill(1), Uint8Array.of(1), [...queue.waiting()]);
    let height = HEIGHT;
    // The only reads for a transaction that is in a block.
    const chain = {
      height: () => height,
      transactions: { byId: () => ({ height: HEIGHT }) },
    } as unknown as ChainSnapshot;
    const never = (): never => {
      throw new Error("nothing is sent");
    };
    const node = {
      clock: new VirtualClock(0),
      log: new RecordingLog(),
      reader: { read: <T>(reading: (chain: ChainSnapshot) => T) => reading(chain), renew: never },
      network: dev,
      inPool: never,
      offer: never,
      account: () => undefined,
      sign: never,
      isBehind: () => false,
      yieldToOthers: async () => {},
    };
    const sender = new JobSender(queue, node, {
      mode: "batch",
      treeMs: 1,
      treeLeaves: 1,
      rollbackDepth: depth,
    });
    const sizes: number[] = [];
    for (const upon of [0, watched - 1, watched]) {
      height = HEIGHT + upon;
      sender.onChainChange({ reverted: [], committed: [{ height, sequence: 0, transactions: [] }] } as never);
      await sender.whenIdle();
      sizes.push(queue.size);
    }
    expect(sizes).toEqual([1, 1, 0]);
    expect(sender.problem).toBeUndefined();
  },
);
