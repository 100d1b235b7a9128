import { describe, expect, test } from "vitest";
import { type MetricDefinition, MetricsRegistry } from "../runtime/metrics.ts";
import { peerMetrics, syncMetrics } from "./metrics.ts";
import { Branch } from "./testing/branch.ts";
import { live, SyncNode, Wire } from "./testing/paired-networks.ts";
import { PeerTable } from "./testing/peer-table.ts";
import { encodeFrame } from "./wire/frame.ts";

/** Returns the values of a metric above or below zero by their labels. */
function valuesOf(metrics: MetricsRegistry, { name }: MetricDefinition): Record<string, number> {
  const samples = metrics.samples().find((metric) => metric.name === name)?.values ?? [];
  return Object.fromEntries(
    samples.flatMap(({ labels, value }) => (value === 0 ? [] : [[Object.values(labels).join(" "), value]])),
  );
}

describe("the metrics of connections", () => {
  test("count messages and their bytes by direction and type", async () => {
    const table = new PeerTable();
    const metrics = new MetricsRegistry();
    const node = await table.node("10.0.0.1", {}, { metrics });
    const client = await table.connect("10.0.0.2", node);
    client.say({ type: "GetPeers" }, { type: "Score", score: 5n }, { type: "Score", score: 6n });
    await table.elapse(10);
    expect(valuesOf(metrics, peerMetrics.messages)).toEqual({
      "received GetPeers": 1,
      "received Score": 2,
      "sent GetPeers": 1,
      "sent Peers": 1,
    });
    const score = encodeFrame({ type: "Score", score: 5n }).length;
    expect(valuesOf(metrics, peerMetrics.bytes)).toMatchObject({
      "received GetPeers": encodeFrame({ type: "GetPeers" }).length,
      "received Score": 2 * score,
      "sent GetPeers": encodeFrame({ type: "GetPeers" }).length,
    });
  });

  test("show peers by the side that dialled, until the node stops", async () => {
    const table = new PeerTable();
    const metrics = new MetricsRegistry();
    const other = await table.node("10.0.0.2");
    const node = await table.node(
      "10.0.0.1",
      { knownPeers: [{ host: other.address, port: 6863 }] },
      { metrics },
    );
    await table.connect("10.0.0.3", node);
    await table.connect("10.0.0.4", node);
    await table.elapse(10_000);
    expect(valuesOf(metrics, peerMetrics.connected)).toEqual({ inbound: 2, outbound: 1 });
    expect(valuesOf(metrics, peerMetrics.known)).toEqual({ "": 1 });
    await Promise.all([node.peers.stop(), table.elapse(3_000)]);
    expect(valuesOf(metrics, peerMetrics.connected)).toEqual({});
  });

  test("count bans, rejected connections and messages above a rate limit", async () => {
    const table = new PeerTable();
    const metrics = new MetricsRegistry();
    const node = await table.node("10.0.0.1", {}, { metrics });
    const client = await table.connect("10.0.0.2", node);
    for (let i = 0; i < 7; i++) client.say({ type: "GetPeers" });
    await table.elapse(10);
    expect(valuesOf(metrics, peerMetrics.messages)["received GetPeers"]).toBe(7);
    expect(valuesOf(metrics, peerMetrics.dropped)).toEqual({ "": 2 });
    await table.connect("10.0.0.3", node, { applicationName: "ltoL" });
    await table.connect("10.0.0.3", node);
    client.connection.close();
    await table.elapse(10);
    expect(valuesOf(metrics, peerMetrics.ended)).toEqual({ close: 1, blacklist: 1 });
    expect(valuesOf(metrics, peerMetrics.banned)).toEqual({ "": 1 });
    expect(valuesOf(metrics, peerMetrics.rejected)).toEqual({ "": 1 });
  });
});

test("the metrics of the synchronization follow a download from the first claim to the tip", async () => {
  const old = new Branch().forge(110);
  const { clock } = old.node;
  const young = new Branch("MAINTAIN", clock);
  const metrics = new MetricsRegistry();
  const [server, client] = [new SyncNode(old), new SyncNode(young, {}, metrics)];
  const stages = new Set<string>();
  const wire = new Wire(server, client, () => {
    for (const stage of Object.keys(valuesOf(metrics, syncMetrics.stage))) stages.add(stage);
    return false;
  });
  expect(valuesOf(metrics, syncMetrics.stage)).toEqual({ idle: 1 });
  const remaining: number[] = [];
  young.node.chain.onChange(() => {
    remaining.push(valuesOf(metrics, syncMetrics.remaining)[""] ?? 0);
  });
  wire.carry();
  expect(valuesOf(metrics, peerMetrics.scoreDifference)[""]).toBe(Number(old.score - young.score));
  await live(clock, [wire], 5_000);
  expect(young.height).toBe(old.height);
  expect(valuesOf(metrics, peerMetrics.scoreDifference)).toEqual({});
  expect(valuesOf(metrics, syncMetrics.blocks)).toEqual({ "": old.height - 1 });
  expect(valuesOf(metrics, syncMetrics.extensions).applied).toBeGreaterThan(0);
  expect([...stages]).toEqual(["idle", "requesting_ids", "downloading"]);
  expect(remaining[0]).toBeGreaterThan(0);
  expect(remaining.at(-1)).toBe(0);
  expect(valuesOf(metrics, syncMetrics.remaining)).toEqual({});
  expect(valuesOf(metrics, syncMetrics.stage)).toEqual({ idle: 1 });
});
