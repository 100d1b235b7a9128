/** Invalid input about peers for a node as operators run it, over sockets and in its files. */
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeFrame } from "../src/peers/wire/frame.ts";
import { encodeHandshake } from "../src/peers/wire/handshake.ts";
import { removeFolder, runCli, startNodeProcess, temporaryFolder, until } from "./support/node-process.ts";
import { type PeerProcess, peerOn, SHARED } from "./support/peer-process.ts";

const folder = temporaryFolder("peers-bad-input");
let node: PeerProcess;

beforeAll(async () => {
  const args = [...SHARED, "--no-forge", "--log-level", "debug"];
  node = await peerOn(await startNodeProcess({ dataDir: join(folder, "node"), args }));
});

afterAll(async () => {
  expect(await node.stop()).toBe(0);
  removeFolder(folder);
});

const handshake = (applicationName: string): Uint8Array =>
  encodeHandshake({
    applicationName,
    version: { major: 1, minor: 8, patch: 0 },
    nodeName: "somebody",
    nonce: 7n,
    declaredAddress: undefined,
    time: 1_700_000_000n,
  });

const reasons = async (): Promise<string[]> =>
  (await node.get("/peers/blacklisted")).json.map(({ reason }: { reason: string }) => reason);

/** Sends bytes to the node, waits for the disconnect, and lifts the ban. @returns the reason of the ban */
async function says(...parts: Uint8Array[]): Promise<string[]> {
  const socket = connect(node.p2pPort, "127.0.0.1");
  // A disconnect while writing is a socket error; the node's status gives the reason.
  socket.on("error", () => {});
  socket.resume();
  socket.write(Buffer.concat(parts));
  await once(socket, "close");
  const told = await reasons();
  expect((await node.command("/peers/clearblacklist", {})).status).toBe(200);
  return told;
}

test("a handshake of another chain and malformed frames end the connection with a reason", async () => {
  const good = handshake("ltoZ");
  const frame = encodeFrame({ type: "GetPeers" });
  const changed = (index: number): Uint8Array => frame.map((byte, i) => (i === index ? byte ^ 0xff : byte));
  const expected: [Uint8Array[], RegExp][] = [
    [[handshake("ltoL")], /Remote application name ltoL does not match local ltoZ/],
    [[new Uint8Array(100).fill(0xff)], /An invalid application name's size/],
    // The magic number follows the length of the frame.
    [[good, changed(4)], /magic/],
    [
      [good, encodeFrame({ type: "Transaction", bytes: new Uint8Array(50).fill(9) })],
      /Data does not match length|Invalid message|requirement/,
    ],
  ];
  for (const [parts, reason] of expected) {
    const told = await says(...parts);
    expect(told).toEqual([expect.stringMatching(reason)]);
    expect(node.output()).toContain(JSON.stringify(told[0]).slice(1, -1));
  }
  expect((await node.get("/peers/connected")).json).toEqual({ peers: [] });
});

test("a node that is told to connect to itself reports that and bans no peer", async () => {
  await node.connect(node);
  await until("the reason", async () => node.output().includes("Connected to this node itself") || undefined);
  expect(await reasons()).toEqual([]);
  expect((await node.get("/peers/connected")).json).toEqual({ peers: [] });
});

test("a port in use and a corrupt peers file cause warnings, and the node continues without them", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const dataDir = join(folder, "other");
  mkdirSync(dataDir, { mode: 0o700 });
  const peersFile = join(dataDir, "peers.dat");
  writeFileSync(peersFile, Uint8Array.of(0, 1, 2, 254, 255));
  const args = ["--p2p-host", "127.0.0.1", "--p2p-port", String(port), "--no-forge"];
  const other = await startNodeProcess({ dataDir, args });
  await until("a warning", async () => other.output().includes("Cannot listen") || undefined);
  expect(other.output()).toContain(`Cannot listen on 127.0.0.1:${port}: peers cannot connect`);
  expect(other.output()).toMatch(/Invalid file of known peers [^"]+peers\.dat: moved to /);
  const aside = readdirSync(dataDir).find((name) => name.startsWith("peers.dat.")) ?? "";
  expect([...readFileSync(join(dataDir, aside))]).toEqual([0, 1, 2, 254, 255]);
  // It still connects to other nodes.
  const answer = await other.post("/peers/connect", { host: "127.0.0.1", port: node.p2pPort });
  expect(answer.status).toBe(200);
  await until("a connection", async () =>
    (await other.get("/peers/connected")).json.peers.length === 1 ? true : undefined,
  );
  expect(await other.stop()).toBe(0);
  server.close();
});

test("an invalid address is named in the error, and the node does not start", async () => {
  const args = ["start", "--data-dir", join(folder, "none"), "--peers", "127.0.0.1:6863,127.0.0.1:port"];
  const { code, stderr } = await runCli(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(/--peers: .*127\.0\.0\.1:port/);
});
