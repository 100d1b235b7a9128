import { connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, test, vi } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import { apiError } from "../../http/errors.ts";
import { httpMetrics } from "../../http/metrics.ts";
import { type MetricDefinition, MetricsRegistry } from "../../runtime/metrics.ts";
import { UnavailableError } from "../../runtime/rpc.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { apiMetrics, MAX_FAMILIES, MAX_ROUTE_PATTERNS } from "../metrics.ts";
import { routes } from "../routes/all.ts";
import { fakeControl } from "../testing/control.ts";
import { bareServer } from "../testing/server.ts";
import { emptyBlock, fakeChain } from "../testing/snapshot.ts";

const open: FastifyInstance[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function counted(options: Parameters<typeof bareServer>[0] = {}) {
  const metrics = new MetricsRegistry();
  const server = await bareServer({ chain: fakeChain([emptyBlock(1)]), ...options, metrics });
  open.push(server);
  /** Returns the values of a metric above zero by their labels. */
  const values = ({ name }: MetricDefinition): Record<string, number> => {
    const samples = metrics.samples().find((metric) => metric.name === name)?.values ?? [];
    return Object.fromEntries(
      samples.flatMap(({ labels, value }) => (value === 0 ? [] : [[Object.values(labels).join(" "), value]])),
    );
  };
  /** Sends a request over a connection, because the counters are at the connection, and waits until it was counted. */
  const ask = async (path: string, method = "GET"): Promise<void> => {
    const before = total();
    await (await fetch(`${url}${path}`, { method, redirect: "manual" })).arrayBuffer();
    await vi.waitUntil(() => total() > before);
  };
  const total = (): number =>
    Object.values(values(apiMetrics.requests)).reduce((sum, count) => sum + count, 0);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return { server, url, ask, values, metrics };
}

describe("the metrics of requests", () => {
  test("have room for all routes and families", () => {
    // The pages of documentation and explorer, and requests without a route.
    const others = 12;
    expect(new Set(routes.map(({ path }) => path)).size).toBeLessThanOrEqual(MAX_ROUTE_PATTERNS - others);
    expect(new Set(routes.map(({ tag }) => tag)).size).toBeLessThanOrEqual(MAX_FAMILIES);
  });

  test("count answers by the pattern of the route, not by the path", async () => {
    const { ask, values } = await counted();
    for (const path of ["/blocks/at/1", "/blocks/at/2", "/blocks/height", "/index/hash/ff", "/hash/ff"])
      await ask(path);
    const counts = values(apiMetrics.requests);
    expect(Object.keys(counts).filter((key) => key.includes("ff"))).toEqual([]);
    expect(counts).toMatchObject({
      "/blocks/at/:height 2xx": 1,
      "/blocks/at/:height 4xx": 1,
      "/blocks/height 2xx": 1,
    });
    const hashes = Object.entries(counts).filter(([key]) => key.startsWith("/hash/:hash "));
    expect(hashes.map(([, count]) => count)).toEqual([2]);
  });

  test("count unknown paths, wrong methods, preflights and pages apart from the routes", async () => {
    const { ask, values } = await counted();
    await ask("/nothing/here");
    await ask("/blocks/height", "DELETE");
    await ask("/blocks/height", "OPTIONS");
    await ask("/api-docs/swagger.json");
    expect(values(apiMetrics.requests)).toEqual({
      "none 4xx": 2,
      "none 2xx": 1,
      "/api-docs/swagger.json 2xx": 1,
    });
  });

  test("record the duration once per request and family", async () => {
    const { ask, metrics } = await counted();
    await ask("/blocks/height");
    await ask("/blocks/at/1");
    const samples = metrics.samples().find(({ name }) => name === apiMetrics.duration.name)?.values ?? [];
    const counts = samples.filter(({ metricName }) => metricName?.endsWith("_count") === true);
    expect(
      counts.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.family, value]),
    ).toEqual([["blocks", 2]]);
  });
});

test("a request that waits for a commit is counted without its duration", async () => {
  const clock = new VirtualClock(0);
  const { url, values } = await counted({ clock });
  const answer = fetch(`${url}/transactions/info/${encodeBase58(new Uint8Array(32))}?wait=5000`);
  await vi.waitUntil(() => values(apiMetrics.commitWaits)[""] === 1);
  expect(values(httpMetrics.inFlight)).toEqual({ long_lived: 1 });
  clock.advance(5_000);
  await (await answer).arrayBuffer();
  await vi.waitUntil(() => values(apiMetrics.requests)["/transactions/info/:id 4xx"] === 1);
  expect(values(apiMetrics.duration)).toEqual({});
});

describe("the metrics of limits", () => {
  test("name the limit that refused a request", async () => {
    const { server, values } = await counted({
      info: { rateLimit: { requests: 3, windowMs: 60_000 }, maxBodyBytes: 10 },
    });
    const remoteAddress = "192.0.2.1";
    await server.inject({ url: "/utils/hash/fast", method: "POST", payload: "x".repeat(11), remoteAddress });
    for (let i = 0; i < 4; i++) await server.inject({ url: "/blocks/height", remoteAddress });
    expect(values(httpMetrics.limits)).toEqual({ body_size: 1, rate: 2 });
  });

  test("tell a busy queue of the node from a late answer", async () => {
    const errors = [
      new UnavailableError("busy"),
      new UnavailableError("late"),
      new UnavailableError("closing"),
    ];
    const control = fakeControl([], 84, {
      peers: {
        connected: async () => {
          throw errors.shift() ?? new Error("unexpected call");
        },
      },
    });
    const { server, values } = await counted({ control });
    for (let i = 0; i < 3; i++)
      expect((await server.inject({ url: "/peers/connected" })).statusCode).toBe(503);
    expect(values(httpMetrics.limits)).toEqual({ control_queue: 1, control_timeout: 1 });
  });

  test("count headers that are too long", async () => {
    const { url, values } = await counted();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`GET / HTTP/1.1\r\nHost: node\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);
    await vi.waitUntil(() => values(httpMetrics.limits).header_size === 1);
    socket.destroy();
  });

  test("name the limit of a read that a reader thread ended", async () => {
    const { server, values } = await counted({
      readerThreads: [
        {
          read: async () => {
            throw apiError("answerTooSlow", "reader_timeout");
          },
          cancel() {},
        },
      ],
    });
    expect((await server.inject({ url: "/blocks/seq/1/1" })).statusCode).toBe(503);
    expect(values(httpMetrics.limits)).toEqual({ reader_timeout: 1 });
  });
});

test("connections, requests in flight and abandoned requests are counted", async () => {
  const { url, values } = await counted({
    readerThreads: [{ read: () => new Promise(() => {}), cancel() {} }],
  });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("GET /blocks/seq/1/1 HTTP/1.1\r\nHost: node\r\n\r\n");
  await vi.waitUntil(() => values(httpMetrics.inFlight).short === 1);
  expect(values(httpMetrics.connections)).toEqual({ "": 1 });
  socket.destroy();
  await vi.waitUntil(() => values(httpMetrics.abandoned)[""] === 1);
  expect(values(httpMetrics.inFlight)).toEqual({});
  expect(values(httpMetrics.connections)).toEqual({});
});
