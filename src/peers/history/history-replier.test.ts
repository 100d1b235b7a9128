/** Answers to peers: content, amount and timing. Page 04 §12, §25. */
import { describe, expect, test } from "vitest";
import { RecordingLog } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ScriptedNetwork, type ScriptedPeer } from "../testing/scripted-network.ts";
import type { History } from "./chain-history.ts";
import { HistoryReplier } from "./history-replier.ts";

/** Returns an id of 64 bytes. */
function idOf(number: number): Uint8Array {
  const id = new Uint8Array(64);
  new DataView(id.buffer).setUint32(60, number);
  return id;
}

function open(answers: Partial<History> = {}) {
  const clock = new VirtualClock(0);
  const network = new ScriptedNetwork();
  const log = new RecordingLog();
  const history: History = {
    idsAfter: (ids) => [...ids],
    block: (id) => id.slice(),
    microBlock: (id) => id.slice(),
    ...answers,
  };
  const replier = new HistoryReplier({ network, history, clock, log });
  const ask = (peer: ScriptedPeer, numbers: Iterable<number>): void => {
    for (const number of numbers) void peer.says({ type: "GetBlock", id: idOf(number) });
  };
  return { clock, network, log, replier, ask };
}

/** Returns the last bytes of each answer. */
function numbersOf(peer: ScriptedPeer): number[] {
  return peer.take().map((message) => {
    const bytes = "bytes" in message ? message.bytes : "ids" in message ? message.ids[0] : idOf(0);
    return new DataView(bytes.buffer, bytes.byteOffset).getUint32(60);
  });
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

test("answers each peer in its order and peers round-robin", () => {
  const { clock, network, ask } = open();
  const [one, two] = [network.connect("203.0.113.1"), network.connect("203.0.113.2")];
  ask(one, range(0, 40));
  ask(two, range(50, 52));
  clock.step();
  expect(numbersOf(one)).toEqual(range(0, 30));
  expect(numbersOf(two)).toEqual([50, 51]);
  clock.step();
  expect(numbersOf(one)).toEqual(range(30, 40));
  clock.advance(0);
  expect(clock.pending).toBe(0);
});

test("drops requests above one burst of a reference node", () => {
  const { clock, network, ask } = open();
  const peer = network.connect();
  ask(peer, range(0, 300));
  const asking = { type: "GetSignatures", ids: [idOf(1)] } as const;
  void peer.says(asking);
  void peer.says(asking);
  for (let i = 0; i < 30; i++) void peer.says({ type: "MicroBlockRequest", id: idOf(i) });
  clock.advance(0);
  const count = { Block: 0, Signatures: 0, MicroBlockResponse: 0 };
  for (const { type } of peer.take()) if (type in count) count[type as keyof typeof count]++;
  expect(count).toEqual({ Block: 200, Signatures: 1, MicroBlockResponse: 20 });
  // Answers make room for further requests.
  void peer.says(asking);
  ask(peer, [7]);
  clock.advance(0);
  expect(numbersOf(peer)).toEqual([1, 7]);
});

test("stops answering a peer that does not read, without blocking others", async () => {
  const { clock, network, ask } = open();
  const [slow, other] = [network.connect("203.0.113.1"), network.connect("203.0.113.2")];
  let read = (): void => {};
  slow.drained = () =>
    new Promise((resolve) => {
      read = resolve;
    });
  slow.pendingBytes = 2_000_000;
  ask(slow, range(0, 5));
  ask(other, range(10, 15));
  clock.advance(60_000);
  expect(numbersOf(slow)).toEqual([0]);
  expect(numbersOf(other)).toEqual(range(10, 15));
  slow.pendingBytes = 0;
  read();
  await Promise.resolve();
  clock.advance(0);
  expect(numbersOf(slow)).toEqual(range(1, 5));
});

test("makes a peer over its budget wait, also on a new connection", () => {
  const mebibyte = new Uint8Array(2 ** 20);
  const { clock, network, ask } = open({ block: () => mebibyte });
  const peer = network.connect("203.0.113.1");
  ask(peer, range(0, 200));
  clock.advance(0);
  const burst = peer.take().length;
  expect(burst).toBeGreaterThan(60);
  expect(burst).toBeLessThan(70);
  clock.advance(1_000);
  expect(peer.take().length).toBeLessThan(20);
  peer.leaves();
  const again = network.connect("203.0.113.1");
  ask(again, range(0, 200));
  clock.advance(1_000);
  expect(again.take().length).toBeLessThan(20);
  const other = network.connect("203.0.113.2");
  ask(other, range(0, 10));
  clock.advance(0);
  expect(other.take()).toHaveLength(10);
});

describe("the ids of GetSignatures", () => {
  /** A chain of blocks 0 to `length` that counts row lookups. */
  function chainOf(length: number) {
    const rows = { count: 0 };
    const idsAfter = (ids: readonly Uint8Array[]): Uint8Array[] => {
      for (const id of ids) {
        rows.count++;
        const number = new DataView(id.buffer).getUint32(60);
        if (number >= length) continue;
        const behind = range(number, Math.min(length, number + 101));
        rows.count += behind.length;
        return [id, ...behind.map(idOf)];
      }
      return [];
    };
    return { ...open({ idsAfter }), rows };
  }
  const signatures = (peer: ScriptedPeer) =>
    peer.take().flatMap((message) => (message.type === "Signatures" ? [message.ids] : []));

  test.each([
    ["that nobody knows", range(1_000_000, 1_000_200)],
    ["with a chain behind them", [0]],
    ["of which the last is known", [...range(1_000_000, 1_000_199), 0]],
  ])("%s are charged one by one to the origin, while others are answered at once", (_, numbers) => {
    const { clock, network, rows } = chainOf(10_000);
    const attackers = [1, 2, 3].map((i) => network.connect(`2001:db8::${i}`));
    const ids = numbers.map(idOf);
    const SECONDS = 3;
    for (let i = 0; i < 20 * SECONDS; i++) {
      for (let again = 0; again < 3; again++) {
        for (const peer of attackers) void peer.says({ type: "GetSignatures", ids });
        clock.advance(0);
      }
      clock.advance(50);
    }
    // 64 MiB at once and 16 MiB per second, 4 KiB each, and the last answers.
    const most = (64 + 16 * SECONDS) * 256;
    expect(rows.count).toBeLessThan(most + 3 * 302);
    expect(rows.count).toBeGreaterThan(0.8 * most);
    const honest = network.connect("2001:db8:0:1::1");
    void honest.says({ type: "GetSignatures", ids: [idOf(5_000)] });
    clock.advance(100);
    expect(signatures(honest).map(({ length }) => length)).toEqual([102]);
  });

  test("do not slow down a node that syncs a thousand blocks a second, with 200 ids in each request", () => {
    const { clock, network, ask } = chainOf(100_000);
    const peer = network.connect();
    for (let height = 0; height < 12_000; height += 100) {
      // Ids of blocks that it has not applied yet, and its own older ones.
      const ids = range(0, 200).map((i) => idOf(Math.max(0, height - i)));
      void peer.says({ type: "GetSignatures", ids });
      clock.advance(0);
      expect(signatures(peer).map(({ length }) => length)).toEqual([102]);
      ask(peer, range(height + 1, height + 101));
      while (clock.step(clock.monotonic()));
      expect(peer.take()).toHaveLength(100);
      clock.advance(100);
    }
  });
});

test("answers nothing for unknown blocks, but an empty list for unknown ids", () => {
  const { clock, network, ask } = open({
    block: () => undefined,
    microBlock: () => undefined,
    idsAfter: () => [],
  });
  const peer = network.connect();
  ask(peer, [1]);
  void peer.says({ type: "MicroBlockRequest", id: idOf(1) });
  void peer.says({ type: "GetSignatures", ids: [idOf(1)] });
  clock.advance(0);
  expect(peer.take()).toEqual([{ type: "Signatures", ids: [] }]);
});

test("limits a fault to one request", () => {
  const { clock, network, ask, log } = open({
    block: (id) => {
      if (id[63] === 1) throw new Error("the disk is broken");
      return id;
    },
  });
  const peer = network.connect();
  ask(peer, [1, 2]);
  clock.advance(0);
  expect(numbersOf(peer)).toEqual([2]);
  expect(log.lines.map(({ level }) => level)).toEqual(["error"]);
});

test("forgets a peer that disconnects, and all peers at the end", () => {
  const { clock, network, replier, ask } = open();
  const [one, two] = [network.connect(), network.connect()];
  ask(one, [1]);
  ask(two, [2]);
  one.leaves();
  replier.end();
  ask(two, [3]);
  clock.advance(1_000);
  expect([one.sent, two.sent]).toEqual([[], []]);
});

test("closes only that connection after a fault while waiting for a slow reader", async () => {
  const { clock, network, ask, log } = open();
  const [one, two] = [network.connect("203.0.113.1"), network.connect("203.0.113.2")];
  one.pendingBytes = 2 ** 21;
  one.drained = () => Promise.reject(new TypeError("broken"));
  ask(one, [1, 2]);
  ask(two, [3, 4]);
  clock.advance(0);
  for (let i = 0; i < 10; i++) await Promise.resolve();
  clock.advance(0);
  expect(one.parting?.kind).toBe("closed");
  expect(two.isClosed).toBe(false);
  expect(numbersOf(two)).toEqual([3, 4]);
  expect(log.lines.filter(({ level }) => level === "error").length).toBe(1);
});
