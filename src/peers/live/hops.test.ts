/** News through whole nodes in a row, each connected to its neighbours only. */
import { expect, test } from "vitest";
import { addressOf } from "../../crypto/addresses.ts";
import { type Node, startNode } from "../../node.ts";
import { dev } from "../../profiles/index.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { elapse } from "../../testing/elapse.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { settingsOf } from "../../testing/settings.ts";
import { simulatedEnvironment } from "../../testing/simulated-environment.ts";
import { SimulatedNetwork } from "../../testing/simulated-network.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { encodeTransaction, type Transaction } from "../../transactions/index.ts";
import { fixedWallet } from "../../wallet/fixed-wallet.ts";
import { peersOptions } from "../testing/peer-table.ts";

const COUNT = 5;
const LATENCY_MS = 10;

/** Five nodes, the last of which forges with the account that owns everything. */
async function line(clock: VirtualClock): Promise<readonly Node[]> {
  const way = { latencyMs: LATENCY_MS, jitterMs: 0, bytesPerMs: 100_000, loss: 0 };
  const network = new SimulatedNetwork(clock, new SeededRandom(1), () => way);
  const nodes: Node[] = [];
  for (let i = 0; i < COUNT; i++) {
    const address = `203.0.113.${i + 1}`;
    const environment = simulatedEnvironment({
      clock,
      seed: i + 1,

      store: memoryStore(),
      wallet: fixedWallet(i === COUNT - 1 ? [rootKeyPair] : [], dev.chainId),
      transport: network.transportOf({ address, run: (task) => task() }),
    });
    const known = i === 0 ? [] : [{ host: `203.0.113.${i}`, port: 6863 }];
    const peers = peersOptions({ knownPeers: known, exchange: false });
    const forging = { enabled: i === COUNT - 1, quorum: 1, microBlockIntervalMs: 3_000 };
    nodes.push(await startNode(environment, settingsOf(dev, { peers, forging })));
    await elapse(clock, 2_000);
  }
  return nodes;
}

function transfer(clock: VirtualClock): Transaction {
  const recipient = addressOf(keyPairOf("alice").publicKey, dev.chainId);
  return buildTransaction({
    type: 4,
    sender: rootKeyPair,
    fee: 100_000_000n,
    timestamp: clock.now(),
    chainId: dev.chainId,
    members: { recipient, amount: 1n, attachment: new Uint8Array(0) },
  });
}

test("a transaction, a block and a micro block pass through five nodes in a row", async () => {
  const clock = new VirtualClock(Number(dev.genesis.blockTimestamp) + 60_000);
  const nodes = await line(clock);
  const [first] = nodes;
  let began = 0;
  const blocks: number[] = [];
  const microBlocks: number[] = [];
  for (const { chain } of nodes)
    chain.onChange(({ committed }) => {
      for (const { sequence } of committed) (sequence === 0 ? blocks : microBlocks).push(clock.now());
    });
  /** Time from the first node to the last one, ms. */
  const spread = async (times: number[]): Promise<number> => {
    times.length = 0;
    for (let ms = 0; times.length < COUNT && ms < 60_000; ms++) await elapse(clock, 1);
    expect(times).toHaveLength(COUNT);
    return times[COUNT - 1] - times[0];
  };
  try {
    await elapse(clock, 10_000);
    expect(nodes.map(({ peers }) => peers?.count)).toEqual([1, 2, 2, 2, 1]);

    // The key block is the child of the tip: one message per neighbour.
    expect(await spread(blocks)).toBeLessThanOrEqual((COUNT - 1) * (LATENCY_MS + 2));

    const one = transfer(clock);
    began = clock.now();
    expect((await first.control.pool.broadcast(encodeTransaction(one))).ok).toBe(true);
    // Announcement, request and answer for each.
    expect(await spread(microBlocks)).toBeLessThanOrEqual((COUNT - 1) * 3 * (LATENCY_MS + 2));
    // On its way to the forging node each node batches transactions for 100 ms; then a micro block is due.
    expect(microBlocks[0] - began).toBeLessThanOrEqual((COUNT - 1) * (100 + LATENCY_MS + 2) + 3_000);
    expect(nodes.map(({ pool }) => pool.size)).toEqual([0, 0, 0, 0, 0]);
    for (const { chain } of nodes) expect(chain.tip.id).toEqual(nodes[0].chain.tip.id);
  } finally {
    const stopped = Promise.all(nodes.map((node) => node.stop()));
    await elapse(clock, 5_000);
    await stopped;
  }
});
