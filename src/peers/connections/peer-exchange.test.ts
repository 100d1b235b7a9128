import { describe, expect, test } from "vitest";
import type { PeerAddress } from "../peer-address.ts";
import { PeerTable } from "../testing/peer-table.ts";

const at = (host: string, port = 6863): PeerAddress => ({ host, port });
const MINUTE = 60_000;

describe("peer exchange", () => {
  test("asks at once and every two minutes", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1");
    const client = await table.connect("10.0.0.2", node);
    const asked = [];
    for (let minute = 0; minute < 6; minute++) {
      asked.push(client.all("GetPeers").length);
      client.say({ type: "Score", score: BigInt(minute) });
      await table.elapse(MINUTE);
    }
    expect(asked).toEqual([1, 1, 2, 2, 3, 3]);
  });

  test("accepts one answer per request and dials its addresses", async () => {
    const table = new PeerTable();
    const [first, second, third] = [
      await table.answer("10.0.1.1"),
      await table.answer("10.0.2.1"),
      await table.answer("10.0.3.1"),
    ];
    const node = await table.node("10.0.0.1");
    const client = await table.connect("10.0.0.2", node);
    client.say({
      type: "Peers",
      addresses: [at("10.0.1.1"), at("10.0.0.1"), at("127.0.0.1"), at("0.0.0.0")],
    });
    client.say({ type: "Peers", addresses: [at("10.0.2.1")] });
    await table.elapse(10_000);
    expect([first.length, second.length]).toEqual([1, 0]);
    // The next request has its own answer.
    await table.elapse(2 * MINUTE);
    client.say({ type: "Peers", addresses: [at("10.0.3.1")] });
    await table.elapse(10_000);
    expect([second.length, third.length]).toEqual([0, 1]);
    expect(table.network.unknown.size).toBe(0);
    expect(client.isClosed).toBe(false);
  });

  test("sends all known peers with an IPv4 address except for banned ones", async () => {
    const table = new PeerTable();
    const node = await table.node("10.0.0.1", {
      knownPeers: [
        at("10.0.1.1"),
        at("10.0.2.1", 7000),
        at("name.example.org"),
        at("2001:db8::1"),
        at("10.0.3.1", 0),
      ],
      maxOutbound: 0,
    });
    node.peers.database.blacklist("10.0.1.1", "for a test");
    node.peers.database.suspend({ host: "10.0.2.1", port: 6863 });
    const client = await table.connect("10.0.0.2", node, { declaredAddress: at("10.0.0.2", 7001) });
    client.say({ type: "GetPeers" });
    await table.elapse(10);
    expect(client.all("Peers")).toEqual([
      { type: "Peers", addresses: [at("10.0.2.1", 7000), at("10.0.0.2", 7001)] },
    ]);
  });

  test("sends at most a thousand peers", async () => {
    const table = new PeerTable();
    const known = Array.from({ length: 1_500 }, (_, i) => at(`10.1.${i >> 8}.${i & 255}`));
    const node = await table.node("10.0.0.1", { knownPeers: known, maxOutbound: 0 });
    const client = await table.connect("10.0.0.2", node);
    client.say({ type: "GetPeers" });
    await table.elapse(10);
    expect(client.all("Peers")[0].addresses).toHaveLength(1_000);
  });

  test("neither sends nor accepts private addresses on a public network", async () => {
    const table = new PeerTable();
    const knownPeers = [at("10.0.1.1"), at("8.8.8.8")];
    const node = await table.node("10.0.0.1", { knownPeers, maxOutbound: 0 }, { publicOnly: true });
    const client = await table.connect("10.0.0.2", node);
    client.say({ type: "GetPeers" }, { type: "Peers", addresses: [at("10.0.2.1"), at("9.9.9.9")] });
    await table.elapse(10);
    expect(client.all("Peers")[0].addresses).toEqual([at("8.8.8.8")]);
    expect(node.peers.database.choose(knownPeers)).toEqual(at("9.9.9.9"));
    expect(node.peers.database.choose(knownPeers)).toBeUndefined();
  });
});
