import { type IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { MessageChannel } from "node:worker_threads";
import type { FastifyInstance } from "fastify";
import { afterEach, expect, test } from "vitest";
import { serveOnPort } from "../../api/server/serve-on-port.ts";
import { createServer } from "../../api/server/server.ts";
import { fakeControl } from "../../api/testing/control.ts";
import { memoryLog, testInfo } from "../../api/testing/server.ts";
import { fakeReader, fakeSnapshot } from "../../api/testing/snapshot.ts";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { dev } from "../../profiles/index.ts";
import { MetricsRegistry } from "../../runtime/metrics.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { HttpCounters, httpMetrics, type RequestLimit } from "../metrics.ts";
import { ResponseBackpressure } from "./backpressure.ts";

const MIB = 2 ** 20;
const address = addressText(addressOf(new Uint8Array(32), dev.chainId));
const request = `GET /addresses/data/${address}/k HTTP/1.1\r\nHost: localhost\r\n\r\n`;

const open: { readonly server: FastifyInstance; readonly clients: Socket[] }[] = [];
afterEach(async () => {
  for (const { server, clients } of open.splice(0)) {
    for (const client of clients) client.destroy();
    await server.close();
  }
});

/** A server with a route that returns data of this size. Parsing a request takes time. */
async function serving(answerBytes: number, limits: { unreadBytes?: number } = {}, requestMs = 0) {
  const clock = new VirtualClock(0);
  const metrics = new MetricsRegistry();
  const backpressure = new ResponseBackpressure(
    clock,
    { unreadBytes: 64 * MIB, stallMs: 30_000, ...limits },
    new HttpCounters(metrics),
  );
  let [asked, states] = [0, 0];
  const entry = { key: "k", type: "string", value: "v".repeat(answerBytes) } as const;
  const dataEntry = () => {
    asked++;
    return entry;
  };
  const server = await createServer({
    // Each read has another state of the chain, so no answer is cached.
    reader: fakeReader(fakeSnapshot({ accounts: { dataEntry }, state: () => String(states++) })),
    control: fakeControl([], dev.chainId),
    events: { onCommit: () => () => {} },
    info: testInfo(),
    clock,
    log: memoryLog(),
    backpressure,
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const clients: Socket[] = [];
  open.push({ server, clients });
  /** A client that sends, but reads only on command. */
  const client = (sent: string): Socket => {
    const socket = connect(port, "127.0.0.1", () => socket.write(sent));
    socket.pause();
    // The system may report the broken connection.
    socket.on("error", () => {});
    clients.push(socket);
    return socket;
  };
  let [connections, parsed] = [0, 0];
  server.server.on("connection", () => connections++);
  server.server.on("request", () => {
    parsed++;
    clock.advance(requestMs);
  });
  const counts = { asked: () => asked, parsed: () => parsed, connections: () => connections };
  /** Returns how often a limit was reached. */
  const reached = (limit: RequestLimit): number | undefined =>
    metrics
      .samples()
      .find(({ name }) => name === httpMetrics.limits.name)
      ?.values.find(({ labels }) => labels.limit === limit)?.value;
  return { clock, backpressure, client, reached, ...counts };
}

/** Waits for a condition. */
async function until(so: () => boolean): Promise<void> {
  while (!so()) await new Promise((resolve) => setImmediate(resolve));
}

function closedOf(clients: readonly Socket[]): () => number {
  let closed = 0;
  for (const client of clients) {
    // Only a client that reads notices the end.
    client.on("close", () => closed++);
  }
  return () => closed;
}

test("bounds the memory of unread answers, and releases it on disconnect", async () => {
  const { backpressure, client, asked, reached } = await serving(6 * MIB, { unreadBytes: 20 * MIB });
  let most = 0;
  const clients = Array.from({ length: 12 }, () => client(request));
  await until(() => {
    most = Math.max(most, backpressure.bytes);
    return asked() === clients.length && backpressure.bytes <= 20 * MIB;
  });
  expect(backpressure.bytes).toBeGreaterThan(6 * MIB);
  expect(reached("unread_bytes")).toBeGreaterThan(0);
  expect(reached("read_timeout")).toBe(0);
  // One answer is made before any connection is ended for it.
  expect(most).toBeLessThan(60 * MIB);
  for (const one of clients) one.destroy();
  await until(() => backpressure.bytes === 0);
  const reader = client(request);
  reader.resume();
  await until(() => reader.bytesRead > 6 * MIB);
});

test("ends a connection that reads nothing, but not one that reads slowly", async () => {
  const { clock, backpressure, client, reached } = await serving(24 * MIB);
  const [deaf, slow] = [client(request), client(request)];
  await until(() => backpressure.bytes > 48 * MIB);
  slow.on("readable", () => {});
  // A MiB every few seconds: more than system buffers hide.
  for (let due = MIB, read = 0; read < 24 * MIB; due += MIB) {
    await until(() => {
      read += (slow.read() as Buffer | null)?.length ?? 0;
      return read >= Math.min(due, 24 * MIB);
    });
    clock.advance(7_500);
  }
  await until(() => backpressure.bytes === 0);
  expect(reached("read_timeout")).toBe(1);
  expect(slow.destroyed).toBe(false);
  const closed = closedOf([deaf]);
  deaf.resume();
  await until(() => closed() === 1);
  expect(deaf.bytesRead).toBeLessThan(24 * MIB);
});

test("answers pipelined requests one by one", async () => {
  const { backpressure, client, asked } = await serving(20_000);
  const modest = client(request.repeat(600));
  let most = 0;
  modest.on("data", () => {
    most = Math.max(most, backpressure.bytes);
  });
  modest.resume();
  await until(() => modest.bytesRead > 600 * 20_000);
  expect(asked()).toBe(600);
  expect(most).toBeLessThanOrEqual(20_200);
});

test("refuses a flood of requests before reading all of it", async () => {
  const { client, parsed } = await serving(10);
  const flood = client("GET / HTTP/1.1\r\nHost:a\r\n\r\n".repeat(20_000));
  const closed = closedOf([flood]);
  flood.resume();
  await until(() => closed() === 1);
  // 64 KiB, as Node reads at once, hold 2,500 requests.
  expect(parsed()).toBeLessThan(100);
  expect(parsed()).toBeGreaterThan(32);
});

test("parses simultaneous requests of many connections in several turns, and answers all", async () => {
  const { client, parsed, connections } = await serving(10, {}, 1);
  const clients = Array.from({ length: 200 }, () => client(""));
  let answered = 0;
  for (const one of clients) one.on("data", () => answered++);
  await until(() => connections() === clients.length);
  for (const one of clients) one.resume().write(request);
  let most = 0;
  for (let before = 0; answered < clients.length; before = parsed()) {
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, parsed() - before);
  }
  expect(parsed()).toBe(clients.length);
  expect(most).toBeLessThan(80);
});

test("assembles requests that arrive in many chunks", async () => {
  const { client, asked } = await serving(10);
  const head = `GET /addresses/data/${address}/k HTTP/1.1\r\nHost: localhost\r\n`;
  const long = `${head}X: ${"x".repeat(7_000)}\r\n\r\n`;
  const body = `${head}Content-Length: 500000\r\n\r\n${"y".repeat(500_000)}`;
  const patient = client(long + body + long + request);
  patient.resume();
  await until(() => asked() === 4);
});

test("keeps only one answer for a client that pipelines but does not read", async () => {
  const { backpressure, client, asked } = await serving(24 * MIB);
  const deaf = client(request.repeat(10));
  await until(() => backpressure.bytes > 24 * MIB);
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(asked()).toBe(1);
  expect(backpressure.bytes).toBeLessThan(25 * MIB);
  deaf.resume();
  await until(() => deaf.bytesRead > 48 * MIB);
  deaf.destroy();
});

test("waits some seconds for unread answers when the server closes, not forever", async () => {
  const clock = new VirtualClock(0);
  let [asked, states] = [0, 0];
  const dataEntry = () => {
    asked++;
    return { key: "k", type: "string", value: "v".repeat(16 * MIB) } as const;
  };
  const ports = [new MessageChannel(), new MessageChannel()];
  const api = await serveOnPort({
    port: ports[0].port1,
    events: ports[1].port1,
    // Each read has another state of the chain, so no answer is cached.
    reader: fakeReader(fakeSnapshot({ accounts: { dataEntry }, state: () => String(states++) })),
    info: testInfo(),
    clock,
    log: memoryLog(),
    host: "127.0.0.1",
    apiPort: 0,
  });
  const deaf = connect(api.apiPort, "127.0.0.1", () => deaf.write(request));
  deaf.pause();
  deaf.on("error", () => {});
  await until(() => asked > 0);
  const closed = api.close();
  clock.advance(4_999);
  expect(await Promise.race([closed, new Promise((resolve) => setImmediate(resolve, "open"))])).toBe("open");
  clock.advance(1);
  await closed;
  deaf.destroy();
  for (const { port1 } of ports) port1.close();
});

/** A response to a request on this socket. */
function responseOn(socket: object): ServerResponse<IncomingMessage> {
  // Only these properties of the request are used.
  return new ServerResponse({ method: "GET", socket } as IncomingMessage);
}

test("starts no timer after it is closed, which would keep the thread alive", () => {
  const clock = new VirtualClock(0);
  const backpressure = new ResponseBackpressure(clock);
  backpressure.track(responseOn(new Socket()), 1);
  expect(clock.pending).toBe(1);
  backpressure.close();
  expect(clock.pending).toBe(0);
  backpressure.track(responseOn(new Socket()), 1);
  expect(clock.pending).toBe(0);
});

test("counts no answer that the server gives to itself, because its socket never closes", async () => {
  const { clock, backpressure } = await serving(10);
  const [{ server }] = open;
  const { statusCode } = await server.inject(`/addresses/data/${address}/k`);
  expect(statusCode).toBe(200);
  expect(backpressure.bytes).toBe(0);
  clock.advance(7_500);
  clock.advance(7_500);
  expect(clock.pending).toBe(0);
});
