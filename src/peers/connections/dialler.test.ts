/** Which peers this node dials, and when. Page 04 §19. */
import { describe, expect, test } from "vitest";
import type { Hosts } from "../../interfaces.ts";
import { MemoryPeersFile } from "../../testing/simulated-environment.ts";
import { peersFileBytes } from "../database/known-peers-store.ts";
import type { PeerAddress } from "../peer-address.ts";
import { type BareConnection, PeerTable } from "../testing/peer-table.ts";

const at = (host: string, port = 6863): PeerAddress => ({ host, port });
const from = (count: number) => Array.from({ length: count }, (_, i) => at(`10.0.${i + 1}.1`));

/** Peers that accept every connection. */
async function welcoming(table: PeerTable, addresses: readonly PeerAddress[]) {
  const came = new Map<string, BareConnection[]>();
  for (const { host, port } of addresses) came.set(host, await table.answer(host, port));
  return {
    total: () => [...came.values()].reduce((sum, connections) => sum + connections.length, 0),
    /** Sends handshakes on connections that have none. */
    introduce: async (changes: Parameters<BareConnection["introduce"]>[0] = {}) => {
      for (const connections of came.values()) connections.at(-1)?.introduce(changes);
      await table.elapse(10);
    },
    of: (host: string) => came.get(host) ?? [],
  };
}

describe("a node with known peers", () => {
  test("dials the first peer after a second and another one every five seconds, up to its limit", async () => {
    const table = new PeerTable();
    const known = from(6);
    const others = await welcoming(table, known);
    const node = await table.node("10.0.0.1", {
      knownPeers: known,
      maxOutbound: 3,
      handshakeTimeoutMs: 3_600_000,
      idleTimeoutMs: 3_600_000,
    });
    const counts = [];
    await table.elapse(900);
    counts.push(others.total());
    for (let i = 0; i < 6; i++) {
      await table.elapse(i === 0 ? 200 : 5_000);
      counts.push(others.total());
    }
    expect(counts).toEqual([0, 1, 2, 3, 3, 3, 3]);
    expect(node.peers.network.count).toBe(0);
  });

  test("fills its last slot while other dials are in progress", async () => {
    const table = new PeerTable();
    const known = from(6);
    const others = await welcoming(table, known);
    table.network.partition([["10.0.0.1"]]);
    await table.node("10.0.0.1", { knownPeers: known, maxOutbound: 3 });
    await table.elapse(20_000);
    table.network.heal();
    await table.elapse(1_000);
    expect(others.total()).toBe(3);
  });

  test("suspends an unreachable peer for a minute", async () => {
    const table = new PeerTable();
    const known = [at("10.0.1.1"), at("10.0.2.1")];
    const others = await welcoming(table, [known[1]]);
    const node = await table.node("10.0.0.1", { knownPeers: known });
    await table.elapse(21_000);
    expect(table.network.unknown.get("10.0.1.1 6863")).toBe(1);
    expect(others.of("10.0.2.1")).toHaveLength(1);
    expect(node.peers.database.suspended().map(({ host }) => host)).toEqual(["10.0.1.1"]);
    await table.elapse(60_000);
    expect(table.network.unknown.get("10.0.1.1 6863")).toBe(2);
    // The other peer accepts and stays silent: a timeout of half a minute, then a suspension of a minute.
    expect(others.of("10.0.2.1").map(({ isClosed }) => isClosed)).toEqual([true]);
    expect(node.peers.database.blacklisted()).toEqual([]);
    await table.elapse(21_000);
    expect(others.of("10.0.2.1")).toHaveLength(2);
  });

  test("suspends a peer that disconnected for a minute, then dials it again", async () => {
    const table = new PeerTable();
    const known = [at("10.0.1.1")];
    const others = await welcoming(table, known);
    const node = await table.node("10.0.0.1", { knownPeers: known });
    await table.elapse(1_100);
    await others.introduce();
    expect(node.peers.network.count).toBe(1);
    others.of("10.0.1.1")[0].connection.close();
    await table.elapse(50_000);
    expect(others.total()).toBe(1);
    expect(node.peers.database.suspended().map(({ host }) => host)).toEqual(["10.0.1.1"]);
    await table.elapse(20_000);
    expect(others.total()).toBe(2);
  });

  test("does not dial a connected peer, whoever opened the connection", async () => {
    const table = new PeerTable();
    const known = [at("10.0.1.1"), at("10.0.2.1"), at("10.0.3.1")];
    const others = await welcoming(table, known);
    const node = await table.node("10.0.0.1", { knownPeers: known });
    // The first peer connected itself and declares its true address; a third peer claims the second one's.
    await table.connect("10.0.1.1", node, { declaredAddress: at("10.0.1.1") });
    await table.connect("10.0.4.1", node, { declaredAddress: at("10.0.2.1") });
    for (let i = 0; i < 12; i++) {
      await table.elapse(5_000);
      await others.introduce();
    }
    expect(others.of("10.0.1.1")).toHaveLength(0);
    expect(others.of("10.0.2.1")).toHaveLength(1);
    expect(others.of("10.0.3.1")).toHaveLength(1);
    expect(node.peers.database.knownPeers().map(({ address }) => address)).toEqual(known);
  });

  test("does not dial itself", async () => {
    const table = new PeerTable();
    const known = [at("10.0.0.1"), at("203.0.113.1", 7000)];
    const node = await table.node("10.0.0.1", {
      knownPeers: known,
      declaredAddress: at("203.0.113.1", 7000),
    });
    await table.elapse(60_000);
    expect(table.network.unknown.size).toBe(0);
    expect(node.peers.database.suspended()).toEqual([]);
  });

  test("does not dial banned peers", async () => {
    const table = new PeerTable();
    const known = [at("10.0.1.1")];
    const others = await welcoming(table, known);
    const node = await table.node("10.0.0.1", { knownPeers: known });
    node.peers.database.blacklist("10.0.1.1", "for a test");
    await table.elapse(14 * 60_000);
    expect(others.total()).toBe(0);
    await table.elapse(2 * 60_000);
    expect(others.total()).toBe(1);
  });

  test("counts a peer as known only after its handshake", async () => {
    const table = new PeerTable();
    const others = await welcoming(table, [at("10.0.1.1"), at("10.0.2.1")]);
    const node = await table.node("10.0.0.1", { handshakeTimeoutMs: 3_600_000 });
    const known = () => node.peers.database.knownPeers().map(({ address }) => address);
    node.peers.connect(at("10.0.1.1"));
    await table.elapse(50);
    // Any program may accept a connection.
    expect(others.total()).toBe(1);
    expect(known()).toEqual([]);
    await others.introduce();
    expect(known()).toEqual([at("10.0.1.1")]);
    // A peer that connected itself is known by its declared address, if that is true.
    await table.connect("10.0.3.1", node, { declaredAddress: at("10.0.3.1", 7000) });
    await table.connect("10.0.4.1", node, { declaredAddress: at("10.0.9.1", 7000) });
    await table.connect("10.0.5.1", node);
    expect(known()).toEqual([at("10.0.1.1"), at("10.0.3.1", 7000)]);
  });

  test("keeps a peer with a declared address as long as it sends messages", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1", { knownPeerMs: 600_000, idleTimeoutMs: 3_600_000 });
    const talker = await table.connect("10.0.1.1", node, { declaredAddress: at("10.0.1.1", 7000) });
    await table.connect("10.0.2.1", node, { declaredAddress: at("10.0.2.1", 7000) });
    for (let i = 0; i < 12; i++) {
      await table.elapse(60_000);
      talker.say({ type: "Score", score: BigInt(i) });
    }
    await table.elapse(10);
    expect(node.peers.database.knownPeers().map(({ address }) => address)).toEqual([at("10.0.1.1", 7000)]);
  });
});

describe("host names", () => {
  const named = (names: Record<string, readonly string[]>): Hosts => ({
    resolve: async (name) => {
      const found = names[name];
      if (found === undefined) throw new Error("ENOTFOUND");
      return found;
    },
    own: () => ["10.0.0.1"],
  });

  test("are resolved when they are dialled, to the first free address", async () => {
    const table = new PeerTable();
    const others = await welcoming(table, [at("10.0.1.1"), at("10.0.1.2")]);
    const hosts = named({ "peer.example.org": ["10.0.0.1", "10.0.1.1", "10.0.1.2"] });
    const node = await table.node("10.0.0.1", { knownPeers: [at("peer.example.org")] }, { hosts });
    node.peers.database.blacklist("10.0.1.1", "for a test");
    await table.elapse(1_100);
    await others.introduce();
    expect(others.of("10.0.1.1")).toHaveLength(0);
    expect(others.of("10.0.1.2")).toHaveLength(1);
    // Peers are told IP addresses, not names.
    expect(node.peers.database.knownPeers().map(({ address }) => address)).toEqual([
      at("peer.example.org"),
      at("10.0.1.2"),
    ]);
    await table.elapse(60_000);
    expect(others.total()).toBe(1);
    others.of("10.0.1.2")[0].connection.close();
    await table.elapse(10_000);
    expect(others.total()).toBe(1);
  });

  test("that do not resolve are suspended for a minute", async () => {
    const table = new PeerTable();
    let asked = 0;
    const hosts: Hosts = {
      resolve: async () => {
        asked++;
        throw new Error("ENOTFOUND");
      },
      own: () => [],
    };
    const node = await table.node("10.0.0.1", { knownPeers: [at("nowhere.example.org")] }, { hosts });
    await table.elapse(59_000);
    expect(asked).toBe(1);
    expect(node.peers.database.suspended().map(({ host }) => host)).toEqual(["nowhere.example.org"]);
    await table.elapse(10_000);
    expect(asked).toBe(2);
  });

  test("are declared as IP addresses, or not at all", async () => {
    const table = new PeerTable();
    const hosts = named({ "me.example.org": ["203.0.113.1"] });
    const declare = async (address: string, host: string) => {
      const node = await table.node(address, { declaredAddress: at(host, 7000) }, { hosts });
      const client = await table.connect("10.0.9.1", node);
      const [first] = client.received;
      return [
        first.type === "Handshake" ? first.handshake.declaredAddress : undefined,
        node.log.lines.filter(({ level }) => level === "warn").length,
      ];
    };
    expect(await declare("10.0.0.1", "me.example.org")).toEqual([at("203.0.113.1", 7000), 0]);
    expect(await declare("10.0.0.2", "other.example.org")).toEqual([undefined, 1]);
    expect(await declare("10.0.0.3", "203.0.113.3")).toEqual([at("203.0.113.3", 7000), 0]);
  });
});

describe("the operator", () => {
  test("may connect to any address despite limits, bans and suspensions", async () => {
    const table = new PeerTable();
    const others = await welcoming(table, [at("10.0.1.1")]);
    const node = await table.node("10.0.0.1", { maxOutbound: 0 });
    node.peers.database.suspend(at("10.0.1.1"));
    expect(node.peers.connect(at("10.0.1.1"))).toBe(true);
    expect(node.peers.connect(at("10.0.1.1"))).toBe(false);
    await table.elapse(10);
    await others.introduce();
    expect(node.peers.network.count).toBe(1);
    // Not to a hundred at once.
    const tried = from(150).map((address) => node.peers.connect({ ...address, port: 9 }));
    expect(tried.filter((isTried) => isTried)).toHaveLength(100);
  });
});

describe("known peers", () => {
  test("survive a restart in a file", async () => {
    const table = new PeerTable();
    const peersFile = new MemoryPeersFile("/nowhere/peers.dat");
    peersFile.bytes = peersFileBytes([at("10.0.1.1")]);
    const others = await welcoming(table, [at("10.0.1.1"), at("10.0.2.1")]);
    const node = await table.node("10.0.0.1", {}, { peersFile });
    await table.elapse(1_100);
    expect(others.of("10.0.1.1")).toHaveLength(1);
    node.peers.connect(at("10.0.2.1"));
    await table.elapse(10);
    await others.introduce({ nonce: 9n });
    const stopping = node.peers.stop();
    await table.elapse(3_000);
    await stopping;
    expect(peersFile.bytes).toEqual(peersFileBytes([at("10.0.1.1"), at("10.0.2.1")]));
  });
});
