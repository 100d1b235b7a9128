/** Silence suspends one address and port: it affects neither the frozen node any further nor its neighbours. */
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../bytes/compare.ts";
import { type BareConnection, handshakeOf, PeerTable } from "../testing/peer-table.ts";
import { encodeFrame } from "../wire/frame.ts";
import { encodeHandshake } from "../wire/handshake.ts";

const HOST = "127.0.0.1";
const at = (port: number) => ({ host: HOST, port });

/** Answers the connections to a local node that it has not answered yet. */
async function answer(table: PeerTable, came: BareConnection[], nonce: bigint): Promise<void> {
  for (const one of came) if (!one.isClosed) one.introduce({ nonce });
  await table.elapse(10);
}

describe("if one of several nodes on a machine is frozen", () => {
  test("for 30 s while it is dialled, it reconnects at once and its neighbours are not affected", async () => {
    const table = new PeerTable();
    // The system accepts connections for a stopped process.
    const stopped = await table.answer(HOST, 7001);
    const neighbour = await table.answer(HOST, 7002);
    const node = await table.node(HOST, { knownPeers: [at(7001), at(7002)] });
    const { database, network } = node.peers;
    await table.elapse(7_000);
    await answer(table, neighbour, 2n);
    expect({ stopped: stopped.length, neighbour: neighbour.length, connected: network.count }).toEqual({
      stopped: 1,
      neighbour: 1,
      connected: 1,
    });
    await table.elapse(30_000);
    expect(stopped[0].isClosed).toBe(true);
    expect(database.blacklisted()).toEqual([]);
    expect(database.suspended().map(({ host }) => host)).toEqual([HOST]);
    expect(neighbour[0].isClosed).toBe(false);
    // It continues and connects: it is accepted together with its neighbours.
    const back = await table.connect(HOST, node, { nonce: 1n, declaredAddress: at(7001) });
    const third = await table.connect(HOST, node, { nonce: 3n, declaredAddress: at(7003) });
    expect({ back: back.types, third: third.types }).toEqual({
      back: ["Handshake", "GetPeers"],
      third: ["Handshake", "GetPeers"],
    });
    expect(network.count).toBe(3);
    // The other node is dialled once its connection has ended and its dial is due.
    third.connection.close();
    const again = await table.answer(HOST, 7003);
    await table.elapse(10_000);
    expect(again.length).toBe(1);
  });

  test("between dialling and its handshake, its neighbours are accepted, and so is it when it continues", async () => {
    const table = new PeerTable();
    const node = await table.node(HOST);
    const stopped = await table.dial(HOST, node);
    await table.elapse(10_100);
    expect({ isClosed: stopped.isClosed, bans: node.peers.database.blacklisted() }).toEqual({
      isClosed: true,
      bans: [],
    });
    expect((await table.connect(HOST, node, { nonce: 2n })).isClosed).toBe(false);
    expect((await table.connect(HOST, node, { nonce: 1n })).isClosed).toBe(false);
  });

  test("while it owes an answer, it is not dialled for a minute but may connect", async () => {
    const table = new PeerTable();
    const came = await table.answer(HOST, 7001);
    const node = await table.node(HOST);
    const silent = await table.connect(HOST, node, { nonce: 1n, declaredAddress: at(7001) });
    const [peer] = node.peers.network.peers;
    peer.suspend("Timeout loading first requested block");
    await table.elapse(59_000);
    expect({ isClosed: silent.isClosed, came: came.length, bans: node.peers.database.blacklisted() }).toEqual(
      { isClosed: true, came: 0, bans: [] },
    );
    expect(node.peers.database.isSuspended(at(7001))).toBe(true);
    await table.elapse(10_000);
    expect(came.length).toBe(1);
    await answer(table, came, 1n);
    expect(node.peers.network.count).toBe(1);
  });
});

test("a remote node is banned for an incomplete handshake but not for silence", async () => {
  const table = new PeerTable();
  const node = await table.node("10.0.0.1");
  await table.dial("10.0.0.2", node);
  const begun = await table.dial("10.0.0.3", node);
  begun.write(encodeHandshake(handshakeOf()).subarray(0, 1));
  const whole = await table.dial("10.0.0.4", node);
  whole.write(concatBytes(encodeHandshake(handshakeOf()), encodeFrame({ type: "GetPeers" }).subarray(0, 3)));
  await table.elapse(10_100);
  expect(node.peers.database.blacklisted().map(({ host }) => host)).toEqual(["10.0.0.3"]);
  expect(whole.isClosed).toBe(false);
});
