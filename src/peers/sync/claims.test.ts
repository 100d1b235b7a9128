/** Claims stop nothing; only proven blocks count. Page 04 §10.2, §25. */
import { expect, test } from "vitest";
import { genericRefusal } from "../../chain/deciding/block-refusal.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { askedOf, LoaderWorld } from "../testing/loader-world.ts";
import { modelId, modelNumber } from "../testing/model-chain.ts";
import type { ScriptedPeer } from "../testing/scripted-network.ts";

const MINUTE = 60_000;
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** A node whose newest block came this minute: its blocks are 0 to 99. */
function atTip(): LoaderWorld {
  return new LoaderWorld({ start: 99 * MINUTE });
}

/** Answers the requests to an honest peer. @returns the number of requests */
async function serve(world: LoaderWorld, peer: ScriptedPeer, length: number): Promise<number> {
  let count = 0;
  for (let sent = peer.take(); sent.length > 0 && !peer.isClosed; sent = peer.take())
    for (const message of sent) {
      count++;
      if (message.type === "GetBlock") await world.sends(peer, modelNumber(message.id));
      if (message.type !== "GetSignatures") continue;
      const common = modelNumber(message.ids[0]);
      await world.lists(peer, [common, ...range(common, Math.min(length, common + 101))]);
    }
  return count;
}

test("a first sync of a thousand blocks is one pause, from its first blocks to its last", async () => {
  const world = new LoaderWorld({ own: 1, start: 1_001 * MINUTE });
  const peer = world.network.connect("8.8.8.8");
  await world.leads(peer, 1_001);
  expect(world.isBehind).toBe(false);
  const states: [number, boolean][] = [];
  const { onScore } = world.chain;
  world.chain.onScore = (score) => {
    onScore(score);
    states.push([Number(score), world.isBehind]);
  };
  await serve(world, peer, 1_001);
  expect(world.chain.score).toBe(1_001n);
  // The newest block is young by then.
  expect(states.map(([height, isBehind]) => isBehind || height > 990)).not.toContain(false);
  expect(states.filter(([, isBehind]) => isBehind).length).toBeGreaterThan(5);
  expect({ isBehind: world.isBehind, parting: peer.parting }).toEqual({
    isBehind: false,
    parting: undefined,
  });
  expect(world.clock.pending).toBe(0);
});

test("three peers that raise their claims in turns stop nothing and are disconnected", async () => {
  const world = atTip();
  const liars = [1, 2, 3].map((n) => world.network.connect(`${n}.1.1.1`));
  let claim = 10n ** 30n;
  let at = 0;
  for (; at < 400_000 && liars.some(({ isClosed }) => !isClosed); at += 4_000) {
    for (const liar of liars) if (!liar.isClosed) await world.leads(liar, claim++);
    expect(world.isBehind).toBe(false);
    await world.advance(4_000);
    expect(world.isBehind).toBe(false);
  }
  // Each was asked for a minute in total, one at a time.
  expect(at).toBeLessThanOrEqual(3 * MINUTE + 8_000);
  expect(liars.map(({ parting }) => parting?.kind)).toEqual(["closed", "closed", "closed"]);
  expect(world.clock.pending).toBe(0);
});

test("a silent peer is disconnected when its time ends, not when it is asked next", async () => {
  const world = atTip();
  const liars = ["1.1.1.1", "2.1.1.1"].map((host) => world.network.connect(host));
  const closedAt: number[] = [];
  let claim = 10n ** 30n;
  for (let at = 0; at < 4 * MINUTE && liars.some(({ isClosed }) => !isClosed); at += 2_000) {
    for (const liar of liars) if (!liar.isClosed) await world.leads(liar, claim++);
    await world.advance(2_000);
    liars.forEach((liar, i) => {
      if (liar.isClosed) closedAt[i] ??= at + 2_000;
    });
  }
  // Each was asked six times, for ten seconds.
  expect(closedAt).toEqual([110_000, 120_000]);
});

test("peers that answer at once that they have nothing new are disconnected too", async () => {
  const world = atTip();
  const liar = world.network.connect("8.8.8.8");
  let claim = 10n ** 30n;
  let at = 0;
  for (; at < 400_000 && !liar.isClosed; at += 4_000) {
    await world.leads(liar, claim++);
    if (askedOf(liar).length > 0) await world.lists(liar, [99]);
    await world.advance(4_000);
    expect(world.isBehind).toBe(false);
  }
  expect({ at, parting: liar.parting?.kind }).toEqual({ at: MINUTE, parting: "closed" });
});

test("a peer that withdraws its claim keeps its connection", async () => {
  const world = atTip();
  const peer = world.network.connect("8.8.8.8");
  await world.leads(peer, 105);
  // It has switched to a shorter branch meanwhile, and says so.
  await world.lists(peer, [94]);
  await world.leads(peer, 95);
  await world.advance(10 * MINUTE);
  expect(peer.parting).toBeUndefined();
});

test("a claim that is withdrawn and made again continues with the time it has used", async () => {
  const world = atTip();
  const liar = world.network.connect("8.8.8.8");
  let claimedMs = 0;
  for (let turn = 0; turn < 100 && !liar.isClosed; turn++) {
    await world.leads(liar, 10n ** 30n + BigInt(turn));
    if (askedOf(liar).length > 0) await world.lists(liar, [99]);
    await world.advance(4_000);
    claimedMs += 4_000;
    await world.leads(liar, 95);
    await world.advance(20_000);
  }
  expect(claimedMs).toBe(MINUTE);
  expect(liar.parting?.kind).toBe("closed");
});

test("a peer that leaves a request open and withdraws its claim is disconnected all the same", async () => {
  const world = new LoaderWorld({ start: 99 * MINUTE, sync: { timeoutMs: 10 * MINUTE } });
  const liar = world.network.connect("8.8.8.8");
  await world.leads(liar, 10n ** 30n);
  await world.leads(liar, 95);
  await world.advance(MINUTE);
  expect(liar.parting?.kind).toBe("closed");
});

test("a withdrawn claim runs again when our chain falls below it", async () => {
  const world = atTip();
  const peer = world.network.connect("8.8.8.8");
  await world.leads(peer, 105);
  await world.lists(peer, [94]);
  await world.leads(peer, 95);
  // A rollback by the operator.
  world.chain.ids = world.chain.ids.slice(0, 90);
  world.chain.onScore(world.chain.score);
  await world.advance(MINUTE);
  expect(peer.parting?.kind).toBe("closed");
});

test("an honest peer among liars is asked within ten seconds per liar, and later within ten seconds", async () => {
  const world = atTip();
  const liars = [1, 2, 3].map((n) => world.network.connect(`${n}.1.1.1`));
  const honest = world.network.connect("9.9.9.9");
  await world.leads(honest, 101);
  let claim = 10n ** 30n;
  let questions = 0;
  for (let length = 101; length < 106; length++) {
    if (length > 101) await world.leads(honest, length);
    let waitedMs = 0;
    for (; world.chain.score < length; waitedMs += 1_000) {
      for (const liar of liars) await world.leads(liar, claim++);
      await serve(world, honest, length);
      await world.advance(1_000);
      questions += liars.flatMap(askedOf).length;
    }
    // At first ten seconds per liar; later for the one that happens to be asked.
    expect(waitedMs).toBeLessThanOrEqual(length === 101 ? 31_000 : 11_000);
    await world.advance(10_000);
  }
  expect(questions).toBeGreaterThan(0);
  expect(honest.parting).toBeUndefined();
});

test("part of a real fork followed by silence pauses the node for a minute at most", async () => {
  // Nothing was forged for an hour: the newest block is old.
  const world = new LoaderWorld({ start: 160 * MINUTE });
  const peer = world.network.connect("8.8.8.8");
  await world.leads(peer, 10n ** 30n);
  await world.lists(peer, [98, 1_000, 1_001]);
  await world.sends(peer, 1_000, 98);
  await world.sends(peer, 1_001);
  expect(world.chain.applied).toEqual([[1_000, 1_001]]);
  expect(world.isBehind).toBe(true);
  await world.advance(59_999);
  expect(world.isBehind).toBe(true);
  await world.advance(1);
  expect({ isBehind: world.isBehind, isClosed: peer.isClosed }).toEqual({ isBehind: false, isClosed: true });
});

test("at the tip, applied blocks prove nothing about further claims", async () => {
  const world = atTip();
  const peer = world.network.connect("8.8.8.8");
  let claim = 10n ** 30n;
  // It sends real blocks, one per minute, and claims a million more.
  for (let number = 100; number < 110; number++) {
    await world.leads(peer, claim++);
    if (number === 100) await world.lists(peer, [99, 100]);
    else await world.lists(peer, [number - 1, number]);
    await world.sends(peer, number);
    expect({ score: world.chain.score, isBehind: world.isBehind }).toEqual({
      score: BigInt(number + 1),
      isBehind: false,
    });
    await world.advance(50_000);
    expect(world.isBehind).toBe(false);
    await world.advance(9_000);
  }
});

test("a refusal of the blocks ends the pause", async () => {
  const world = atTip();
  world.chain.bad.add(101);
  const peer = world.network.connect("8.8.8.8");
  let found = 0;
  const { behind } = world;
  const { found: tell } = behind;
  behind.found = (from, evidence) => {
    tell.call(behind, from, evidence);
    if (world.isBehind) found++;
  };
  await world.leads(peer, 103);
  await world.lists(peer, [99, 100, 101, 102]);
  for (const number of [100, 101, 102]) await world.sends(peer, number);
  expect({ found, isBehind: world.isBehind, parting: peer.parting?.kind }).toEqual({
    found: 1,
    isBehind: false,
    parting: "blacklisted",
  });
});

test("while the disk fails the node is behind, and no peer is blamed", async () => {
  const world = atTip();
  const peer = world.network.connect("8.8.8.8");
  const error = new DiskError("the disk is full", undefined);
  world.chain.decide = (_, onEvidence) => {
    onEvidence?.({ height: 102, score: 102n });
    return { kind: "unable", error };
  };
  await world.leads(peer, 102);
  await world.lists(peer, [99, 100, 101]);
  for (const number of [100, 101]) await world.sends(peer, number);
  for (let i = 0; i < 30; i++) {
    expect(world.isBehind).toBe(true);
    await world.advance(1_000);
  }
  // It is abandoned, and asked again when it has more.
  await world.advance(10 * MINUTE);
  expect({ isBehind: world.isBehind, isClosed: peer.isClosed }).toEqual({ isBehind: false, isClosed: false });
});

test("a peer keeps its connection while our chain is slow", async () => {
  const world = atTip();
  let goOn = (): void => {};
  world.chain.gate = new Promise((resolve) => {
    goOn = resolve;
  });
  const peer = world.network.connect("8.8.8.8");
  await world.leads(peer, 102);
  await world.lists(peer, [99, 100, 101]);
  for (const number of [100, 101]) await world.sends(peer, number);
  // It is asked for more meanwhile, and has no more.
  await world.lists(peer, [101]);
  await world.advance(10 * MINUTE);
  expect(peer.isClosed).toBe(false);
  goOn();
  await world.settle();
  expect({ score: world.chain.score, isClosed: peer.isClosed }).toEqual({ score: 102n, isClosed: false });
});

test("time in which a peer is not asked does not count", async () => {
  const world = atTip();
  const [one, two] = [world.network.connect("8.8.8.8"), world.network.connect("9.9.9.9")];
  await world.leads(one, 10_000);
  await world.leads(two, 9_000);
  // Slow at first: it is not asked again while the other one delivers.
  await world.advance(10_000);
  expect(askedOf(two)).toEqual(["GetSignatures 99..0"]);
  await world.lists(two, [99, 100]);
  for (let number = 100; number < 130; number++) {
    await world.sends(two, number);
    askedOf(two);
    await world.lists(two, [number, number + 1]);
    await world.advance(9_000);
  }
  expect({ one: one.isClosed, two: two.isClosed }).toEqual({ one: false, two: false });
});

test("an overtaken claim is closed, however its peer answered", async () => {
  const world = atTip();
  const peer = world.network.connect("8.8.8.8");
  await world.leads(peer, 102);
  await world.lists(peer, [99]);
  await world.advance(30_000);
  world.chain.onScore(102n);
  await world.advance(10 * MINUTE);
  expect(peer.isClosed).toBe(false);
  // Its next claim has a minute of its own.
  await world.leads(peer, 103);
  await world.lists(peer, [99]);
  await world.advance(59_999);
  expect(peer.isClosed).toBe(false);
  await world.advance(1);
  expect(peer.parting).toEqual({
    kind: "closed",
    reason: "The peer did not send the better chain that it claims",
  });
});

test("the node waits for early blocks, but not for ever from the same peer", async () => {
  const world = atTip();
  const peer = world.network.connect("8.8.8.8");
  world.chain.decide = (blocks) => ({
    kind: "future",
    id: blocks[0].scan.header.signature,
    dueAt: world.clock.now() + 50_000,
  });
  let at = 0;
  await world.leads(peer, 101);
  for (; at < 30 * MINUTE && !peer.isClosed; at += 10_000) {
    if (askedOf(peer).some((what) => what.startsWith("GetSignatures"))) {
      await world.lists(peer, [99, 100]);
      await world.sends(peer, 100);
    }
    expect(world.isBehind).toBe(false);
    await world.advance(10_000);
  }
  // Its minute, the minute for early blocks, and the time of one download.
  expect(at).toBe(3 * MINUTE);
  expect(peer.parting?.kind).toBe("closed");
});

test("a slow download extends the time of a claim, up to a limit", async () => {
  const world = atTip();
  world.chain.decide = () => ({ kind: "not better", score: 1n });
  const peer = world.network.connect("8.8.8.8");
  await world.leads(peer, 10n ** 30n);
  let at = 0;
  for (let from = 1_000; at < 60 * MINUTE && !peer.isClosed; from += 10) {
    if (askedOf(peer).length === 0) await world.leads(peer, 10n ** 30n + BigInt(from));
    await world.lists(peer, [from === 1_000 ? 89 : from - 1, ...range(from, from + 10)]);
    for (const number of range(from, from + 10)) {
      await world.advance(5_000);
      at += 5_000;
      await world.sends(peer, number, number === 1_000 ? 89 : number - 1);
      if (at <= MINUTE) expect(peer.isClosed).toBe(false);
    }
  }
  expect({ isClosed: peer.isClosed, isInTime: at <= 12 * MINUTE }).toEqual({
    isClosed: true,
    isInTime: true,
  });
});

test("peers that raise their claims, list blocks and send none are disconnected", async () => {
  const world = atTip();
  const liars = ["8.8.8.8", "9.9.9.9"].map((host) => world.network.connect(host));
  let at = 0;
  for (; at < 20 * MINUTE && liars.some(({ isClosed }) => !isClosed); at += 4_000) {
    for (const liar of liars) {
      if (liar.isClosed) continue;
      await world.leads(liar, 10n ** 30n + BigInt(at));
      const isAsked = askedOf(liar).some((asked) => asked.startsWith("GetSignatures"));
      if (isAsked) await world.lists(liar, [99, ...range(100, 199)]);
    }
    await world.advance(4_000);
  }
  expect(at).toBeLessThanOrEqual(4 * MINUTE);
});

test("peers that raise them only while another one is asked are disconnected too", async () => {
  const world = atTip();
  const liars = ["8.8.8.8", "9.9.9.9"].map((host) => world.network.connect(host));
  for (const liar of liars) await world.leads(liar, 10n ** 30n);
  let at = 0;
  for (; at < 30 * MINUTE && liars.some(({ isClosed }) => !isClosed); at += 2_000) {
    let isAnswered = false;
    for (const liar of liars) {
      const isAsked = !liar.isClosed && askedOf(liar).some((asked) => asked.startsWith("GetSignatures"));
      if (!isAsked) continue;
      await world.lists(liar, [99, ...range(100, 199)]);
      isAnswered = true;
    }
    await world.advance(2_000);
    if (isAnswered) for (const liar of liars) await world.leads(liar, 10n ** 30n + BigInt(at));
  }
  // Each has its minute, and the time of one download of 100 blocks.
  expect(at).toBeLessThanOrEqual(8 * MINUTE);
});

test("claims are closed when their connections end", async () => {
  const world = atTip();
  const refusal = genericRefusal("no");
  world.chain.decide = () => ({ kind: "bad block", id: modelId(100), refusal, remember: false });
  for (let i = 0; i < 20; i++) {
    const peer = world.network.connect(`${i + 1}.1.1.1`);
    await world.leads(peer, 101);
    if (i % 2 === 0) peer.leaves();
    else {
      await world.lists(peer, [99, 100]);
      await world.sends(peer, 100);
    }
  }
  expect(world.clock.pending).toBe(0);
});
