/** Admission, the first messages, and the end of connections. Page 04 §4, §5, §26. */
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../bytes/compare.ts";
import type { Connection } from "../../interfaces.ts";
import { elapse } from "../../testing/elapse.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { noHosts } from "../../testing/simulated-environment.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { type BareConnection, handshakeOf, PeerTable, peersOptions } from "../testing/peer-table.ts";
import { ConnectionDecoder } from "../wire/connection-decoder.ts";
import { encodeFrame } from "../wire/frame.ts";
import { encodeHandshake } from "../wire/handshake.ts";
import { createConnectionLayer } from "./connection-layer.ts";

describe("an inbound connection", () => {
  test("is answered with a handshake and then GetPeers after it was accepted", async () => {
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

  test("is handled in the order of the wire, including frames after the handshake", async () => {
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
  ])("from %s is banned without an answer", async (_, changes, reason) => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const client = await table.connect("10.0.0.2", node, changes);
    expect(client.isClosed).toBe(true);
    expect(client.received).toEqual([]);
    expect(node.peers.database.blacklisted()).toMatchObject([{ host: "10.0.0.2", reason }]);
    // Page 04 §4.2: closed without reading.
    const again = await table.connect("10.0.0.2", node);
    expect(again.isClosed).toBe(true);
    expect(again.received).toEqual([]);
  });

  test("is closed without a ban if its node is already connected", async () => {
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
  test.each([1n, 2n, 3n])("keep one connection if one has the nonce 2 and the other %s", async (nonce) => {
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

test("a node that yields to a simultaneous dial closes its own connection first", async () => {
  const table = new PeerTable();
  const came = await table.answer("10.0.0.2");
  const node = await table.node("10.0.0.1", { nonce: 2n });
  node.peers.connect({ host: "10.0.0.2", port: 6863 });
  await table.elapse(10);
  const [own] = came;
  expect(own.types).toEqual(["Handshake"]);
  expect(own.isClosed).toBe(false);
  const declared = { host: "10.0.0.2", port: 6863 };
  const other = await table.connect("10.0.0.2", node, { nonce: 1n, declaredAddress: declared });
  expect([own.isClosed, other.isClosed]).toEqual([true, false]);
  expect(node.peers.network.count).toBe(1);
});

describe("an outbound connection", () => {
  test("starts with this node's handshake alone and counts once it is answered", async () => {
    const table = new PeerTable();
    const came = await table.answer("10.0.0.2");
    const node = await table.node("10.0.0.1", { knownPeers: [{ host: "10.0.0.2", port: 6863 }], nonce: -3n });
    await table.elapse(2_000);
    const [peer] = came as [BareConnection];
    expect(peer.received).toMatchObject([{ type: "Handshake", handshake: { nonce: -3n } }]);
    expect(node.peers.network.count).toBe(0);
    // Page 04 §26, rule 3: no frame before the peer's handshake.
    await table.elapse(20_000);
    expect(peer.types).toEqual(["Handshake"]);
    peer.introduce();
    await table.elapse(10);
    expect(node.peers.network.count).toBe(1);
    expect(peer.types).toEqual(["Handshake", "GetPeers"]);
  });

  test("starts with this node's handshake even if the peer has sent data before", async () => {
    const clock = new VirtualClock(0);
    const sent: Uint8Array[] = [];
    const spoken = encodeHandshake(handshakeOf());
    const connection: Connection = {
      host: "10.0.0.2",
      port: 6863,
      received: spoken.length,
      sent: 0,
      onData: (take) => void take(spoken),
      onClose: () => {},
      write: async (bytes) => void sent.push(bytes),
      close: () => {},
    };
    const peers = createConnectionLayer({
      clock,
      random: new SeededRandom(1),
      transport: { listen: async () => undefined, dial: async () => connection },
      hosts: noHosts,
      log: silentLog,
      peersFile: undefined,
      chainId: "T".charCodeAt(0),
      publicOnly: false,
      options: peersOptions({ knownPeers: [{ host: "10.0.0.2", port: 6863 }] }).connections,
    });
    await peers.start();
    await elapse(clock, 2_000);
    const decoder = new ConnectionDecoder(clock, 0);
    expect([...decoder.decode(concatBytes(...sent))].map(({ type }) => type)).toEqual([
      "Handshake",
      "GetPeers",
    ]);
  });
});

describe("an open connection", () => {
  test("is kept alive by GetPeers, and closes after five minutes without a whole message", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const client = await table.connect("10.0.0.2", node);
    const talker = await table.connect("10.0.0.3", node);
    // Page 04 §4.4: partial and empty frames do not count as activity.
    for (let minute = 0; minute < 5; minute++) {
      client.write(Uint8Array.of(0, 0, 0, 0));
      talker.say({ type: "Score", score: BigInt(minute) });
      await table.elapse(59_900);
    }
    client.write(encodeFrame({ type: "GetPeers" }).subarray(0, 5));
    await table.elapse(400);
    expect(client.isClosed).toBe(false);
    await table.elapse(200);
    expect(client.isClosed).toBe(true);
    expect(client.types).toEqual(["Handshake", "GetPeers", "GetPeers", "GetPeers"]);
    expect(node.peers.database.blacklisted()).toEqual([]);
    expect(talker.isClosed).toBe(false);
    expect(node.peers.network.count).toBe(1);
  });

  test("sends GetPeers at least every four minutes even if the exchange is disabled, and then does not answer it", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1", { exchange: false, peerRequestIntervalMs: 3_600_000 });
    const client = await table.connect("10.0.0.2", node);
    for (let i = 0; i < 3; i++) {
      client.say({ type: "GetPeers" }, { type: "Peers", addresses: [{ host: "10.0.0.9", port: 6863 }] });
      await table.elapse(240_000);
    }
    expect(client.types).toEqual(["Handshake", "GetPeers", "GetPeers", "GetPeers", "GetPeers"]);
    expect(node.peers.database.choose([])).toBeUndefined();
  });

  test("bans the sender of a malformed frame and drops what follows", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const scores: bigint[] = [];
    node.peers.network.on("Score", (_, { score }) => void scores.push(score));
    const client = await table.connect("10.0.0.2", node);
    client.write(
      concatBytes(
        encodeFrame({ type: "Score", score: 1n }),
        Uint8Array.of(0, 0, 0, 9, 0x12, 0x34, 0x56, 0x78, 3, 0, 0, 0, 0),
        encodeFrame({ type: "Score", score: 2n }),
      ),
    );
    await table.elapse(10);
    expect(scores).toEqual([1n]);
    expect(client.isClosed).toBe(true);
    const reason =
      "Malformed network message: java.lang.IllegalArgumentException: requirement failed: Unexpected message code 3";
    expect(node.peers.database.blacklisted()).toMatchObject([{ host: "10.0.0.2", reason }]);
    expect(node.log.lines).toContainEqual(
      expect.objectContaining({ level: "info", facts: expect.objectContaining({ reason }) }),
    );
  });

  test("handles messages one at a time and survives an exception in a handler", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const { network } = node.peers;
    const log: string[] = [];
    let goOn: () => void = () => {};
    network.on("Score", (_, { score }) => {
      log.push(`score ${score}`);
      if (score === 1n) throw new Error("a fault");
      return new Promise((resolve) => {
        goOn = () => {
          log.push("done");
          resolve();
        };
      });
    });
    network.on("MicroBlockRequest", () => void log.push("request"));
    const client = await table.connect("10.0.0.2", node);
    client.say({ type: "Score", score: 1n }, { type: "Score", score: 2n });
    client.say({ type: "MicroBlockRequest", id: new Uint8Array(64) });
    await table.elapse(10);
    expect(log).toEqual(["score 1", "score 2"]);
    goOn();
    await table.elapse(10);
    expect(log).toEqual(["score 1", "score 2", "done", "request"]);
    expect(node.log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
    expect(() => network.on("Score", () => {})).toThrow("has a handler already");
  });

  test("reports its start and its end once, also if a listener throws", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const seen: string[] = [];
    node.peers.network.onConnected(() => {
      throw new Error("a fault");
    });
    node.peers.network.onConnected(({ host }) => void seen.push(`+${host}`));
    node.peers.network.onClosed(({ host, isClosed }) => void seen.push(`-${host} ${isClosed}`));
    const client = await table.connect("10.0.0.2", node);
    const other = await table.connect("10.0.0.3", node);
    await table.dial("10.0.0.4", node);
    client.connection.close();
    await table.elapse(10);
    const [peer] = node.peers.network.peers;
    peer.close("enough");
    peer.blacklist("too late");
    await table.elapse(10);
    expect(other.isClosed).toBe(true);
    expect(seen).toEqual(["+10.0.0.2", "+10.0.0.3", "-10.0.0.2 true", "-10.0.0.3 true"]);
    expect(node.peers.database.blacklisted()).toEqual([]);
    peer.send({ type: "GetPeers" });
    await peer.drained();
  });

  test("receives broadcasts unless it is excluded", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const clients = [];
    for (const from of ["10.0.0.2", "10.0.0.3", "10.0.0.4"]) clients.push(await table.connect(from, node));
    const [, second] = node.peers.network.peers;
    node.peers.network.broadcast({ type: "Score", score: 5n }, new Set([second]));
    await table.elapse(10);
    expect(clients.map((client) => client.all("Score").length)).toEqual([1, 0, 1]);
    const ids = Array.from({ length: 201 }, () => new Uint8Array(64));
    expect(() => node.peers.network.broadcast({ type: "Signatures", ids })).toThrow(RangeError);
  });

  test("ends without a ban if bans are disabled", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1", { blacklisting: false });
    const client = await table.connect("10.0.0.2", node, { applicationName: "ltoX" });
    expect(client.isClosed).toBe(true);
    expect((await table.connect("10.0.0.2", node)).isClosed).toBe(false);
  });

  test("can be banned by the operator by host", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const clients = [
      await table.connect("10.0.0.2", node),
      await table.connect("10.0.0.2", node, { nonce: 8n }),
    ];
    const other = await table.connect("10.0.0.3", node);
    node.peers.blacklist("::ffff:10.0.0.2", "Debug API request");
    await table.elapse(10);
    expect([...clients, other].map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
    expect(node.peers.database.blacklisted()).toMatchObject([
      { host: "10.0.0.2", reason: "Debug API request" },
    ]);
  });
});

describe("shutdown", () => {
  test("waits two seconds after the last score and serves requests until then", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const client = await table.connect("10.0.0.2", node);
    const asked: string[] = [];
    node.peers.network.on("GetBlock", () => void asked.push("block"));
    node.peers.network.broadcast({ type: "Score", score: 5n });
    await table.elapse(500);
    let ended = false;
    const stopping = node.peers.stop().then(() => {
      ended = true;
    });
    await table.elapse(1_400);
    client.say({ type: "GetBlock", id: new Uint8Array(64) });
    const late = await table.dial("10.0.0.3", node).catch(() => undefined);
    await table.elapse(50);
    expect(late).toBeUndefined();
    expect(asked).toEqual(["block"]);
    expect(client.isClosed).toBe(false);
    expect(ended).toBe(false);
    await table.elapse(100);
    await stopping;
    expect(client.isClosed).toBe(true);
    expect(ended).toBe(true);
    expect(table.clock.pending).toBe(0);
  });

  test("is immediate if no score was sent, and leaves nothing open", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1", { knownPeers: [{ host: "10.0.0.9", port: 6863 }] });
    const client = await table.connect("10.0.0.2", node);
    await table.dial("10.0.0.3", node);
    await node.peers.stop();
    await table.elapse(100);
    expect(client.isClosed).toBe(true);
    expect(node.peers.connect({ host: "10.0.0.9", port: 6863 })).toBe(false);
    expect(table.clock.pending).toBe(0);
    expect(table.network.size).toBe(0);
  });
});

test("warns if the port is in use and continues without it", async () => {
  const table = new PeerTable();
  const address = "10.0.0.1";
  await table.node(address);
  const node = await table.node(address, { knownPeers: [{ host: "10.0.0.2", port: 6863 }] });
  expect(node.peers.listeningPort).toBeUndefined();
  expect(node.log.lines).toContainEqual(
    expect.objectContaining({
      level: "warn",
      message: "Cannot listen on 0.0.0.0:6863: peers cannot connect",
    }),
  );
  const came = await table.answer("10.0.0.2");
  await table.elapse(2_000);
  expect(came).toHaveLength(1);
});

describe("a node that dials itself", () => {
  test("notices it without a ban, and does not dial its own addresses", async () => {
    const table = new PeerTable();
    const known = { host: "10.0.0.77", port: 6863 };
    const node = await table.node(known.host, { knownPeers: [known], nonce: 0n });
    await table.elapse(20_000);
    expect(node.peers.database.suspended()).toEqual([]);
    node.peers.connect(known);
    await table.elapse(10);
    expect(node.log.lines.map(({ facts }) => facts.reason)).toContain("Connected to this node itself");
    expect(node.peers.network.count).toBe(0);
    expect(node.peers.database.blacklisted()).toEqual([]);
  });

  test("is distinguished from another node with the same nonce", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1", {
      nonce: 0n,
      declaredAddress: { host: "203.0.113.5", port: 6863 },
    });
    const other = await table.connect("10.0.0.2", node, { nonce: 0n });
    expect(other.isClosed).toBe(false);
    const neighbour = await table.connect("10.0.0.1", node, { nonce: 1n });
    expect(neighbour.isClosed).toBe(false);
    const self = await table.connect("10.0.0.1", node, { nonce: 0n });
    expect(self.isClosed).toBe(true);
    const declared = await table.connect("10.0.0.3", node, {
      nonce: 0n,
      declaredAddress: { host: "203.0.113.5", port: 6863 },
    });
    expect(declared.isClosed).toBe(true);
    expect(node.peers.database.blacklisted()).toEqual([]);
  });
});

describe("connection slots", () => {
  test("are three per address and thirty in total: a newcomer displaces a peer of the largest range", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const clients = [];
    for (let i = 0; i < 4; i++) clients.push(await table.connect("10.1.0.1", node, { nonce: BigInt(i) }));
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([false, false, false, true]);
    for (let i = 2; i <= 29; i++) clients.push(await table.connect(`10.${i}.0.1`, node));
    expect(node.peers.network.count).toBe(30);
    expect(clients.flatMap(({ isClosed }, i) => (isClosed ? [i] : []))).toEqual([0, 3]);
    // Two addresses have two slots of a range now: another address of it changes nothing.
    const late = await table.connect("10.1.0.2", node);
    expect(late.isClosed).toBe(true);
    clients[5].connection.close();
    await table.elapse(10);
    expect((await table.connect("10.1.0.2", node)).isClosed).toBe(false);
    expect(node.peers.database.blacklisted()).toEqual([]);
  });

  test("are not given to peers that reconnect again and again", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const connect = async () => {
      const client = await table.connect("10.0.0.2", node);
      const { isClosed } = client;
      client.connection.close();
      return !isClosed;
    };
    let entered = 0;
    for (let i = 0; i < 80; i++) if (await connect()) entered++;
    expect(entered).toBeGreaterThanOrEqual(60);
    expect(entered).toBeLessThan(70);
    await table.elapse(1_000);
    expect(await connect()).toBe(true);
  });
});
