import { describe, expect, test } from "vitest";
import { signAnnouncement } from "../../blocks/announcement.ts";
import { buildMicroBlock, type MicroBlock, microBlockBytes } from "../../blocks/micro-block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { atOnce } from "../../chain/testing/at-once.ts";
import { sign } from "../../crypto/signatures.ts";
import { syncControl } from "../../node/control/peers-control.ts";
import { keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { watchSignatureChecks } from "../../testing/signature-checks.ts";
import { copyTransaction, transactionBytes } from "../../transactions/index.ts";
import { Preverifier } from "../../verification/ahead.ts";
import type { Peers } from "../peers.ts";
import { shortId } from "../short-id.ts";
import { busyVerifier, LiveWorld, settled } from "../testing/live-world.ts";
import type { ScriptedPeer } from "../testing/scripted-network.ts";
import type { Message } from "../wire/messages.ts";

const inv = (announcement: Message<"MicroBlockInv">["announcement"]): Message<"MicroBlockInv"> => ({
  type: "MicroBlockInv",
  announcement,
});
const response = (micro: MicroBlock): Message<"MicroBlockResponse"> => ({
  type: "MicroBlockResponse",
  bytes: microBlockBytes(micro),
});
/** Short totals that a peer was asked for. */
const requests = (peer: ScriptedPeer): string[] =>
  peer.take().flatMap((message) => (message.type === "MicroBlockRequest" ? [shortId(message.id)] : []));

/** Returns a micro block with another signature. */
const spoilt = (micro: MicroBlock): MicroBlock => ({ ...micro, signature: new Uint8Array(64).fill(7) });

function open() {
  const world = new LiveWorld();
  const base = world.forged();
  return { world, base, one: world.micro(base), tip: () => shortId(world.node.chain.tip.id) };
}

describe("a micro block", () => {
  test("is requested, appended, and announced to all peers that do not have it", async () => {
    const { world, one, tip } = open();
    const [a, b, c] = [1, 2, 3].map(() => world.network.connect());
    await a.says(inv(one.announcement));
    await b.says(inv(one.announcement));
    expect(requests(a)).toEqual([shortId(one.micro.totalSignature)]);
    expect(world.node.pool.add(one.micro.transactions[0])).toEqual({ ok: true, value: { added: true } });
    await a.says(response(one.micro));
    expect(tip()).toBe(shortId(one.micro.totalSignature));
    expect(world.node.pool.size).toBe(0);
    expect(c.take()).toEqual([inv(one.announcement)]);
    expect([...a.take(), ...b.take()]).toEqual([]);
    await world.pass(10_000);
    await b.says(inv(one.announcement));
    expect(b.take()).toEqual([]);
    expect({ a: a.credits, b: b.credits, c: c.credits }).toEqual({ a: ["microBlock"], b: [], c: [] });
  });

  test("is counted once in the cache sizes of the node, however many peers announce it", async () => {
    const { world, one } = open();
    const sizes = async () => {
      const { live } = world;
      const sync = { progress: {}, state: {} };
      const history = { cacheSizes: {} };
      // Safe cast: only the counts of micro blocks are read.
      const peers = { count: 0, sync, history, microBlocks: live.microBlocks } as unknown as Peers;
      return (await syncControl(peers).parts())?.microBlockSynchronizer;
    };
    const [a, b] = [world.network.connect(), world.network.connect()];
    for (const peer of [a, b]) await peer.says(inv(one.announcement));
    await b.says(inv(world.micro(one.total).announcement));
    await b.says(inv(world.micro(one.total).announcement));
    const announced = { microBlockOwners: 3, nextInvs: 2 };
    expect(await sizes()).toEqual({ ...announced, awaiting: 1, successfullyReceived: 0 });
    await a.says(response(one.micro));
    expect(await sizes()).toEqual({ ...announced, awaiting: 1, successfullyReceived: 1 });
    await world.pass(45_000);
    expect(await sizes()).toMatchObject({ microBlockOwners: 0, nextInvs: 0, successfullyReceived: 1 });
  });

  test("that cannot be requested after a change of the chain does not stop the node", async () => {
    const { world, one } = open();
    const two = world.micro(one.total);
    const peer = world.network.connect();
    await peer.says(inv(two.announcement));
    peer.send = () => {
      throw new TypeError("broken");
    };
    expect(atOnce(world.node.chain.acceptMicroBlock(one.micro))).toMatchObject({ ok: true });
    const { lines } = world.node.log;
    expect(lines.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
      "Cannot request the next micro block",
    ]);
  });

  test("announced before its predecessor is requested once that is there", async () => {
    const { world, one, tip } = open();
    const two = world.micro(one.total);
    const a = world.network.connect();
    const b = world.network.connect();
    await b.says(inv(two.announcement));
    await a.says(inv(one.announcement));
    expect(requests(b)).toEqual([]);
    await a.says(response(one.micro));
    expect(requests(b)).toContain(shortId(two.micro.totalSignature));
    await b.says(response(two.micro));
    expect(tip()).toBe(shortId(two.micro.totalSignature));
  });

  test("announced before its key block is requested once that has come", async () => {
    const { world } = open();
    const next = world.block();
    const a = world.network.connect();
    const { announcement, micro } = world.micro(next);
    await a.says(inv(announcement));
    expect(requests(a)).toEqual([]);
    expect(atOnce(world.node.chain.accept(next)).ok).toBe(true);
    expect(requests(a)).toEqual([shortId(micro.totalSignature)]);
  });

  test("that was not requested is dropped, and does not displace the right one", async () => {
    const { world, one, base, tip } = open();
    const [a, b] = [world.network.connect(), world.network.connect()];
    await b.says(response(spoilt(one.micro)));
    await b.says(response(one.micro));
    expect(b.parting).toBeUndefined();
    expect(tip()).toBe(shortId(base.signature));
    await a.says(inv(one.announcement));
    await a.says(response(one.micro));
    expect(tip()).toBe(shortId(one.micro.totalSignature));
  });

  test("that a peer withholds is requested from another one after two seconds, and the late answer counts", async () => {
    const { world, one, tip } = open();
    const [a, b] = [world.network.connect(), world.network.connect()];
    await a.says(inv(one.announcement));
    await b.says(inv(one.announcement));
    await world.pass(1_999);
    expect(requests(b)).toEqual([]);
    await world.pass(1);
    expect(requests(b)).toEqual([shortId(one.micro.totalSignature)]);
    await a.says(response(one.micro));
    expect(tip()).toBe(shortId(one.micro.totalSignature));
    await b.says(response(one.micro));
    expect([a.parting, b.parting]).toEqual([undefined, undefined]);
  });

  test("is no longer requested when the node stops, while its peers are still served", async () => {
    const { world, one } = open();
    const [a, b] = [world.network.connect(), world.network.connect()];
    await a.says(inv(one.announcement));
    await b.says(inv(one.announcement));
    expect(requests(a)).toHaveLength(1);
    world.live.stop();
    a.leaves();
    await b.says(inv(world.micro(one.total).announcement));
    expect(requests(b)).toEqual([]);
    expect(world.live.microBlocks.sizes.awaited).toBe(0);
  });

  test("that comes when the node stops is dropped", async () => {
    const { world, base, one, tip } = open();
    const a = world.network.connect();
    await a.says(inv(one.announcement));
    world.live.stop();
    await a.says(response(one.micro));
    expect(tip()).toBe(shortId(base.signature));
  });

  test("whose owner disconnects is requested from another one at once", async () => {
    const { world, one } = open();
    const [a, b] = [world.network.connect(), world.network.connect()];
    await a.says(inv(one.announcement));
    await b.says(inv(one.announcement));
    a.leaves();
    expect(requests(b)).toEqual([shortId(one.micro.totalSignature)]);
  });

  test("withheld by many peers is still fetched from one that has it; peers that withheld it come last then", async () => {
    const { world, one } = open();
    const silent = Array.from({ length: 5 }, () => world.network.connect());
    for (const peer of silent) await peer.says(inv(one.announcement));
    const honest = world.network.connect();
    await world.pass(1_000);
    await honest.says(inv(one.announcement));
    for (let i = 0; i < 6 && requests(honest).length === 0; i++) await world.pass(2_000);
    await honest.says(response(one.micro));
    expect(shortId(world.node.chain.tip.id)).toBe(shortId(one.micro.totalSignature));
    const asked = silent.filter((peer) => requests(peer).length > 0);
    const two = world.micro(one.total);
    for (const peer of [...asked, honest]) await peer.says(inv(two.announcement));
    await world.pass(2_000);
    expect(requests(honest)).toEqual([shortId(two.micro.totalSignature)]);
  });

  test("with a bad signature gets its sender banned, and is requested from the next one", async () => {
    const { world, one, tip } = open();
    const [a, b] = [world.network.connect(), world.network.connect()];
    await a.says(inv(one.announcement));
    await b.says(inv(one.announcement));
    await a.says(response(spoilt(one.micro)));
    const total = encodeBase58(one.micro.totalSignature);
    const text = `MicroBlock(${shortId(one.micro.totalSignature)} -> ${shortId(one.micro.reference)}, txs=1)`;
    expect(a.parting).toEqual({
      kind: "blacklisted",
      reason: `Could not append microblock ${total}: InvalidSignature(${text} reason: None)`,
    });
    expect(requests(b)).toEqual([shortId(one.micro.totalSignature)]);
    await b.says(response(one.micro));
    expect(tip()).toBe(shortId(one.micro.totalSignature));
  });

  test("with malformed transactions gets its sender banned", async () => {
    const { world, one } = open();
    const a = world.network.connect();
    await a.says(inv(one.announcement));
    const bytes = Uint8Array.from(microBlockBytes(one.micro));
    // Offset of its transaction's type: after version, two ids, length and count of the section, and the
    // transaction's length.
    bytes[1 + 128 + 4 + 4 + 4] = 99;
    await a.says({ type: "MicroBlockResponse", bytes });
    expect(a.parting?.reason).toMatch(/^Invalid message\. /);
  });

  test("that its generator made badly is refused once without blame, and another one gets its turn", async () => {
    const { world, base, tip } = open();
    const poor = world.micro(base, [world.transfer(keyPairOf("poor"))]);
    const good = world.micro(base);
    const [a, b, c] = [1, 2, 3].map(() => world.network.connect());
    await a.says(inv(poor.announcement));
    await c.says(inv(poor.announcement));
    await b.says(inv(good.announcement));
    expect(requests(b)).toEqual([]);
    await a.says(response(poor.micro));
    expect(a.parting).toBeUndefined();
    expect(requests(c)).toEqual([]);
    await b.says(response(good.micro));
    expect(tip()).toBe(shortId(good.micro.totalSignature));
  });

  test("is checked by the writer if no thread can check it, with the same result", async () => {
    const world = new LiveWorld({
      live: { checks: busyVerifier() },
    });
    const one = world.micro(world.forged());
    const [a, b] = [world.network.connect(), world.network.connect()];
    await a.says(inv(one.announcement));
    await b.says(inv(one.announcement));
    await a.says(response(spoilt(one.micro)));
    expect(a.parting?.kind).toBe("blacklisted");
    await b.says(response(one.micro));
    expect(shortId(world.node.chain.tip.id)).toBe(shortId(one.micro.totalSignature));
  });

  test("has the signatures of its transactions checked once, in the pool or here", async () => {
    const { world, base, tip } = open();
    const a = world.network.connect();
    const known = world.transfer();
    const transactions = [known, world.transfer(), world.transfer()];
    const one = world.micro(base, transactions);
    const b = world.network.connect();
    await b.says({ type: "Transaction", bytes: transactionBytes(known) });
    await world.pass(200);
    expect(world.node.pool.size).toBe(1);
    await a.says(inv(one.announcement));
    const checks = watchSignatureChecks();
    try {
      await a.says(response(one.micro));
      expect(tip()).toBe(shortId(one.micro.totalSignature));
      // Its own signature, and those of the two new transactions.
      expect(checks).toHaveBeenCalledTimes(3);
    } finally {
      checks.mockRestore();
    }
  });

  test("that was forged here is announced to all peers, signed by its generator", async () => {
    const { world, one } = open();
    const [a, b] = [world.network.connect(), world.network.connect()];
    world.live.forged.microBlock(one.micro);
    expect(a.take()).toEqual([inv(one.announcement)]);
    expect(b.take()).toEqual([inv(one.announcement)]);
  });
});

describe("an announcement", () => {
  test("with a bad signature gets its sender banned", async () => {
    const { world, one } = open();
    const a = world.network.connect();
    const { totalSignature, reference } = one.announcement;
    await a.says(inv({ ...one.announcement, signature: sign(rootKeyPair, reference) }));
    expect(a.parting).toEqual({
      kind: "blacklisted",
      reason: `InvalidSignature(MicroBlockInv(${shortId(totalSignature)} ~> ${shortId(reference)}) reason: None)`,
    });
  });

  test("is checked in the threads, one per peer at a time, while other peers are read", async () => {
    const waiting: ((signed: readonly boolean[]) => void)[] = [];
    const unused = () => Promise.reject(new Error("not asked for"));
    const messages = () => new Promise<readonly boolean[]>((resolve) => waiting.push(resolve));
    const checks = new Preverifier({
      verifyTransactions: unused,
      verifySignatures: unused,
      runScripts: unused,
      verifyMessages: messages,
    });
    const world = new LiveWorld({ live: { checks } });
    const one = world.micro(world.forged());
    const [a, b, c] = [1, 2, 3].map(() => world.network.connect());
    const here = watchSignatureChecks();
    try {
      // The peer is not read while the promise is pending.
      const heard: string[] = [];
      void a.says(inv(one.announcement)).then(() => heard.push("a"));
      void b.says(inv({ ...one.announcement, signature: new Uint8Array(64) })).then(() => heard.push("b"));
      void c.says(inv(one.announcement)).then(() => heard.push("c"));
      await settled();
      expect({ heard, waiting: waiting.length, requests: requests(a) }).toEqual({
        heard: [],
        waiting: 3,
        requests: [],
      });
      waiting[1]([false]);
      waiting[0]([true]);
      c.leaves();
      waiting[2]([true]);
      await settled();
      expect(heard.sort()).toEqual(["a", "b", "c"]);
      expect({ a: a.parting, b: b.parting?.kind }).toEqual({ a: undefined, b: "blacklisted" });
      expect(requests(a)).toEqual([shortId(one.micro.totalSignature)]);
      // A peer that has left meanwhile holds no slot.
      expect(world.live.microBlocks.sizes.announced).toBe(1);
      expect(here).not.toHaveBeenCalled();
    } finally {
      here.mockRestore();
    }
  });

  test("of a node that is not the generator occupies no slot, however many they are", async () => {
    const { world, base, one } = open();
    const [a, b] = [world.network.connect(), world.network.connect()];
    const stranger = keyPairOf("stranger");
    for (let i = 0; i < 100; i++) {
      const { micro } = buildMicroBlock(base, [world.transfer()], stranger);
      await a.says(inv(signAnnouncement(micro, stranger, world.chainId)));
    }
    await b.says(inv(one.announcement));
    expect(requests(a)).toEqual([]);
    expect(requests(b)).toEqual([shortId(one.micro.totalSignature)]);
    expect(a.parting).toBeUndefined();
  });

  test("costs one signature check however often it is repeated, and few per peer", async () => {
    const { world, base, one } = open();
    const peers = Array.from({ length: 10 }, () => world.network.connect());
    const others = Array.from({ length: 70 }, () => world.micro(base));
    const checks = watchSignatureChecks();
    try {
      for (const peer of peers) await peer.says(inv(one.announcement));
      expect(checks).toHaveBeenCalledTimes(1);
      for (const { announcement } of others) await peers[1].says(inv(announcement));
      expect(checks.mock.calls.length).toBeLessThanOrEqual(1 + 50);
    } finally {
      checks.mockRestore();
    }
  });

  test("is dropped when its connection ends, and when it expires", async () => {
    const { world, base } = open();
    const one = world.micro(base);
    const two = world.micro(one.total);
    const [a, b, c] = [1, 2, 3].map(() => world.network.connect());
    await a.says(inv(two.announcement));
    await b.says(inv(two.announcement));
    a.leaves();
    await world.pass(45_000);
    await c.says(inv(one.announcement));
    await c.says(response(one.micro));
    expect([...requests(a), ...requests(b)]).toEqual([]);
  });
});

test("a transaction with a wrong proof makes a micro block that is refused", async () => {
  const { world, base, tip } = open();
  const bad = world.micro(base, [copyTransaction(world.transfer(), { proofs: [new Uint8Array(64)] })]);
  const a = world.network.connect();
  await a.says(inv(bad.announcement));
  await a.says(response(bad.micro));
  await settled();
  expect(a.parting).toBeUndefined();
  expect(tip()).toBe(shortId(base.signature));
});
