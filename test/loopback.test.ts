/** No test reaches another machine, neither from a node in this process nor from a process that a test starts. */
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import dns from "node:dns";
import { connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createNode } from "../src/node.ts";
import type { PeerAddress } from "../src/peers/peer-address.ts";
import { handshakeOf, peersOptions } from "../src/peers/testing/peer-table.ts";
import { ConnectionDecoder, type Received } from "../src/peers/wire/connection-decoder.ts";
import { encodeFrame } from "../src/peers/wire/frame.ts";
import { encodeHandshake } from "../src/peers/wire/handshake.ts";
import { dev } from "../src/profiles/index.ts";
import { createTcpTransport } from "../src/runtime/tcp-transport.ts";
import { memoryStore } from "../src/storage/memory-store.ts";
import { rootKeyPair } from "../src/testing/dev-node.ts";
import { LoopbackTransport } from "../src/testing/loopback-transport.ts";
import { settingsOf } from "../src/testing/settings.ts";
import { simulatedEnvironment } from "../src/testing/simulated-environment.ts";
import { VirtualClock } from "../src/testing/virtual-clock.ts";
import { fixedWallet } from "../src/wallet/fixed-wallet.ts";

/** An address reserved for documentation. */
const ELSEWHERE = "192.0.2.1";

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

test("a node that receives public peer addresses dials only this machine", async () => {
  const transport = new LoopbackTransport(createTcpTransport());
  const clock = new VirtualClock(Number(dev.genesis.blockTimestamp) + 60_000);
  const options = peersOptions({
    listen: { host: "127.0.0.1", port: 0 },
    knownPeers: [{ host: "198.51.100.1", port: 6868 }],
  });
  const environment = simulatedEnvironment({
    clock,
    store: memoryStore(),
    wallet: fixedWallet([rootKeyPair], dev.chainId),
    transport,
    hosts: { resolve: async () => [ELSEWHERE], own: () => ["127.0.0.1"] },
  });
  const node = createNode(environment, settingsOf(dev, { peers: options }));
  await node.start();
  const told: PeerAddress[] = [
    { host: "192.0.2.2", port: 6863 },
    { host: "203.0.113.7", port: 6868 },
    { host: "8.8.8.8", port: 53 },
    { host: "10.0.0.1", port: 6863 },
    { host: "169.254.169.254", port: 80 },
    { host: "128.0.0.1", port: 6863 },
  ];
  const port = node.peers?.listeningPort ?? 0;
  const client = connect(port, "127.0.0.1");
  const decoder = new ConnectionDecoder(clock, 0);
  const received: Received[] = [];
  client.on("data", (bytes) => received.push(...decoder.decode(bytes)));
  client.write(encodeHandshake(handshakeOf({ applicationName: `lto${String.fromCharCode(dev.chainId)}` })));
  await until(() => received.some(({ type }) => type === "GetPeers"));
  client.write(encodeFrame({ type: "Peers", addresses: told }));
  client.write(encodeFrame({ type: "GetPeers" }));
  // The answer shows that the node has processed the list before it.
  await until(() => received.some(({ type }) => type === "Peers"));
  node.peers?.connect({ host: "anywhere.example.org", port: 1 });
  for (let i = 0; i < 20; i++) {
    clock.advance(5_000);
    for (let j = 0; j < 5; j++) await turn();
  }
  const wanted = [
    ...told.map(({ host, port: at }) => `${host}:${at}`),
    `${ELSEWHERE}:1`,
    "198.51.100.1:6868",
  ];
  expect(new Set(transport.refused)).toEqual(new Set(wanted));
  client.destroy();
  await until(() => node.peers?.count === 0);
  await node.stop();
});

test("other code in this process cannot reach another machine", async () => {
  const refused = /Tests may only connect to this machine/;
  const dialled = new Promise((_, reject) => connect(6863, ELSEWHERE).once("error", reject));
  await expect(dialled).rejects.toThrow(refused);
  const named = new Promise((_, reject) => connect({ host: "example.org", port: 80 }).once("error", reject));
  await expect(named).rejects.toThrow(refused);
  await expect(dns.promises.lookup("example.org")).rejects.toThrow(refused);
  const socket = createSocket("udp4");
  expect(() => socket.send("?", 123, ELSEWHERE)).toThrow(refused);
  socket.close();
});

test("a child process cannot reach another machine", async () => {
  const program = `fetch("http://${ELSEWHERE}/").catch((error) => console.log(String(error.cause)))`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", program]);
  expect(stdout).toMatch(/Tests may only connect to this machine/);
});
