/** Whole chains that sync with each other. Page 04 §10 to §13, §24. */
import { expect, test, vi } from "vitest";
import { blockBytes, buildBlock } from "../../blocks/block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import type { Chain, ChainChange } from "../../chain/chain.ts";
import { readBlock } from "../../chain/reading/rows.ts";
import { dev } from "../../profiles/index.ts";
import { rootKeyPair } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { Preverifier } from "../../verification/ahead.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { Branch, defaultSyncOptions } from "../testing/branch.ts";
import { live, SyncNode, Wire } from "../testing/paired-networks.ts";
import { ScriptedNetwork } from "../testing/scripted-network.ts";
import type { Message } from "../wire/messages.ts";
import { Sync } from "./sync.ts";

/** Counts messages on a wire by type. */
function counter(): { readonly counts: Map<string, number>; readonly count: (message: Message) => boolean } {
  const counts = new Map<string, number>();
  const count = ({ type }: Message): boolean => {
    counts.set(type, (counts.get(type) ?? 0) + 1);
    return false;
  };
  return { counts, count };
}

test("a new node gets a chain in batches, including its liquid block, and tells its score once", async () => {
  const old = new Branch().forge(230).grow().grow();
  const { clock } = old.node;
  const young = new Branch("MAINTAIN", clock);
  const [server, client] = [new SyncNode(old), new SyncNode(young)];
  const { counts, count } = counter();
  const wire = new Wire(server, client, count);
  const targets: (number | undefined)[] = [];
  young.node.chain.onChange(() => targets.push(client.sync.progress.target?.height));
  await live(clock, [wire], 5_000);
  expect(young.node.chain.tip.id).toEqual(old.node.chain.tip.id);
  expect(young.ids).toEqual(old.ids);
  expect(client.sync.progress).toMatchObject({ height: old.height, target: undefined });
  // It is behind from its first blocks on, until the newest block is young.
  expect(targets.length).toBeGreaterThan(2);
  expect(targets.slice(0, -1)).not.toContain(undefined);
  expect(client.unclaimed).toBe(0);
  expect(counts.get("GetBlock")).toBe(old.height - 1);
  // One from each side at the start, one at the end.
  expect(counts.get("Score")).toBe(3);
  // The transactions are those of the old chain.
  expect(young.node.chain.tip.transactionCount).toBe(2);
});

test("the better branch wins, and transactions of the other one return to the pool", async () => {
  const one = new Branch().forge(5);
  const two = Branch.from(one, 4, "INCREASE").forge(8).grow();
  one.forge(3).grow().grow();
  const { clock } = one.node;
  const [a, b] = [new SyncNode(one), new SyncNode(two)];
  const before = one.height;
  expect(two.score > one.score).toBe(true);
  const wire = new Wire(a, b);
  await live(clock, [wire], 5_000);
  expect(one.ids).toEqual(two.ids);
  expect(one.height).toBeGreaterThan(before);
  expect(one.node.pool.size).toBe(2);
  // Blocks that left the chain are still served.
  expect(wire.isOpen).toBe(true);
});

test("an extension with a bad block changes neither the chain nor the score", async () => {
  const good = new Branch().forge(4);
  const { clock } = good.node;
  const client = new Branch("MAINTAIN", clock);
  for (let height = 2; height <= 4; height++) client.take(good, height);
  client.forge(1).grow();
  const node = new SyncNode(client);
  const other = Branch.from(good, 4, "DECREASE").forge(4);
  const [first, second] = [5, 6].map((height) =>
    other.node.chain.read((reader) => readBlock(reader, height, other.node.profile)),
  );
  if (first === undefined || second === undefined) throw new Error("the branch is too short");
  const wrong = buildBlock({ ...second, baseTarget: second.baseTarget + 1n }, rootKeyPair);
  const peer = node.network.connect("8.8.8.8");
  peer.take();
  const { tip } = client.node.chain;
  void peer.says({ type: "Score", score: other.score });
  await live(clock, [], 1_500);
  void peer.says({ type: "Signatures", ids: [good.ids[3], first.signature, wrong.signature] });
  void peer.says({ type: "Block", bytes: other.bytes(5) });
  void peer.says({ type: "Block", bytes: blockBytes(wrong) });
  await live(clock, [], 5_000);
  expect(client.node.chain.tip).toEqual(tip);
  expect(peer.parting?.kind).toBe("blacklisted");
  expect(peer.parting?.reason).toMatch(
    /^\[[0-9a-f]{8} 8\.8\.8\.8:\d+\] Error appending extension \(total=2\) \[\w{7}\.\.\. -- \w{7}\.\.\.\]: GenericError\(Block Block\(.*declared baseTarget/,
  );
  // No peer was told a score that does not exist.
  const watcher = node.network.connect("9.9.9.9");
  expect(watcher.take()).toEqual([{ type: "Score", score: tip.score }]);
  await live(clock, [], 3_000);
  expect(watcher.take()).toEqual([]);
  void watcher.says({ type: "Score", score: tip.score + 1n });
  await live(clock, [], 1_500);
  expect(watcher.take()).toMatchObject([{ type: "GetSignatures" }]);
});

test("a peer that disconnects during a download is replaced at once", async () => {
  const old = new Branch().forge(120);
  const { clock } = old.node;
  const young = new Branch("MAINTAIN", clock);
  const [one, two, client] = [new SyncNode(old), new SyncNode(old), new SyncNode(young)];
  let blocks = 0;
  const first = new Wire(one, client, ({ type }) => type === "Block" && ++blocks > 30, [
    "1.1.1.1",
    "9.9.9.9",
  ]);
  const second = new Wire(two, client, () => false, ["2.2.2.2", "9.9.9.9"]);
  await live(clock, [first], 1_500);
  await live(clock, [first, second], 3_000);
  expect(first.isOpen).toBe(false);
  expect(young.ids).toEqual(old.ids);
});

test("after a rollback by the operator the remaining score is told and compared", async () => {
  const one = new Branch().forge(8);
  const { clock, chain } = one.node;
  const node = new SyncNode(one);
  const peer = node.network.connect("8.8.8.8");
  peer.take();
  const { score } = chain.tip;
  await live(clock, [], 2_000);
  chain.removeAfter(one.ids[4], { returnTransactions: false });
  node.sync.announceScore();
  expect(peer.take()).toEqual([{ type: "Score", score: chain.tip.score }]);
  await live(clock, [], 3_000);
  expect(peer.take()).toEqual([]);
  void peer.says({ type: "Score", score });
  await live(clock, [], 1_500);
  expect(peer.take()).toMatchObject([{ type: "GetSignatures" }]);
});

test("progress has height and remaining time, and is logged every 30 seconds", async () => {
  const old = new Branch().forge(12);
  const { clock } = old.node;
  const young = new Branch("MAINTAIN", clock);
  const node = new SyncNode(young);
  const peer = node.network.connect("8.8.8.8");
  void peer.says({ type: "Score", score: old.score });
  await live(clock, [], 1_500);
  // Its claim is shown, and has no other effect.
  const { claimed } = node.sync.progress;
  expect(claimed).toMatchObject({ peer: `8.8.8.8:${peer.port}`, score: old.score });
  expect(claimed?.height).toBeGreaterThan(8);
  expect(claimed?.height).toBeLessThan(20);
  expect(node.sync.progress.target).toBeUndefined();
  expect(node.sync.state).toMatchObject({
    extensionLoader: `State(ExpectingSignatures(${peer.label}),Idle)`,
    best: peer.label,
    localScore: young.score,
    scores: 1,
  });
  void peer.says({ type: "Signatures", ids: old.ids.slice(0, 7) });
  for (let height = 2; height <= 7; height++) void peer.says({ type: "Block", bytes: old.bytes(height) });
  await live(clock, [], 50);
  const { height, target, blocksPerSecond, secondsLeft } = node.sync.progress;
  expect({ height, target }).toEqual({ height: 7, target: node.sync.progress.claimed });
  expect(blocksPerSecond).toBeGreaterThan(0);
  expect(secondsLeft).toBeGreaterThan(0);
  await live(clock, [], 29_500);
  expect(young.node.log.lines.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^Height 7 of about \d+$/),
  );
  void peer.says({ type: "Score", score: 10n ** 100n });
  await live(clock, [], 1_500);
  expect(node.sync.progress.claimed?.height).toBe(2 ** 31 - 1);
  // It is silent from here on: the pause ends soon, and its connection is closed.
  await live(clock, [], 60_000);
  expect(node.sync.progress).toMatchObject({ target: undefined, claimed: undefined, secondsLeft: undefined });
  expect(peer.parting?.kind).toBe("closed");
});

test("a long download is logged when it ends, a single block with its facts, and each once", async () => {
  const old = new Branch().forge(12);
  const { clock } = old.node;
  const young = new Branch("MAINTAIN", clock);
  const wire = new Wire(new SyncNode(old), new SyncNode(young));
  const take = () =>
    young.node.log.lines
      .splice(0)
      .filter(({ level }) => level === "info")
      .map(({ message, facts }) => ({ message, facts }));
  await live(clock, [wire], 5_000);
  expect(young.height).toBe(old.height);
  expect(take()).toEqual([
    { message: `Caught up at height ${old.height}`, facts: { blocks: old.height - 1 } },
  ]);
  old.forge(1);
  await live(clock, [wire], 5_000);
  const facts = { height: old.height, id: encodeBase58(old.ids[old.height - 1]), transactions: 0 };
  expect(take()).toMatchObject([{ message: "Received a block", facts }]);
  await live(clock, [wire], 60_000);
  expect(take()).toEqual([]);
});

test("peers that only raise their claims in turns do not make a node behind, and are disconnected", async () => {
  const one = new Branch().forge(3);
  const { clock } = one.node;
  const node = new SyncNode(one);
  const liars = [1, 2, 3].map((n) => node.network.connect(`${n}.1.1.1`));
  let claim = 10n ** 40n;
  for (let i = 0; i < 60; i++) {
    const liar = liars[i % 3];
    if (!liar.isClosed) void liar.says({ type: "Score", score: claim++ });
    await live(clock, [], 1_000);
    clock.advance(3_000);
    expect(node.sync.progress.target).toBeUndefined();
    if (i === 1) expect(node.sync.progress.claimed?.height).toBe(2 ** 31 - 1);
  }
  expect(liars.map(({ parting }) => parting?.kind)).toEqual(["closed", "closed", "closed"]);
  expect(node.sync.progress).toMatchObject({ target: undefined, claimed: undefined });
});

test("tells and asks nothing after the end", async () => {
  const one = new Branch().forge(3);
  const { clock } = one.node;
  const node = new SyncNode(one);
  const peer = node.network.connect("8.8.8.8");
  peer.take();
  one.forge(1);
  node.sync.end();
  node.sync.announceScore();
  void peer.says({ type: "Score", score: one.score * 2n });
  await live(clock, [], 5_000);
  expect(peer.take()).toEqual([]);
});

test("a peer that cannot be asked after a change of the chain does not stop the node", async () => {
  const branch = new Branch().forge(4);
  const claimed = branch.score;
  branch.forge(2);
  const { clock, chain, log } = branch.node;
  const { network, sync } = new SyncNode(branch);
  const peer = network.connect();
  await peer.says({ type: "Score", score: claimed });
  clock.advance(1_000);
  peer.send = () => {
    throw new TypeError("broken");
  };
  // After the rollback the peer is ahead.
  chain.removeAfter(branch.ids[2], { returnTransactions: false });
  const errors = log.lines.filter(({ level }) => level === "error").map(({ message }) => message);
  expect(errors).toEqual(["Cannot react to a new score"]);
  expect(sync.state.best).toEqual(peer.label);
  expect(sync.state.localScore).toEqual(chain.tip.score);
});

test("tells a score that has stayed the same for a second, and the score after a rollback at once", () => {
  const clock = new VirtualClock(0);
  const network = new ScriptedNetwork();
  const told: [number, bigint][] = [];
  vi.spyOn(network, "broadcast").mockImplementation((message) => {
    if (message.type === "Score") told.push([clock.now(), message.score]);
  });
  const { tip } = new Branch().node.chain;
  let changed: (change: ChainChange) => void = () => {};
  const chain = {
    tip,
    read: () => [],
    onChange: (listener: typeof changed) => {
      changed = listener;
      return () => {};
    },
  };
  const setScore = (score: bigint): void => {
    chain.tip = { ...tip, score };
    changed({ tip: chain.tip, reverted: [], committed: [] } as unknown as ChainChange);
  };
  const sync = new Sync({
    network,
    chain: chain as unknown as Chain,
    extensions: { offer: () => expect.unreachable() },
    checks: new Preverifier(inlineVerifier(dev), silentLog),
    rules: dev,
    clock,
    random: new SeededRandom(1),
    log: silentLog,
    blockLog: silentLog,
    blockDelayMs: 60_000,
    options: defaultSyncOptions,
  });
  for (let score = 1n; score <= 5n; score++) {
    setScore(score);
    clock.advance(600);
  }
  clock.advance(400);
  setScore(6n);
  setScore(2n);
  sync.announceScore();
  clock.advance(5_000);
  setScore(7n);
  sync.end();
  setScore(8n);
  sync.announceScore();
  clock.advance(5_000);
  expect(told).toEqual([
    [3_400, 5n],
    [3_400, 2n],
  ]);
});
