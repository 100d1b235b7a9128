/** Resource limits of connections. Page 04 §25. */
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../bytes/compare.ts";
import type { PeerTable as Table, TableNode } from "../testing/peer-table.ts";
import { PeerTable } from "../testing/peer-table.ts";
import { encodeFrame } from "../wire/frame.ts";
import type { Message } from "../wire/messages.ts";

const KIB = 1_024;
const MIB = KIB * KIB;
const ID = new Uint8Array(64).fill(7);

/** A message of a given size. No part of this test parses `Transaction`s. */
const bulk = (length: number, first: number): Message => {
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(0, first);
  return { type: "Transaction", bytes };
};

async function connected(
  table: Table,
): Promise<{ node: TableNode; client: Awaited<ReturnType<Table["connect"]>> }> {
  const node = await table.node("10.0.0.1");
  return { node, client: await table.connect("10.0.0.2", node) };
}

describe("a peer that does not read", () => {
  test("is disconnected when more than 8 MiB are queued for it, while others receive everything", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const deaf = await table.dial("10.0.0.2", node, false);
    deaf.introduce();
    const good = await table.connect("10.0.0.3", node);
    const { network } = node.peers;
    const peers = [...network.peers];
    for (let i = 0; i < 64; i++) {
      network.broadcast(bulk(150 * KIB, i));
      await table.elapse(1);
      const [first] = peers;
      expect(first.pendingBytes).toBeLessThanOrEqual(8 * MIB);
    }
    await table.elapse(100);
    expect(peers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    expect(good.all("Transaction")).toHaveLength(64);
    expect(node.peers.database.blacklisted()).toEqual([]);
  });

  test("is disconnected when it reads nothing for half a minute, however little is queued", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const deaf = await table.dial("10.0.0.2", node, false);
    deaf.introduce();
    await table.elapse(10);
    const [peer] = node.peers.network.peers;
    for (let i = 0; i < 4; i++) peer.send(bulk(150 * KIB, i));
    let drained = false;
    peer.drained().then(() => {
      drained = true;
    });
    await table.elapse(29_000);
    expect(peer.isClosed).toBe(false);
    expect(drained).toBe(false);
    expect(peer.pendingBytes).toBeGreaterThan(256 * KIB);
    await table.elapse(2_000);
    expect(peer.isClosed).toBe(true);
    expect(drained).toBe(true);
    expect(peer.pendingBytes).toBe(0);
  });

  test("resolves drained() when there is room", async () => {
    const table = new PeerTable();
    const { node, client } = await connected(table);
    const [peer] = node.peers.network.peers;
    for (let i = 0; i < 40; i++) peer.send(bulk(150 * KIB, i));
    let drained = false;
    peer.drained().then(() => {
      drained = true;
    });
    await table.elapse(0);
    expect(drained).toBe(false);
    await table.elapse(500);
    expect(drained).toBe(true);
    expect(client.all("Transaction")).toHaveLength(40);
  });

  test("cannot use more memory together with others: the one with the largest queue is disconnected", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const deaf = [];
    for (let i = 0; i < 12; i++) {
      const one = await table.dial(`10.0.1.${i}`, node, false);
      one.introduce();
      deaf.push(one);
    }
    await table.elapse(10);
    const { network } = node.peers;
    for (let i = 0; i < 50; i++) {
      network.broadcast(bulk(150 * KIB, i));
      const all = [...network.peers].reduce((sum, { pendingBytes }) => sum + pendingBytes, 0);
      expect(all).toBeLessThanOrEqual(64 * MIB);
    }
    expect(network.count).toBeLessThan(12);
    expect(network.count).toBeGreaterThanOrEqual(8);
  });

  test("is disconnected above the limit of queued small messages", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const deaf = await table.dial("10.0.0.2", node, false);
    deaf.introduce();
    await table.elapse(10);
    const [peer] = node.peers.network.peers;
    for (let i = 0; i < 19_000; i++) peer.send({ type: "GetPeers" });
    expect(peer.isClosed).toBe(false);
    for (let i = 0; i < 8_000; i++) peer.send({ type: "GetPeers" });
    expect(peer.isClosed).toBe(true);
  });
});

describe("an incomplete frame", () => {
  test("closes its connection after a minute, however slowly it grows", async () => {
    const table = new PeerTable();
    const { node, client } = await connected(table);
    const frame = encodeFrame(bulk(1_000, 1));
    client.say({ type: "Score", score: 1n });
    for (let i = 0; i < 59; i++) {
      client.write(frame.subarray(i, i + 1));
      await table.elapse(1_000);
    }
    expect(client.isClosed).toBe(false);
    await table.elapse(2_000);
    expect(client.isClosed).toBe(true);
    expect(node.peers.database.blacklisted()).toEqual([]);
  });

  test("restarts its timeout when other frames came before it", async () => {
    const table = new PeerTable();
    const { client } = await connected(table);
    const frame = encodeFrame({ type: "Signatures", ids: Array.from({ length: 200 }, () => ID) });
    let bytes = new Uint8Array(0);
    // Each piece ends in the middle of a frame, and none takes longer than a second.
    for (let i = 0; i < 90; i++) {
      bytes = Uint8Array.from([...bytes, ...frame]);
      const cut = 1_000 + i;
      client.write(bytes.subarray(0, bytes.length - cut));
      bytes = bytes.slice(bytes.length - cut);
      await table.elapse(1_000);
    }
    expect(client.isClosed).toBe(false);
  });

  test("shares 32 MiB with those of others: the longest closes its connection", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const clients = [];
    for (let i = 0; i < 20; i++) clients.push(await table.connect(`10.0.${i}.1`, node));
    const block = new Uint8Array(2 * MIB - 100);
    for (const [i, client] of clients.entries()) {
      client.write(encodeFrame({ type: "Block", bytes: block }).subarray(0, 1.8 * MIB - i));
      await table.elapse(200);
    }
    // The pause for these bytes is within the frame timeout.
    const open = clients.filter(({ isClosed }) => !isClosed).length;
    expect(open).toBe(17);
    expect(clients[0].isClosed).toBe(true);
  });
});

describe("a peer that sends too many messages", () => {
  test("gets some answers to GetPeers at once, and then one per half minute", async () => {
    const table = new PeerTable();
    const { client } = await connected(table);
    for (let i = 0; i < 100; i++) client.say({ type: "GetPeers" });
    await table.elapse(1_000);
    expect(client.all("Peers")).toHaveLength(5);
    await table.elapse(30_000);
    for (let i = 0; i < 100; i++) client.say({ type: "GetPeers" });
    await table.elapse(1_000);
    expect(client.all("Peers")).toHaveLength(6);
    expect(client.isClosed).toBe(false);
  });

  test("is read at its rate limit without losing a message", async () => {
    const table = new PeerTable();
    const { node, client } = await connected(table);
    let heard = 0;
    node.peers.network.on("Score", () => void heard++);
    for (let i = 0; i < 100; i++) client.say({ type: "Score", score: BigInt(i) });
    await table.elapse(100);
    expect(heard).toBeLessThanOrEqual(52);
    await table.elapse(5_000);
    expect(heard).toBe(100);
  });

  test("is limited to 512 KiB per second in the long run without slowing others", async () => {
    const table = new PeerTable();
    const { node, client } = await connected(table);
    const heard = new Map<string, number>();
    node.peers.network.on("Transaction", ({ host }) => void heard.set(host, (heard.get(host) ?? 0) + 1));
    for (let i = 0; i < 100; i++) client.say(bulk(150 * KIB, i));
    await table.elapse(1_000);
    const other = await table.connect("10.0.0.3", node);
    other.say(bulk(1_000, 1));
    await table.elapse(1_000);
    expect(heard.get("10.0.0.3")).toBe(1);
    // 8 MiB at once, two seconds' worth, and what was in transit.
    expect(heard.get("10.0.0.2")).toBeGreaterThan(50);
    expect(heard.get("10.0.0.2")).toBeLessThan(66);
    await table.elapse(20_000);
    expect(heard.get("10.0.0.2")).toBe(100);
  });

  test("is limited to 2,000 messages per second, including dropped ones and empty frames", async () => {
    const question = encodeFrame({ type: "GetPeers" });
    const repeated = encodeFrame(bulk(4, 1));
    for (const frame of [question, repeated, new Uint8Array(4)]) {
      const table = new PeerTable();
      const { node, client } = await connected(table);
      let heard = 0;
      node.peers.network.on("Score", () => void heard++);
      for (let i = 0; i < 20; i++) {
        client.write(concatBytes(...Array<Uint8Array>(500).fill(frame)));
        await table.elapse(1);
      }
      // 6,000 at once; the rest is read with pauses.
      await table.elapse(500);
      client.say({ type: "Score", score: 1n });
      await table.elapse(1_000);
      expect(heard).toBe(0);
      await table.elapse(1_000);
      expect(heard).toBe(1);
      expect(client.isClosed).toBe(false);
    }
  });

  test("is disconnected for a frame with more than 1,000 messages", async () => {
    const table = new PeerTable();
    const { node, client } = await connected(table);
    const outer = (count: number) => {
      const inner = encodeFrame({ type: "GetPeers" }).subarray(4);
      const bytes = concatBytes(new Uint8Array(4), ...Array<Uint8Array>(count).fill(inner));
      new DataView(bytes.buffer).setUint32(0, bytes.length - 4);
      return bytes;
    };
    client.write(outer(1_000));
    await table.elapse(100);
    expect(client.isClosed).toBe(false);
    client.write(outer(1_001));
    await table.elapse(100);
    expect(client.isClosed).toBe(true);
    expect(node.peers.database.blacklisted()).toEqual([]);
  });

  test("may send all requested responses at once", async () => {
    const table = new PeerTable();
    const { node, client } = await connected(table);
    let heard = 0;
    node.peers.network.on("Signatures", () => void heard++);
    const [peer] = node.peers.network.peers;
    const ids = Array.from({ length: 200 }, () => ID);
    // More unrequested messages than allowed, in number and bytes.
    for (let i = 0; i < 800; i++) peer.send({ type: "GetSignatures", ids: [ID] });
    await table.elapse(10);
    for (let i = 0; i < 800; i++) client.say({ type: "Signatures", ids });
    await table.elapse(300);
    expect(heard).toBe(800);
    for (let i = 0; i < 50; i++) client.say({ type: "Signatures", ids });
    await table.elapse(1_000);
    expect(heard).toBe(820);
  });
});
