/** What a node's metrics show after forging, a reorganisation, refusals and an index build, in simulated time. */
import { expect, test } from "vitest";
import type { Block } from "../../blocks/block.ts";
import { IndexBuilder } from "../../chain/jobs/build-indexes.ts";
import { atOnce } from "../../chain/testing/at-once.ts";
import { extensionOf, standardLimits } from "../../chain/testing/extension-of.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { createNode, type Node } from "../../node.ts";
import { dev } from "../../profiles/index.ts";
import { MetricsRegistry } from "../../runtime/metrics.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { FailingStore } from "../../storage/testing/failing-store.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { type SettingsChanges, settingsOf } from "../../testing/settings.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { simulatedEnvironment } from "../../testing/simulated-environment.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Transaction } from "../../transactions/index.ts";
import { fixedWallet } from "../../wallet/fixed-wallet.ts";
import { allMetrics } from "./all.ts";

const { chainId } = dev;
const LTO = 100_000_000n;
const alice = keyPairOf("alice");
const START = Number(dev.genesis.blockTimestamp) + 60_000;

interface Observed {
  readonly node: Node;
  readonly clock: VirtualClock;
  /** Returns a sample by name and labels: `holdfast_x_total{reason="y"}`; a histogram by its `_bucket`, `_sum`, `_count`. */
  sample(name: string): number | undefined;
}

function observed(settings: SettingsChanges = {}, store: Store = memoryStore()): Observed {
  const clock = new VirtualClock(START);
  const metrics = new MetricsRegistry();
  metrics.declare(allMetrics.flatMap((area) => area.metrics));
  const wallet = fixedWallet([rootKeyPair], chainId);
  const environment = simulatedEnvironment({ clock, store, wallet, metrics });
  const node = createNode(environment, settingsOf(dev, settings));
  node.follow();
  const sample = (wanted: string): number | undefined => {
    for (const { name, values } of metrics.samples())
      for (const { metricName = name, labels, value } of values) {
        const text = Object.entries(labels).map(([label, of]) => `${label}="${of}"`);
        if (wanted === (text.length === 0 ? metricName : `${metricName}{${text.join(",")}}`)) return value;
      }
    return undefined;
  };
  return { node, clock, sample };
}

function transfer(
  clock: VirtualClock,
  changes: { from?: typeof alice; fee?: bigint; timestamp?: number } = {},
) {
  return buildTransaction({
    type: 4,
    sender: changes.from ?? rootKeyPair,
    fee: changes.fee ?? LTO,
    timestamp: changes.timestamp ?? clock.now(),
    chainId,
    members: { recipient: addressOf(alice.publicKey, chainId), amount: LTO, attachment: new Uint8Array(0) },
  });
}

test("forging is counted: due, forged, transactions, and the commits of the store", () => {
  const { node, clock, sample } = observed();
  expect(sample('holdfast_forging_state{state="disabled"}')).toBe(1);
  node.forger.start();
  clock.advance(20_000);
  expect(node.pool.add(transfer(clock))).toMatchObject({ ok: true });
  expect(sample("holdfast_pool_transactions")).toBe(1);
  expect(sample("holdfast_pool_bytes")).toBe(node.pool.byteSize);
  clock.advance(20_000);
  const { height, keyBlock } = node.chain.tip;
  expect(height).toBeGreaterThan(4);
  expect(sample("holdfast_chain_height")).toBe(height);
  expect(sample("holdfast_chain_tip_age_seconds")).toBe((clock.now() - Number(keyBlock.timestamp)) / 1_000);
  expect(sample('holdfast_chain_blocks_total{source="forged"}')).toBe(height - 1);
  expect(sample('holdfast_chain_blocks_total{source="pushed"}')).toBe(0);
  expect(sample('holdfast_chain_micro_blocks_total{source="forged"}')).toBe(1);
  expect(sample('holdfast_chain_transactions_total{source="forged"}')).toBe(1);
  expect(sample("holdfast_forging_blocks_due_total")).toBe(height - 1);
  expect(sample("holdfast_forging_blocks_forged_total")).toBe(height - 1);
  expect(sample('holdfast_forging_state{state="forging"}')).toBe(1);
  expect(sample('holdfast_forging_accounts{state="scheduled"}')).toBe(1);
  expect(sample("holdfast_pool_transactions")).toBe(0);
  expect(sample("holdfast_pool_accepted_total")).toBe(1);
  // The genesis block, the others, and the micro block; not what opening the store writes.
  expect(sample("holdfast_store_commit_seconds_count")).toBe(height + 1);
  // A store in memory has no pages.
  expect(sample("holdfast_store_size_bytes")).toBeUndefined();
});

test("a block that needs more peers is missed, once for each time it was due", () => {
  const { node, clock, sample } = observed({ forging: { quorum: 1 } });
  node.forger.start();
  clock.advance(15_000);
  const missed = sample('holdfast_forging_blocks_missed_total{reason="quorum"}');
  expect(missed).toBeGreaterThan(0);
  expect(sample("holdfast_forging_blocks_due_total")).toBe(missed);
  expect(sample("holdfast_forging_blocks_forged_total")).toBe(0);
});

test("a block that the disk rejects is missed", () => {
  const store = new FailingStore(memoryStore(), new SeededRandom(1));
  const { node, clock, sample } = observed({}, store);
  node.forger.start();
  store.faults.commits = 100;
  clock.advance(15_000);
  expect(sample('holdfast_forging_blocks_missed_total{reason="disk"}')).toBe(1);
  expect(sample('holdfast_forging_state{state="error"}')).toBe(1);
});

test("a due block that another node's block overtakes while the chain is busy is missed", () => {
  const { node, clock, sample } = observed();
  const other = new DevNode({ clock: new VirtualClock(START) });
  other.forger.start();
  node.forger.start();
  while (other.blocks.length === 0) other.clock.step();
  // The thread is busy past the time at which the block is due, and then sees the other node's block first.
  clock.jump(START + 30_000);
  expect(atOnce(node.chain.accept(other.blocks[0]))).toMatchObject({ ok: true });
  expect(sample('holdfast_forging_blocks_missed_total{reason="overtaken"}')).toBe(1);
  expect(sample("holdfast_forging_blocks_due_total")).toBe(1);
  // The node's next block is due in a second, so the other node's next one takes its place in time.
  while (other.blocks.length === 1) other.clock.step();
  expect(atOnce(node.chain.accept(other.blocks[1]))).toMatchObject({ ok: true });
  expect(sample("holdfast_forging_blocks_due_total")).toBe(1);
});

test("accounts that cannot forge are counted by the reason", () => {
  const { node, clock, sample } = observed({ forging: { intervalAfterLastBlockMs: 60_000 } });
  const other = new DevNode({ clock: new VirtualClock(START) });
  other.forger.start();
  while (other.blocks.length === 0) other.clock.step();
  clock.jump(START + 3_600_000);
  expect(atOnce(node.chain.accept(other.blocks[0]))).toMatchObject({ ok: true });
  node.forger.start();
  expect(sample('holdfast_forging_accounts{state="chain_too_old"}')).toBe(1);
  expect(sample('holdfast_forging_accounts{state="scheduled"}')).toBe(0);
  expect(sample('holdfast_forging_state{state="waiting"}')).toBe(1);
  expect(sample('holdfast_forging_state{state="error"}')).toBe(0);
});

test("blocks count by source, and a switch to another branch by its depth", async () => {
  const { node, clock, sample } = observed();
  const forge = (until: number): Block[] => {
    const other = new DevNode({ clock: new VirtualClock(START) });
    // Another first block: its transaction changes all ids.
    if (until > 5) other.forger.feeVote = "INCREASE";
    other.forger.start();
    other.clock.advance(2_000);
    while (other.blocks.length < until) other.clock.step();
    return other.blocks;
  };
  const ours = forge(3);
  const theirs = forge(6);
  clock.jump(START + 120_000);
  for (const block of ours) expect(atOnce(node.chain.accept(block))).toMatchObject({ ok: true });
  expect(sample('holdfast_chain_blocks_total{source="pushed"}')).toBe(3);
  expect(sample("holdfast_chain_reorganisation_depth_blocks_count")).toBe(0);

  const genesis = node.chain.tip.height - 3;
  expect(genesis).toBe(1);
  const switching = await node.chain.acceptExtension(extensionOf(theirs), standardLimits);
  expect(switching).toMatchObject({ kind: "applied", height: 7 });
  expect(sample('holdfast_chain_blocks_total{source="downloaded"}')).toBe(6);
  expect(sample("holdfast_chain_reorganisation_depth_blocks_count")).toBe(1);
  expect(sample("holdfast_chain_reorganisation_depth_blocks_sum")).toBe(3);
  expect(sample('holdfast_chain_reorganisation_depth_blocks_bucket{le="2"}')).toBe(0);
  expect(sample('holdfast_chain_reorganisation_depth_blocks_bucket{le="3"}')).toBe(1);
});

test("refusals of the pool are counted by fixed reasons", () => {
  const { node, clock, sample } = observed({ pool: { maxTransactions: 2 } });
  const offer = (transaction: Transaction): boolean => node.pool.add(transaction).ok;
  expect(offer(transfer(clock, { fee: 1n }))).toBe(false);
  expect(offer(transfer(clock, { from: alice }))).toBe(false);
  expect(offer(transfer(clock, { timestamp: clock.now() + 86_400_000 }))).toBe(false);
  const accepted = transfer(clock);
  expect(offer(accepted)).toBe(true);
  // Known transactions are neither refused nor accepted again.
  expect(offer(accepted)).toBe(true);
  expect(offer(transfer(clock, { timestamp: clock.now() + 1 }))).toBe(true);
  expect(offer(transfer(clock, { timestamp: clock.now() + 2 }))).toBe(false);
  const refused = (reason: string) => sample(`holdfast_pool_refused_total{reason="${reason}"}`);
  expect(refused("fee")).toBe(1);
  expect(refused("rule")).toBe(1);
  expect(refused("timestamp")).toBe(1);
  expect(refused("pool_full")).toBe(1);
  expect(refused("other")).toBe(0);
  expect(sample("holdfast_pool_accepted_total")).toBe(2);
  expect(sample("holdfast_pool_transactions")).toBe(2);
  expect(sample("holdfast_pool_max_transactions")).toBe(2);
});

test("an index shows its height and whether it is being built", async () => {
  const store = memoryStore();
  const before = new DevNode({
    store,
    clock: new VirtualClock(START),
    settings: { index: { transactions: false } },
  });
  const build = ({ chain, clock }: Pick<Node, "chain"> & { clock: VirtualClock }): IndexBuilder => {
    const builder = new IndexBuilder({ chain, network: dev, clock, log: silentLog });
    builder.begin();
    return builder;
  };
  const off = build(before);
  while (off.step());
  before.forger.start();
  before.clock.advance(60_000);
  const { height } = before.chain.tip;

  const { node, clock, sample } = observed({ index: { transactions: true } }, store);
  const state = (name: string) => sample(`holdfast_index_state{index="transactions",state="${name}"}`);
  expect([state("off"), state("ready")]).toEqual([1, 0]);
  const builder = build({ chain: node.chain, clock });
  // Readings are cached until the end of the turn.
  for (let step = 0; step < 100 && state("building") !== 1; step++) {
    builder.step();
    await Promise.resolve();
  }
  expect(sample('holdfast_index_height{index="transactions"}')).toBe(0);
  expect(sample('holdfast_index_height{index="anchors"}')).toBe(height);
  while (builder.step());
  await Promise.resolve();
  expect([state("building"), state("ready")]).toEqual([0, 1]);
  expect(sample('holdfast_index_height{index="transactions"}')).toBe(height);
});
