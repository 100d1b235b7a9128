/** What an operator sees of other nodes and does with them. Page 04 §22. */
import { describe, expect, test } from "vitest";
import { PeerTable } from "../../peers/testing/peer-table.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { peersControl, syncControl } from "./peers-control.ts";

const hosts = {
  async resolve(name: string) {
    if (name === "peer.example.org") return ["10.0.0.2", "::ffff:10.0.0.3"];
    throw new Error(`${name} is not found`);
  },
};

async function nodeWith(changes = {}) {
  const table = new PeerTable();
  const node = await table.node("10.0.0.1", changes);
  return { table, node, control: peersControl(node.peers, hosts, { clock: table.clock, scoreOf: () => 7n }) };
}

describe("a node with peers", () => {
  test("shows known and connected nodes", async () => {
    const { table, node, control } = await nodeWith({
      knownPeers: [{ host: "10.0.0.9", port: 6863 }],
      maxOutbound: 0,
    });
    await table.connect("10.0.0.2", node, {
      nonce: -5n,
      nodeName: "second",
      declaredAddress: { host: "10.0.0.2", port: 7000 },
    });
    expect(await control.connected()).toEqual([
      {
        host: "10.0.0.2",
        port: expect.any(Number),
        declaredAddress: { host: "10.0.0.2", port: 7000 },
        name: "second",
        nonce: -5n,
        applicationName: "ltoT",
        version: [1, 8, 0],
        isInbound: true,
        connectedMs: expect.any(Number),
        received: expect.any(Number),
        sent: expect.any(Number),
        score: 7n,
      },
    ]);
    expect(await control.known(10)).toEqual([
      { host: "10.0.0.9", port: 6863, lastSeen: 2n ** 63n - 1n },
      { host: "10.0.0.2", port: 7000, lastSeen: expect.any(BigInt) },
    ]);
    expect(await control.known(1)).toHaveLength(1);
  });

  test("bans the peers of a host only, and clears the ban list", async () => {
    const { table, node, control } = await nodeWith();
    const banned = await table.connect("10.0.0.2", node);
    const other = await table.connect("10.0.0.4", node);
    expect(await control.ban("10.0.0.7", "why")).toMatchObject({ ok: true });
    expect(await control.banned(10)).toEqual([]);
    expect(await control.ban("peer.example.org", "why")).toMatchObject({ ok: true });
    await table.elapse(10);
    expect(banned.isClosed).toBe(true);
    expect(other.isClosed).toBe(false);
    expect(await control.banned(10)).toEqual([
      { host: "10.0.0.2", since: expect.any(Number), reason: "why" },
    ]);
    await control.clearBans();
    expect(await control.banned(10)).toEqual([]);
    expect((await table.connect("10.0.0.2", node)).isClosed).toBe(false);
  });

  test("bans a host that is not connected, and lifts the ban of one host", async () => {
    const { node, control } = await nodeWith();
    expect(await control.banHost("203.0.113.7", "spam")).toEqual({
      ok: true,
      value: { origins: ["203.0.113.7"], durationMs: 900_000 },
    });
    expect(await control.banHost("peer.example.org", "why")).toEqual({
      ok: true,
      value: { origins: ["10.0.0.2", "10.0.0.3"], durationMs: 900_000 },
    });
    expect(await control.unbanHost("10.0.0.2")).toEqual({ ok: true, value: ["10.0.0.2"] });
    expect((await control.banned(10)).map(({ host }) => host)).toEqual(["203.0.113.7", "10.0.0.3"]);
    expect(await control.unbanHost("peer.example.org")).toEqual({ ok: true, value: ["10.0.0.3"] });
    expect(await control.unbanHost("10.0.0.3")).toEqual({
      ok: false,
      error: { kind: "not-banned", host: "10.0.0.3" },
    });
    expect(node.peers.database.isBlacklisted("203.0.113.7")).toBe(true);
  });

  test.each(["2001:db8::7", "2001:db8::ffff:1", "2001:db8::/64"])(
    "lifts the ban of a /64 network for %s",
    async (host) => {
      const { node, control } = await nodeWith();
      node.peers.database.blacklist("2001:db8::7", "it lied");
      expect(await control.unbanHost("2001:db8:0:1::7")).toMatchObject({ ok: false });
      expect(await control.unbanHost("2001:db8::/48")).toMatchObject({ ok: false });
      expect(node.peers.database.isBlacklisted("2001:db8::9")).toBe(true);
      expect(await control.unbanHost(host)).toEqual({ ok: true, value: ["2001:db8::/64"] });
      expect(node.peers.database.isBlacklisted("2001:db8::9")).toBe(false);
    },
  );

  test("disconnects a peer of a banned network", async () => {
    const { table, node, control } = await nodeWith();
    const peer = await table.connect("2001:db8::5", node);
    expect(await control.banHost("2001:db8::/64", "why")).toEqual({
      ok: true,
      value: { origins: ["2001:db8::/64"], durationMs: 900_000 },
    });
    await table.elapse(10);
    expect(peer.isClosed).toBe(true);
  });

  test("refuses to ban if bans are disabled", async () => {
    const { table, node, control } = await nodeWith({ blacklisting: false });
    const peer = await table.connect("10.0.0.2", node);
    expect(await control.banHost("10.0.0.2", "why")).toEqual({
      ok: false,
      error: { kind: "bans-disabled" },
    });
    await table.elapse(10);
    expect(peer.isClosed).toBe(false);
  });

  test("connects to a given address, even if it is banned", async () => {
    const { table, node, control } = await nodeWith({ maxOutbound: 0 });
    const came = await table.answer("10.0.0.5");
    node.peers.database.blacklist("10.0.0.5", "it lied");
    node.peers.database.suspend({ host: "10.0.0.5", port: 6863 });
    expect(await control.connect({ host: "10.0.0.5", port: 6863 })).toMatchObject({ ok: true });
    await table.elapse(50);
    expect(came.map(({ types }) => types)).toEqual([["Handshake"]]);
    expect(await control.suspended(10)).toEqual([{ host: "10.0.0.5", since: expect.any(Number) }]);
  });

  test.each(["not a host!", "", "nothing.invalid", "1.2.3", "a:1"])("knows no host %j", async (host) => {
    const { control } = await nodeWith();
    const unknown = { ok: false, error: { kind: "unknown-host", host } };
    expect(await control.ban(host, "why")).toEqual(unknown);
    expect(await control.connect({ host, port: 1 })).toEqual(unknown);
    expect(await control.banHost(host, "why")).toEqual(unknown);
    expect(await control.unbanHost(host)).toEqual(unknown);
  });
});

test("a node without P2P shows no peers and does not connect", async () => {
  const control = peersControl(undefined, hosts, { clock: new VirtualClock(0), scoreOf: () => undefined });
  expect(await control.known(1)).toEqual([]);
  expect(await control.connected()).toEqual([]);
  expect(await control.banned(1)).toEqual([]);
  expect(await control.suspended(1)).toEqual([]);
  expect(await control.ban("10.0.0.1", "why")).toMatchObject({ ok: true });
  expect(await control.connect({ host: "10.0.0.1", port: 1 })).toEqual({
    ok: false,
    error: { kind: "no-peers" },
  });
  await control.clearBans();
  expect(await syncControl(undefined).sync()).toBeUndefined();
  expect(await syncControl(undefined).parts()).toBeUndefined();
});
