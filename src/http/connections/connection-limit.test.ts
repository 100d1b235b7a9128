import { EventEmitter, once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { answerControl } from "../../api/ports/control-port.ts";
import { serveOnPort } from "../../api/server/serve-on-port.ts";
import { fakeControl } from "../../api/testing/control.ts";
import { memoryLog, testInfo } from "../../api/testing/server.ts";
import { emptyBlock, fakeChain, fakeReader, fakeSnapshot } from "../../api/testing/snapshot.ts";
import { ipNetwork } from "../../bytes/ip.ts";
import { MetricsRegistry } from "../../runtime/metrics.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { HttpCounters, httpMetrics } from "../metrics.ts";
import { ConnectionLimit } from "./connection-limit.ts";
import { httpServer } from "./listener.ts";
import { RequestPipeline } from "./pipelining.ts";

/** Enough of a socket; nothing is read from it. */
class Connection extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function limited(total: number, proxies: string[] = [], counters = new HttpCounters()) {
  const networks = proxies.flatMap((text) => ipNetwork(text) ?? []);
  const limit = new ConnectionLimit(total, networks, counters);
  const lines = new RequestPipeline(() => {}, counters);
  const server = (): Server => {
    const one = createServer();
    one.removeAllListeners("connection");
    limit.watch(one, lines);
    return one;
  };
  const first = server();
  const connect = (address: string, at = first): Connection => {
    const connection = new Connection(address);
    at.emit("connection", connection);
    return connection;
  };
  /** A request arrives, complete unless it has a body. Returns functions that answer it and end its body. */
  const ask = (socket: Connection, headers: Record<string, string> = {}) => {
    const request = Object.assign(new EventEmitter(), { socket, headers });
    const response = new EventEmitter();
    lines.listener(request as unknown as IncomingMessage, response as never);
    return { answered: () => response.emit("close"), bodyEnded: () => request.emit("end") };
  };
  return { limit, connect, ask, first, server };
}

const standing = (connections: readonly Connection[]): number =>
  connections.filter(({ destroyed }) => !destroyed).length;
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe("a limit of connections", () => {
  it("applies to each origin except this machine, and counts open connections", () => {
    const { connect } = limited(1_024);
    const many = times(256, (i) => connect(`2001:db8::${i.toString(16)}`));
    expect(standing(many)).toBe(256);
    expect(connect("2001:db8::ffff").destroyed).toBe(true);
    expect(connect("2001:db8:0:1::1").destroyed).toBe(false);
    many[0].destroy();
    expect(connect("2001:db8::ffff").destroyed).toBe(false);
    expect(connect("2001:db8::ffff").destroyed).toBe(true);
    expect(standing(times(300, () => connect("127.0.0.1")))).toBe(300);
  });

  it("counts what it closes by the limit, and what is being answered", () => {
    const metrics = new MetricsRegistry();
    const { connect, ask, limit } = limited(40, [], new HttpCounters(metrics));
    const reached = () => {
      const samples = metrics.samples().find(({ name }) => name === httpMetrics.limits.name)?.values ?? [];
      return Object.fromEntries(
        samples.flatMap(({ labels, value }) => (value > 0 ? [[labels.limit, value]] : [])),
      );
    };
    // A quarter of all connections per origin.
    times(12, () => connect("192.0.2.1"));
    expect(reached()).toEqual({ connections_per_origin: 2 });
    times(33, (i) => connect(`127.0.0.${i + 1}`));
    expect(reached()).toEqual({ connections_per_origin: 2, connections: 3 });
    const local = connect("127.0.1.1");
    const { answered } = ask(local);
    expect(limit.answeringCount).toBe(1);
    for (let i = 0; i < 33; i++) ask(local);
    expect(reached()).toMatchObject({ pipelined_requests: 1 });
    answered();
  });

  it("applies to all servers together, with a second limit in Node a little above", () => {
    const { connect, limit, first, server } = limited(40);
    const admin = server();
    times(30, (i) => connect(`127.0.0.${i + 1}`));
    times(30, (i) => connect(`127.0.1.${i + 1}`, admin));
    expect(limit.count).toBe(40);
    expect(first.maxConnections).toBe(72);
    expect(admin.maxConnections).toBe(72);
  });

  it("accepts others while half-sent requests of sixty addresses fill all places", () => {
    const { connect, limit } = limited(100);
    const crowd = times(1_399, (i) => connect(`198.51.100.${i % 60}`));
    expect(limit.count).toBe(92);
    expect(standing(crowd)).toBe(92);
    const honest = connect("192.0.2.1");
    const health = connect("127.0.0.1");
    const more = times(300, (i) => connect(`198.51.100.${i % 60}`));
    expect(honest.destroyed).toBe(false);
    expect(health.destroyed).toBe(false);
    expect(standing(crowd) + standing(more)).toBe(91);
  });

  it("ends the longest wait of the origin with the most connections, no request that is being answered", () => {
    const { connect, ask } = limited(40);
    const big = times(10, () => connect("192.0.2.1"));
    const small = times(6, (i) => connect(`198.51.100.${i}`));
    const { answered } = ask(big[0]);
    const local = times(24, (i) => connect(`127.0.0.${i + 1}`));
    expect(standing([...big, ...small, ...local])).toBe(40);
    connect("127.0.1.1");
    expect(big.map(({ destroyed }) => destroyed).indexOf(true)).toBe(1);
    answered();
    connect("127.0.1.2");
    // The answered connection waits since then, the others since before.
    expect(big[0].destroyed).toBe(false);
    expect(big[2].destroyed).toBe(true);
  });

  it("counts a missing body as waiting, and ignores one that comes late", () => {
    const { connect, ask } = limited(16);
    const slow = times(4, () => connect("192.0.2.1"));
    const [first] = slow.map((one) => ask(one, { "content-length": "10" }));
    const local = times(12, (i) => connect(`127.0.0.${i + 1}`));
    first.bodyEnded();
    connect("127.0.1.1");
    expect(slow.map(({ destroyed }) => destroyed)).toEqual([false, true, false, false]);
    first.answered();
    first.bodyEnded();
    // It waits for its next request, after the two others.
    times(2, (i) => connect(`127.0.2.${i}`));
    expect(slow.map(({ destroyed }) => destroyed)).toEqual([false, true, true, true]);
    expect(standing(local)).toBe(12);
  });

  it("counts a missing pipelined body as waiting", () => {
    const { connect, ask } = limited(16);
    const four = times(4, () => connect("192.0.2.1"));
    const [, , , { answered }] = four.map((one) => ask(one));
    ask(four[3], { "content-length": "10" });
    answered();
    times(13, (i) => connect(`127.0.0.${i + 1}`));
    expect(four.map(({ destroyed }) => destroyed)).toEqual([false, false, false, true]);
  });

  it("refuses a new connection if all others are being answered, one of each origin, but not one of this machine", () => {
    const { connect, ask, limit } = limited(40);
    const working = times(40, (i) => connect(`198.51.100.${i}`));
    for (const one of working.filter(({ destroyed }) => !destroyed)) ask(one);
    expect(limit.count).toBe(32);
    expect(connect("192.0.2.1").destroyed).toBe(true);
    expect(connect("127.0.0.1").destroyed).toBe(false);
    expect(limit.count).toBe(33);
  });

  it("accepts a new client while slow readers from four addresses have all places", () => {
    const { connect, ask } = limited(1_024);
    const slow = times(1_024, (i) => connect(`198.51.100.${i % 4}`));
    for (const one of slow) if (!one.destroyed) ask(one);
    const honest = times(100, (i) => connect(`192.0.2.${i}`));
    // Connections without a request share one place in sixteen; the slowest answers made room for them.
    expect(standing(honest)).toBe(64);
    expect(honest[35].destroyed).toBe(true);
    expect(honest[36].destroyed).toBe(false);
    expect(standing(slow)).toEqual(1_016 - 64);
    expect(slow[0].destroyed).toBe(true);
    expect(slow[1_015].destroyed).toBe(false);
    for (const one of honest) if (!one.destroyed) ask(one);
    const next = connect("203.0.113.1");
    expect(next.destroyed).toBe(false);
    expect(standing(honest)).toBe(64);
    expect(standing(slow)).toEqual(1_016 - 65);
  });

  it("accepts a new client while seven clients have event streams, waits for commits and delayed answers", () => {
    const { connect, ask, limit } = limited(1_024);
    const held = times(7 * 216, (i) => connect(`198.51.100.${i % 7}`));
    for (const one of held) {
      if (one.destroyed) continue;
      ask(one);
      if (limit.hasLongLivedRoom) limit.addLongLived(one as unknown as Socket);
    }
    expect(standing(held)).toBe(1_016);
    expect(connect("192.0.2.1").destroyed).toBe(false);
    expect(standing(held)).toBe(1_015);
    expect(held[0].destroyed).toBe(true);
  });

  it("ends long-lived answers before others, and only of an origin with more connections than the new one", () => {
    const { connect, ask, limit } = limited(40);
    const big = times(10, () => connect("192.0.2.1"));
    const first = big.map((one) => ask(one));
    const [stream] = big.splice(5, 1);
    const release = limit.addLongLived(stream as unknown as Socket);
    const small = times(22, (i) => connect(`198.51.100.${i % 11}`));
    for (const one of small) ask(one);
    expect(connect("203.0.113.1").destroyed).toBe(false);
    expect(stream.destroyed).toBe(true);
    expect(standing(big)).toBe(9);
    // A stream that ends after its connection was evicted does not free its place twice.
    release();
    first.splice(5, 1);
    for (const { answered } of first) answered();
    for (const one of big) ask(one);
    for (let i = 0; i < 10; i++) ask(connect("203.0.113.1"));
    expect(standing(big)).toBe(5);
    expect(standing(small)).toBe(22);
    expect(limit.count).toBe(32);
  });

  it("always accepts this machine while others are being answered", () => {
    const { connect, ask } = limited(40);
    const working = times(32, (i) => connect(`198.51.100.${i}`));
    for (const one of working) ask(one);
    const local = times(12, () => connect("127.0.0.1"));
    for (const one of local) ask(one);
    expect(standing(local)).toBe(12);
    expect(standing(working)).toBe(28);
  });

  it("ends connections of trusted proxies and of this machine last", () => {
    const { connect } = limited(40, ["192.0.2.0/24"]);
    const proxied = times(20, () => connect("192.0.2.7"));
    const local = times(12, () => connect("127.0.0.1"));
    const crowd = times(200, (i) => connect(`198.51.100.${i % 60}`));
    expect(standing(proxied)).toBe(20);
    expect(standing(local)).toBe(12);
    expect(standing(crowd)).toBe(0);
  });

  it("gives long-lived answers at most three of four places", () => {
    const { connect, ask, limit } = limited(1_024, ["192.0.2.1"]);
    const held = times(768, () => {
      const one = connect("192.0.2.1");
      ask(one);
      return limit.addLongLived(one as unknown as Socket);
    });
    expect(limit.hasLongLivedRoom).toBe(false);
    held[0]();
    expect(limit.hasLongLivedRoom).toBe(true);
  });

  it("scales other limits to the number of connections", () => {
    expect(new ConnectionLimit().scaled(600)).toBe(600);
    expect(new ConnectionLimit(64).scaled(600)).toBe(37);
  });

  it("ends a connection without the head of a request after 15 s", () => {
    const server = httpServer(() => {}, new ConnectionLimit(), new VirtualClock(0));
    expect(server.headersTimeout).toBe(15_000);
    expect(server.requestTimeout).toBe(60_000);
  });
});

describe("a server with few places", () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function serving() {
    const control = new MessageChannel();
    const events = new MessageChannel();
    const clock = new VirtualClock(1_000);
    const info = testInfo({ maxConnections: 64 });
    answerControl(control.port1, fakeControl([], info.network.chainId), clock);
    const api = await serveOnPort({
      port: control.port2,
      events: events.port2,
      reader: fakeReader(fakeSnapshot(fakeChain([emptyBlock(1), emptyBlock(2)]))),
      info,
      clock,
      log: memoryLog(),
      host: "127.0.0.1",
      apiPort: 0,
    });
    const sockets: { destroy(): unknown }[] = [];
    closing.push(async () => {
      for (const socket of sockets) socket.destroy();
      await api.close();
      control.port1.close();
      events.port1.close();
    });
    return { api, sockets, url: `http://127.0.0.1:${api.apiPort}` };
  }

  it("answers plain requests while event streams, waits for commits and wrong keys have all of theirs", async () => {
    const { sockets, url } = await serving();
    const ask = (path: string): Promise<number | undefined> =>
      new Promise((resolve) => {
        const client = get(url + path, { agent: false }, (answer) => resolve(answer.statusCode));
        client.on("error", () => resolve(undefined));
        sockets.push(client);
      });
    const streams = await Promise.all(times(37, () => ask("/events")));
    expect(new Set(streams)).toEqual(new Set([200]));
    // All three may have 48 of 64 places: eleven wait, and the twelfth is refused.
    expect(await Promise.race(times(12, () => ask("/transactions/info/2?wait=20000")))).toBe(503);
    expect(await ask("/events")).toBe(503);
    const headers = { "x-api-key": "wrong" };
    const guesses: number[] = [];
    for (let i = 0; i < 11; i++) guesses.push((await fetch(`${url}/debug/info`, { headers })).status);
    expect(guesses).toEqual([...Array<number>(10).fill(403), 429]);
    expect(await ask("/blocks/height")).toBe(200);
  });

  it("answers others while half-sent requests of sixty addresses fill it", async () => {
    const { api, sockets, url } = await serving();
    const half = async (i: number): Promise<void> => {
      const socket = connect({
        host: "127.0.0.1",
        port: api.apiPort,
        localAddress: `127.0.0.${(i % 60) + 2}`,
      });
      sockets.push(socket);
      socket.on("error", () => {});
      await once(socket, "connect");
      socket.write("GET /blocks/height HTTP/1.1\r\nHost: x\r\n");
    };
    for (let i = 0; i < 200; i += 20) await Promise.all(times(20, (j) => half(i + j)));
    for (let round = 0; round < 5; round++) {
      const answer = await fetch(`${url}/blocks/height`);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ height: 2 });
    }
  });
});
