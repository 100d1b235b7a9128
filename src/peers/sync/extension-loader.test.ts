/** Requests of the loader, and its reactions to answers. Page 04 §10, §11, §13. */
import { expect, test } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { genericRefusal } from "../../chain/deciding/block-refusal.ts";
import { ChainBusyError } from "../../chain/writing/write-queue.ts";
import { shortId } from "../short-id.ts";
import { askedOf, LoaderWorld } from "../testing/loader-world.ts";
import { modelId, modelNumber } from "../testing/model-chain.ts";
import type { ScriptedPeer } from "../testing/scripted-network.ts";

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** Our blocks are 0 to 99. */
function open(options: ConstructorParameters<typeof LoaderWorld>[0] = {}) {
  const world = new LoaderWorld(options);
  const connect = (host = "8.8.8.8") => world.network.connect(host);
  return { world, connect };
}

const blocks = (from: number, to: number): string[] => range(from, to).map((n) => `GetBlock ${n}`);

test("requests the next blocks while earlier ones are applied, with older ids after them", async () => {
  const { world, connect } = open();
  let goOn = (): void => {};
  world.chain.gate = new Promise((resolve) => {
    goOn = resolve;
  });
  const peer = connect();
  await world.leads(peer, 300);
  expect(askedOf(peer)).toEqual(["GetSignatures 99..0"]);
  await world.lists(peer, [99, ...range(99, 200)]);
  expect(askedOf(peer)).toEqual(blocks(100, 200));
  for (const number of range(100, 200)) await world.sends(peer, number);
  const [question] = peer.take();
  // A peer on another branch than the one being applied finds one of our ids.
  expect(question.type === "GetSignatures" && question.ids.map(modelNumber)).toEqual([
    ...range(100, 200).reverse(),
    ...range(0, 100).reverse(),
  ]);
  expect(world.chain.applied).toEqual([]);
  await world.lists(peer, [199, ...range(199, 300)]);
  for (const number of range(200, 300)) await world.sends(peer, number);
  goOn();
  await world.settle();
  expect(world.chain.applied.flat()).toEqual(range(100, 300));
  await world.lists(peer, [299]);
  expect(world.loader.stage).toBe("idle");
  expect(world.observer.syncWith).toBeUndefined();
});

test("accepts blocks in any order, but only in their places", async () => {
  const { world, connect } = open();
  const peer = connect();
  await world.leads(peer, 103);
  await world.lists(peer, [99, 100, 101, 102]);
  for (const number of [102, 100]) await world.sends(peer, number);
  await world.sends(peer, 150);
  expect(world.unclaimed).toEqual([150]);
  await world.sends(peer, 101);
  expect(world.chain.applied).toEqual([[100, 101, 102]]);
  expect(peer.credits).toEqual(["block", "block", "block"]);
});

test("blames the peer for a missing block, and no block", async () => {
  const { world, connect } = open();
  const peer = connect();
  await world.leads(peer, 103);
  await world.lists(peer, [99, 100, 102]);
  await world.sends(peer, 100);
  await world.sends(peer, 102, 101);
  expect(peer.parting).toEqual({
    kind: "blacklisted",
    reason: `${peer.label} Error appending extension [${shortOf(102)}]: GenericError(Blocks do not follow each other as they were listed)`,
  });
  expect(world.invalid.size).toBe(0);
  expect(world.chain.offered).toEqual([]);
  // The next peer that lists it is asked for it.
  const other = connect("9.9.9.9");
  await world.leads(other, 103);
  await world.lists(other, [99, 100, 101, 102]);
  for (const number of [100, 101, 102]) await world.sends(other, number);
  expect(world.chain.applied).toEqual([[100, 101, 102]]);
});

test("requires an answer to continue the requested ids with distinct ids", async () => {
  for (const list of [
    [500, 501],
    [99, 100, 100],
    [99, 100, 98],
  ]) {
    const { world, connect } = open();
    const peer = connect();
    await world.leads(peer, 105);
    await world.lists(peer, list);
    expect(peer.parting?.kind).toBe("closed");
    expect(world.loader.stage).toBe("idle");
  }
});

test("asks a peer that shows nothing new again when its score changes, and the next peer at once", async () => {
  for (const list of [[], [99], [99, 99]]) {
    const { world, connect } = open();
    const [one, two] = [connect("8.8.8.8"), connect("9.9.9.9")];
    await world.leads(one, 110);
    await world.leads(two, 105);
    expect(askedOf(one)).toEqual(["GetSignatures 99..0"]);
    expect(askedOf(two)).toEqual([]);
    await world.lists(one, list);
    expect(askedOf(one)).toEqual([]);
    expect(askedOf(two)).toEqual(["GetSignatures 99..0"]);
    expect(one.isClosed).toBe(false);
    await world.lists(two, [99]);
    await world.leads(one, 111);
    expect(askedOf(one)).toEqual(["GetSignatures 99..0"]);
  }
});

test("disconnects a silent peer without a ban, and asks the next one at once", async () => {
  const { world, connect } = open();
  const one = connect("8.8.8.8");
  await world.leads(one, 110);
  await world.advance(59_999);
  expect(one.parting).toBeUndefined();
  await world.advance(1);
  expect(one.parting).toEqual({ kind: "closed", reason: "Timeout loading extension" });
});

test("does not wait for an answer that is no longer needed", async () => {
  const { world, connect } = open();
  const one = connect("8.8.8.8");
  await world.leads(one, 110);
  world.chain.onScore(110n);
  await world.advance(60_000);
  expect(one.parting).toBeUndefined();
  expect(world.loader.stage).toBe("idle");
});

test("waits ten seconds for a silent peer if there is another one, and accepts its late answer", async () => {
  const { world, connect } = open();
  const [one, two] = [connect("8.8.8.8"), connect("9.9.9.9")];
  await world.leads(one, 110);
  await world.leads(two, 105);
  await world.advance(10_000);
  expect(askedOf(two)).toEqual(["GetSignatures 99..0"]);
  expect(one.isClosed).toBe(false);
  await world.lists(two, [99, ...range(100, 105)]);
  for (const number of range(100, 105)) await world.sends(two, number);
  expect(world.chain.applied).toEqual([range(100, 105)]);
  // It is asked again; the answer to the first request comes before that to the second.
  await world.leads(one, 111);
  askedOf(one);
  await world.lists(one, [4, 5]);
  expect(one.isClosed).toBe(false);
});

test("accepts an answer to an abandoned request", async () => {
  const { world, connect } = open({ own: 300 });
  const [one, two] = [connect("8.8.8.8"), connect("9.9.9.9")];
  await world.leads(one, 310);
  await world.leads(two, 305);
  await world.advance(10_000);
  await world.lists(two, [299, 300, 301]);
  for (const number of [300, 301]) await world.sends(two, number);
  await world.lists(two, []);
  await world.leads(one, 311);
  askedOf(one);
  // An id of the first request that is too old for the second one.
  await world.lists(one, [200, 201]);
  expect(one.parting).toBeUndefined();
  await world.lists(one, [301, 302]);
  expect(askedOf(one)).toEqual(["GetBlock 302"]);
});

test("does not wait for a disconnected peer, and keeps its blocks", async () => {
  const { world, connect } = open();
  const peers = range(1, 5).map((n) => connect(`${n}.9.9.9`));
  for (const [i, peer] of peers.entries()) await world.leads(peer, 120 - i);
  const [one, two, three, four] = peers;
  one.leaves();
  expect(askedOf(two)).toEqual(["GetSignatures 99..0"]);
  await world.lists(two, [99, 100, 101]);
  await world.sends(two, 100);
  two.leaves();
  expect(askedOf(three)).toEqual(["GetSignatures 99..0"]);
  await world.lists(three, [99, 100, 101]);
  for (const number of [100, 101]) await world.sends(three, number);
  three.leaves();
  await world.settle();
  expect(world.chain.applied).toEqual([[100, 101]]);
  expect(askedOf(four).at(-1)).toBe("GetSignatures 101..2");
  for (const peer of peers) expect(peer.parting).toBeUndefined();
  // The time until another peer is asked, and the limit of a claim.
  expect(world.clock.pending).toBe(3);
});

test("suspends a peer whose blocks do not come without a ban: it may be stopped or disconnected", async () => {
  const reasonOf = async (received: readonly number[]): Promise<string | undefined> => {
    const { world, connect } = open();
    const peer = connect();
    await world.leads(peer, 104);
    await world.lists(peer, [99, 100, 101, 102, 103]);
    for (const number of received) {
      await world.advance(1_000);
      await world.sends(peer, number);
    }
    await world.advance(59_999);
    expect(peer.parting).toBeUndefined();
    await world.advance(1);
    expect(peer.parting?.kind).toBe("suspended");
    return peer.parting?.reason;
  };
  expect(await reasonOf([])).toBe("Timeout loading first requested block");
  expect(await reasonOf([101])).toBe("Timeout loading one of requested blocks, non-received: total=3");
  expect(await reasonOf([103, 100, 101])).toBe(
    `Timeout loading one of requested blocks, non-received: one=${shortOf(103)}`,
  );
});

test("limits a download whose blocks come one at a time, each just in time", async () => {
  const { world, connect } = open();
  const peer = connect();
  await world.leads(peer, 200);
  await world.lists(peer, [99, ...range(100, 200)]);
  let count = 0;
  for (const number of range(100, 200)) {
    await world.advance(50_000);
    if (peer.isClosed) break;
    await world.sends(peer, number);
    count++;
  }
  expect(count).toBe(3);
  expect(peer.parting?.kind).toBe("blacklisted");
});

test("leaves a peer that pauses for another one", async () => {
  const { world, connect } = open();
  const [one, two] = [connect("8.8.8.8"), connect("9.9.9.9")];
  await world.leads(one, 110);
  await world.lists(one, [99, 100, 101]);
  await world.leads(two, 105);
  await world.advance(10_000);
  expect(askedOf(two)).toEqual(["GetSignatures 99..0"]);
  expect(one.isClosed).toBe(false);
  // Late blocks are handled as unrequested ones.
  await world.sends(one, 100);
  expect(world.unclaimed).toEqual([100]);
});

test("leaves a peer that sends a block now and then for another one", async () => {
  const { world, connect } = open();
  const [one, two] = [connect("8.8.8.8"), connect("9.9.9.9")];
  await world.leads(one, 200);
  await world.lists(one, [99, ...range(100, 200)]);
  await world.leads(two, 105);
  for (const number of [100, 101, 102]) {
    expect(askedOf(two)).toEqual([]);
    await world.advance(4_000);
    await world.sends(one, number);
  }
  expect(askedOf(two)).toEqual(["GetSignatures 99..0"]);
  expect(one.isClosed).toBe(false);
});

test("does not wait for a liquid block that was replaced meanwhile", async () => {
  const { world, connect } = open();
  const peer = connect();
  await world.leads(peer, 103);
  await world.lists(peer, [99, 100, 101, 102]);
  await world.leads(peer, 104);
  for (const number of [100, 101]) await world.sends(peer, number);
  askedOf(peer);
  await world.advance(3_000);
  expect(world.chain.applied).toEqual([[100, 101]]);
  expect(askedOf(peer)).toEqual(["GetSignatures 101..0"]);
  expect(peer.isClosed).toBe(false);
});

test("applies a branch that comes in pieces once there is enough of it", async () => {
  const { world, connect } = open({ own: 100 });
  const peer = connect();
  await world.leads(peer, 150);
  // Another branch from block 89 on: 1000, 1001 ...
  await world.lists(peer, [89, ...range(1_000, 1_005)]);
  await world.sends(peer, 1_000, 89);
  for (const number of range(1_001, 1_005)) await world.sends(peer, number);
  expect(world.chain.applied).toEqual([]);
  expect(askedOf(peer).at(-1)).toBe("GetSignatures 1004..0");
  await world.lists(peer, [1_004, 1_004, ...range(1_005, 1_030)]);
  for (const number of range(1_005, 1_030)) await world.sends(peer, number);
  expect(world.chain.applied).toEqual([range(1_000, 1_030)]);
  expect(peer.isClosed).toBe(false);
});

test("changes nothing for a branch that is not better in the end, without blame", async () => {
  const { world, connect } = open({ own: 100 });
  const peer = connect();
  await world.leads(peer, 150);
  await world.lists(peer, [89, ...range(1_000, 1_005)]);
  await world.sends(peer, 1_000, 89);
  for (const number of range(1_001, 1_005)) await world.sends(peer, number);
  await world.lists(peer, [1_004]);
  askedOf(peer);
  expect(world.chain.applied).toEqual([]);
  expect(peer.isClosed).toBe(false);
  expect(world.observer.syncWith).toBeUndefined();
  await world.advance(600_000);
  expect(askedOf(peer)).toEqual([]);
});

test("ends an endless branch of blocks without weight", async () => {
  const { world, connect } = open({ own: 100 });
  world.chain.decide = () => ({ kind: "not better", score: 1n });
  const peer = connect();
  await world.leads(peer, 10n ** 30n);
  let rounds = 0;
  for (let from = 1_000; rounds < 100 && world.observer.syncWith !== undefined; from += 100, rounds++) {
    await world.lists(peer, [from === 1_000 ? 89 : from - 1, ...range(from, from + 100)]);
    for (const number of range(from, from + 100))
      await world.sends(peer, number, number === 1_000 ? 89 : number - 1);
  }
  expect(rounds).toBeLessThan(10);
  expect(peer.isClosed).toBe(false);
  expect(world.loader.stage).toBe("idle");
});

test("bans the sender of a refused extension, and later peers that list its bad block", async () => {
  const { world, connect } = open();
  const [one, two, three] = [connect("8.8.8.8"), connect("9.9.9.9"), connect("7.7.7.7")];
  world.chain.bad.add(102);
  await world.leads(one, 104);
  await world.lists(one, [99, ...range(100, 104)]);
  for (const number of range(100, 104)) await world.sends(one, number);
  expect(one.parting).toEqual({
    kind: "blacklisted",
    reason: `${one.label} Error appending extension (total=4) [${shortOf(100)} -- ${shortOf(103)}]: GenericError(it is bad)`,
  });
  expect(world.chain.score).toBe(100n);
  await world.leads(two, 105);
  await world.lists(two, [99, ...range(100, 105)]);
  expect(two.parting).toEqual({
    kind: "blacklisted",
    reason: `Signatures contain invalid block(s): ${textOf(102)}, GenericError(it is bad)`,
  });
  // For a day.
  await world.advance(86_400_000);
  await world.leads(three, 105);
  await world.lists(three, [99, ...range(100, 105)]);
  expect(three.parting).toBeUndefined();
});

test("does not remember a block for a reason that depends on more than the block", async () => {
  const refusal = genericRefusal("no");
  for (const kind of ["checkpoint", "unlinked", "malformed"] as const) {
    const { world, connect } = open();
    world.chain.decide = () => ({ kind, refusal });
    const peer = connect();
    await world.leads(peer, 101);
    await world.lists(peer, [99, 100]);
    await world.sends(peer, 100);
    expect(peer.parting?.kind).toBe("blacklisted");
    expect(world.invalid.size).toBe(0);
  }
  const { world, connect } = open();
  world.chain.decide = () => ({ kind: "bad block", id: modelId(100), refusal, remember: false });
  const peer = connect();
  await world.leads(peer, 101);
  await world.lists(peer, [99, 100]);
  await world.sends(peer, 100);
  expect(peer.parting?.kind).toBe("blacklisted");
  expect(world.invalid.size).toBe(0);
});

test("asks again without a ban when an answer no longer fits, but not for ever", async () => {
  const refusal = genericRefusal("no");
  for (const kind of ["no common parent", "too deep"] as const) {
    const { world, connect } = open();
    world.chain.decide = () => ({ kind, refusal });
    const peer = connect();
    await world.leads(peer, 101);
    let questions = 0;
    while (askedOf(peer).includes("GetSignatures 99..0")) {
      questions++;
      await world.lists(peer, [99, 100]);
      await world.sends(peer, 100);
    }
    expect(questions).toBe(2);
    expect(peer.isClosed).toBe(false);
    expect(world.loader.stage).toBe("idle");
  }
});

test("asks each peer again when its first answer no longer fits", async () => {
  const { world, connect } = open();
  const refusal = genericRefusal("no");
  world.chain.decide = () => ({ kind: "too deep", refusal });
  for (const host of ["8.8.8.8", "9.9.9.9"]) {
    const peer = connect(host);
    await world.leads(peer, 101);
    let questions = 0;
    while (askedOf(peer).includes("GetSignatures 99..0")) {
      questions++;
      await world.lists(peer, [99, 100]);
      await world.sends(peer, 100);
    }
    expect(questions).toBe(2);
  }
});

test("postpones blocks ahead of the clock and applies those before them", async () => {
  const { world, connect } = open();
  const peer = connect();
  world.chain.decide = (sent) => {
    const early = sent.find(({ scan }) => modelNumber(scan.header.signature) >= 102);
    return early && world.clock.now() < 300
      ? { kind: "future", id: early.scan.header.signature, dueAt: 300 }
      : undefined;
  };
  await world.leads(peer, 104);
  await world.lists(peer, [99, ...range(100, 104)]);
  for (const number of range(100, 104)) await world.sends(peer, number);
  expect(world.chain.applied).toEqual([[100, 101]]);
  askedOf(peer);
  await world.advance(299);
  expect(askedOf(peer)).toEqual([]);
  expect(peer.isClosed).toBe(false);
  expect(world.invalid.size).toBe(0);
  await world.advance(1);
  expect(askedOf(peer)).toEqual(["GetSignatures 101..2"]);
  await world.lists(peer, [101, 102, 103]);
  for (const number of [102, 103]) await world.sends(peer, number);
  expect(world.chain.applied).toEqual([
    [100, 101],
    [102, 103],
  ]);
});

test("does not wait for blocks ahead of the clock when their peer has left or the node stops", async () => {
  const { world, connect } = open();
  world.chain.decide = (sent) => ({
    kind: "future",
    id: sent[0].scan.header.signature,
    dueAt: world.clock.now() + 30_000,
  });
  const early = async () => {
    const peer = connect();
    const before = world.clock.pending;
    await world.leads(peer, 101);
    await world.lists(peer, [99, 100]);
    await world.sends(peer, 100);
    expect(world.clock.pending).toBe(before + 1);
    return { peer, before };
  };
  const first = await early();
  world.loader.forget(first.peer);
  expect(world.clock.pending).toBe(first.before);
  const second = await early();
  world.loader.end();
  expect(world.clock.pending).toBe(second.before);
});

test("retries an extension that the chain could not take, without a ban", async () => {
  const { world, connect } = open();
  const peer = connect();
  let busy = 3;
  world.chain.decide = () => (busy-- > 0 ? { kind: "unable", error: new ChainBusyError() } : undefined);
  await world.leads(peer, 102);
  await world.lists(peer, [99, 100, 101]);
  for (const number of [100, 101]) await world.sends(peer, number);
  for (let i = 0; i < 3; i++) {
    expect(world.chain.applied).toEqual([]);
    await world.advance(1_000);
  }
  expect(world.chain.applied).toEqual([[100, 101]]);
  busy = Number.POSITIVE_INFINITY;
  await world.leads(peer, 103);
  await world.lists(peer, [101, 102]);
  await world.sends(peer, 102);
  for (let i = 0; i < 100; i++) await world.advance(1_000);
  expect(world.loader.stage).toBe("idle");
  expect(peer.isClosed).toBe(false);
});

test("stops asking for blocks that the chain already has", async () => {
  const { world, connect } = open();
  const peer = connect();
  world.chain.decide = () => ({ kind: "known" });
  await world.leads(peer, 105);
  let questions = 0;
  for (let asked = askedOf(peer); asked.some((what) => what.startsWith("GetSig")); asked = askedOf(peer)) {
    questions++;
    await world.lists(peer, [98, 1_000]);
    await world.sends(peer, 1_000, 98);
  }
  expect(questions).toBeLessThan(4);
});

/** Sends the requested blocks, with the given size. */
async function serve(world: LoaderWorld, peer: ScriptedPeer, padding: number, onAsked: () => void) {
  for (let asked = askedOf(peer); asked.length > 0; asked = askedOf(peer))
    for (const what of asked) {
      const [, number] = /^GetBlock (\d+)$/.exec(what) ?? [];
      if (number === undefined) continue;
      await world.sends(peer, Number(number), Number(number) - 1, padding);
      onAsked();
    }
}

test("holds a bounded number of bytes, whatever comes", async () => {
  const { world, connect } = open();
  let goOn = (): void => {};
  world.chain.gate = new Promise((resolve) => {
    goOn = resolve;
  });
  const peer = connect();
  await world.leads(peer, 200);
  await world.lists(peer, [99, ...range(100, 200)]);
  const mebibyte = 2 ** 20;
  let sent = 0;
  await serve(world, peer, 2 * mebibyte - 1_000, () => sent++);
  // Blocks without room were dropped, and are requested again when there is room.
  const held = world.chain.offered.flat().length;
  expect(held * 2).toBeLessThanOrEqual(64);
  expect(sent).toBeLessThanOrEqual(100);
  expect(peer.isClosed).toBe(false);
  goOn();
  await world.settle();
  for (let i = 0; i < 10; i++) {
    await serve(world, peer, 2 * mebibyte - 1_000, () => {});
    await world.settle();
  }
  expect(world.chain.score).toBe(200n);
});

test("does not ask two peers of one range in a row if another range has one", async () => {
  const { world, connect } = open();
  const [one, two, other] = [connect("8.8.1.1"), connect("8.8.2.2"), connect("9.9.9.9")];
  await world.leads(one, 110);
  await world.leads(two, 109);
  await world.leads(other, 101);
  await world.lists(one, []);
  expect(askedOf(two)).toEqual([]);
  expect(askedOf(other)).toEqual(["GetSignatures 99..0"]);
  await world.lists(other, []);
  expect(askedOf(two)).toEqual(["GetSignatures 99..0"]);
});

test("asks and waits for nothing after the end", async () => {
  const { world, connect } = open();
  const peer = connect();
  await world.leads(peer, 105);
  askedOf(peer);
  world.loader.end();
  await world.lists(peer, [99, 100]);
  await world.leads(peer, 106);
  await world.advance(600_000);
  expect(askedOf(peer)).toEqual([]);
  expect(peer.isClosed).toBe(false);
});

function textOf(number: number): string {
  return encodeBase58(modelId(number));
}

function shortOf(number: number): string {
  return shortId(modelId(number));
}
