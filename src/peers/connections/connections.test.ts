/** Who is let in, what is said first, and how connections end. Page 04 §4, §5, §26. */
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../bytes/compare.ts";
import { type BareConnection, handshakeOf, PeerTable } from "../testing/peer-table.ts";
import { encodeFrame } from "../wire/frame.ts";
import { encodeHandshake } from "../wire/handshake.ts";

describe("a connection that comes", () => {
  test("is answered once it was accepted: handshake, then the question for peers", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const client = await table.dial("10.0.0.2", node);
    await table.elapse(1_000);
    expect(client.received).toEqual([]);
    client.introduce();
    await table.elapse(10);
    expect(client.types).toEqual(["Handshake", "GetPeers"]);
    expect(client.received[0]).toMatchObject({
      handshake: {
        applicationName: "ltoT",
        version: { major: 1, minor: 8, patch: 0 },
        nodeName: "table",
        declaredAddress: undefined,
        time: 1_700_000_001n,
      },
    });
    expect(node.peers.network.count).toBe(1);
    const [peer] = node.peers.network.peers;
    expect(peer).toMatchObject({ host: "10.0.0.2", inbound: true, handshake: { nodeName: "client" } });
    expect(peer.label).toMatch(/^\[[0-9a-f]{8} 10\.0\.0\.2:\d+\]$/);
  });

  test("is dealt with in the order of the wire, frames behind the handshake too", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const client = await table.dial("10.0.0.2", node);
    client.write(concatBytes(encodeHandshake(handshakeOf()), encodeFrame({ type: "GetPeers" })));
    await table.elapse(10);
    expect(client.types).toEqual(["Handshake", "GetPeers", "Peers"]);
  });

  test.each([
    [
      "another network",
      { applicationName: "ltoL" },
      "Remote application name ltoL does not match local ltoT",
    ],
    [
      "a version of the future",
      { version: { major: 2, minor: 0, patch: 0 } },
      "Remote application version (2,0,0) is not supported",
    ],
  ])("from %s is banned, and hears nothing", async (_, changes, reason) => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const client = await table.connect("10.0.0.2", node, changes);
    expect(client.isClosed).toBe(true);
    expect(client.received).toEqual([]);
    expect(node.peers.database.blacklisted()).toMatchObject([{ host: "10.0.0.2", reason }]);
    // Page 04 §4.2: not even heard any more.
    const again = await table.connect("10.0.0.2", node);
    expect(again.isClosed).toBe(true);
    expect(again.received).toEqual([]);
  });

  test("is closed, and nobody banned, when its node is connected already", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const first = await table.connect("10.0.0.2", node, { nonce: 5n });
    const second = await table.connect("10.0.0.2", node, { nonce: 5n });
    const other = await table.connect("10.0.0.2", node, { nonce: 6n });
    expect([first.isClosed, second.isClosed, other.isClosed]).toEqual([false, true, false]);
    expect(second.received).toEqual([]);
    expect(node.peers.database.blacklisted()).toEqual([]);
    first.connection.close();
    await table.elapse(10);
    expect((await table.connect("10.0.0.2", node, { nonce: 5n })).isClosed).toBe(false);
  });

  test("without a handshake is banned after 10 s, whatever bytes come", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const client = await table.dial("10.0.0.2", node);
    client.write(encodeHandshake(handshakeOf()).subarray(0, 20));
    await table.elapse(9_900);
    expect(client.isClosed).toBe(false);
    await table.elapse(200);
    expect(client.isClosed).toBe(true);
    expect(node.peers.database.blacklisted()).toMatchObject([
      { host: "10.0.0.2", reason: "Timeout expired while waiting for handshake" },
    ]);
  });
});

describe("two nodes that dial each other at the same time", () => {
  test.each([1n, 2n, 3n])("keep one connection, when one has the nonce 2 and the other %s", async (nonce) => {
    const table = new PeerTable();
    const addresses = ["10.0.0.1", "10.0.0.2"];
    const nodes = [];
    for (const [i, address] of addresses.entries())
      nodes.push(
        await table.node(address, {
          declaredAddress: { host: address, port: 6863 },
          knownPeers: [{ host: addresses[1 - i], port: 6863 }],
          nonce: [2n, nonce][i],
        }),
      );
    await table.elapse(10_000);
    expect(nodes.map(({ peers }) => peers.network.count)).toEqual([1, 1]);
    expect(table.network.size).toBe(1);
  });
});

describe("a connection that this node opens", () => {
  test("begins with its handshake alone, and is one only when it was answered", async () => {
    const table = new PeerTable();
    const came = await table.answer("10.0.0.2");
    const node = await table.node("10.0.0.1", { knownPeers: [{ host: "10.0.0.2", port: 6863 }], nonce: -3n });
    await table.elapse(2_000);
    const [peer] = came as [BareConnection];
    expect(peer.received).toMatchObject([{ type: "Handshake", handshake: { nonce: -3n } }]);
    expect(node.peers.network.count).toBe(0);
    // Page 04 §26, rule 3: not a frame before the other side has introduced itself.
    await table.elapse(20_000);
    expect(peer.types).toEqual(["Handshake"]);
    peer.introduce();
    await table.elapse(10);
    expect(node.peers.network.count).toBe(1);
    expect(peer.types).toEqual(["Handshake", "GetPeers"]);
  });
});
