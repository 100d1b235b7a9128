import { expect, test } from "vitest";
import { RecordingLog } from "../testing/dev-node.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { logPeers } from "./peer-log.ts";
import { ScriptedNetwork } from "./testing/scripted-network.ts";

function world() {
  const network = new ScriptedNetwork();
  const clock = new VirtualClock(0);
  const log = new RecordingLog();
  const stop = logPeers({ network, clock, log });
  return { network, clock, stop, lines: () => log.lines.splice(0) };
}

test("the first peer and the end of the last one are logged at once", () => {
  const { network, lines } = world();
  const peer = network.connect();
  expect(lines()).toMatchObject([
    { level: "info", message: "Connected to the first peer", facts: { peer: peer.label, name: "test" } },
  ]);
  peer.close("it goes");
  expect(lines()).toMatchObject([
    { level: "warn", message: /^Lost the last peer/, facts: { peer: peer.label } },
  ]);
});

test("other peers are logged together every 30 seconds, however many come and go", () => {
  const { network, clock, lines } = world();
  network.connect();
  lines();
  for (let i = 0; i < 500; i++) network.connect(`203.0.113.${i % 200}`).close("it goes");
  network.connect();
  clock.advance(29_999);
  expect(lines()).toEqual([]);
  clock.advance(1);
  expect(lines()).toMatchObject([
    { message: "Peers connected or lost", facts: { connected: 501, lost: 500, peers: 2 } },
  ]);
  clock.advance(600_000);
  expect(lines()).toEqual([]);
});

test("peers that the node closes when it stops are not lost", () => {
  const { network, clock, stop, lines } = world();
  const peers = [network.connect(), network.connect()];
  lines();
  stop();
  for (const peer of peers) peer.close("this node stops");
  clock.advance(60_000);
  expect(lines()).toEqual([]);
});

test("a peer that connects after the stop is not logged and starts no summary timer", () => {
  const { network, clock, stop, lines } = world();
  stop();
  network.connect();
  network.connect();
  clock.advance(60_000);
  expect(lines()).toEqual([]);
});
