/** Which connections stay when there are more clients than places. */
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { ipNetwork } from "../../bytes/ip.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { controlOf } from "../testing/control.ts";
import { keptLog, testInfo } from "../testing/server.ts";
import { chainOf, emptyBlock, readerOf, snapshotOf } from "../testing/snapshot.ts";
import { ConnectionLimit } from "./connection-limit.ts";
import { answerControl } from "./control-port.ts";
import { httpServer } from "./listener.ts";
import { RequestLines } from "./one-at-a-time.ts";
import { serveOnPort } from "./serve-on-port.ts";

/** A stand-in for a socket from which nothing is read. */
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

function limited(total: number, proxies: string[] = []) {
  const networks = proxies.flatMap((text) => ipNetwork(text) ?? []);
  const limit = new ConnectionLimit(total, networks);
  const lines = new RequestLines(() => {});
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
  /** A request on it has arrived, whole unless it has a body; what answers it and what ends the body. */
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
  it("applies to each origin but loopback, and counts open connections only", () => {
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

  it("is shared by all servers, with a limit of Node.js a little above it", () => {
    const { connect, limit, first, server } = limited(40);
    const admin = server();
    times(30, (i) => connect(`127.0.0.${i + 1}`));
    times(30, (i) => connect(`127.0.1.${i + 1}`, admin));
    expect({ count: limit.count, first: first.maxConnections, admin: admin.maxConnections }).toEqual({
      count: 40,
      first: 72,
      admin: 72,
    });
  });

  it("lets honest clients in while sixty addresses hold half-sent requests", () => {
    const { connect, limit } = limited(100);
    const crowd = times(1_399, (i) => connect(`127.0.0.${(i % 60) + 2}`));
    expect({ count: limit.count, crowd: standing(crowd) }).toEqual({ count: 100, crowd: 100 });
    const honest = connect("192.0.2.1");
    const health = connect("127.0.0.1");
    const more = times(300, (i) => connect(`127.0.0.${(i % 60) + 2}`));
    expect({
      isHonestEnded: honest.destroyed,
      isHealthEnded: health.destroyed,
      others: standing(crowd) + standing(more),
    }).toEqual({ isHonestEnded: false, isHealthEnded: false, others: 98 });
  });

  it("ends the longest wait of the origin with most connections, never one that is being answered", () => {
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
    // What was answered waits since then, and the others since before.
    expect({ isFirstEnded: big[0].destroyed, isThirdEnded: big[2].destroyed }).toEqual({
      isFirstEnded: false,
      isThirdEnded: true,
    });
  });

  it("counts a missing body as a wait, and ignores the rest of a body after its answer", () => {
    const { connect, ask } = limited(16);
    const slow = times(4, () => connect("192.0.2.1"));
    const [first] = slow.map((one) => ask(one, { "content-length": "10" }));
    const local = times(12, (i) => connect(`127.0.0.${i + 1}`));
    first.bodyEnded();
    connect("127.0.1.1");
    expect(slow.map(({ destroyed }) => destroyed)).toEqual([false, true, false, false]);
    first.answered();
    first.bodyEnded();
    // It waits for its next request, behind the two others.
    times(2, (i) => connect(`127.0.2.${i}`));
    expect(slow.map(({ destroyed }) => destroyed)).toEqual([false, true, true, true]);
    expect(standing(local)).toBe(12);
  });

  it("refuses a new connection while all others are being answered, but reserves places for loopback", () => {
    const { connect, ask, limit } = limited(40);
    const working = times(40, (i) => connect(`198.51.100.${i}`));
    for (const one of working.filter(({ destroyed }) => !destroyed)) ask(one);
    expect(limit.count).toBe(32);
    expect(connect("192.0.2.1").destroyed).toBe(true);
    expect(connect("127.0.0.1").destroyed).toBe(false);
    expect(limit.count).toBe(33);
  });

  it("ends connections of trusted proxies last", () => {
    const { connect } = limited(40, ["192.0.2.0/24"]);
    const proxied = times(30, () => connect("192.0.2.7"));
    const local = times(10, (i) => connect(`127.0.0.${i + 1}`));
    expect(connect("127.0.1.1").destroyed).toBe(false);
    expect({ proxied: standing(proxied), local: standing(local) }).toEqual({ proxied: 30, local: 9 });
  });

  it("scales the limit of event readers, so that requests keep places", () => {
    expect(new ConnectionLimit().scaled(600)).toBe(600);
    expect(new ConnectionLimit(64).scaled(600)).toBe(37);
  });

  it("ends a connection that does not send the head of a request within 15 s", () => {
    const server = httpServer(() => {}, new ConnectionLimit(), new VirtualClock(0));
    expect({ headersTimeout: server.headersTimeout, requestTimeout: server.requestTimeout }).toEqual({
      headersTimeout: 15_000,
      requestTimeout: 60_000,
    });
  });
});

describe("a server with few places", () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  it("answers other clients while sixty addresses fill it with half-sent requests", async () => {
    const control = new MessageChannel();
    const events = new MessageChannel();
    const clock = new VirtualClock(1_000);
    const info = testInfo({ maxConnections: 64 });
    answerControl(control.port1, controlOf([], info.network.chainId), clock);
    const api = await serveOnPort({
      port: control.port2,
      events: events.port2,
      reader: readerOf(snapshotOf(chainOf([emptyBlock(1), emptyBlock(2)]))),
      info,
      clock,
      log: keptLog(),
      host: "127.0.0.1",
      apiPort: 0,
    });
    const sockets: Socket[] = [];
    closing.push(async () => {
      for (const socket of sockets) socket.destroy();
      await api.close();
      control.port1.close();
      events.port1.close();
    });
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
      const answer = await fetch(`http://127.0.0.1:${api.apiPort}/blocks/height`);
      expect({ status: answer.status, body: await answer.json() }).toEqual({
        status: 200,
        body: { height: 2 },
      });
    }
  });
});
