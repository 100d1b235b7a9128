import { connect } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { dev } from "../../profiles/index.ts";
import { gauge } from "../../runtime/metrics.ts";
import { systemClock } from "../../runtime/system.ts";
import { RecordingLog } from "../../testing/dev-node.ts";
import { settingsOf } from "../../testing/settings.ts";
import { createMetrics, type MetricsServer } from "./metrics-server.ts";

const open: MetricsServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const height = gauge("test_height", "Height.");

async function serve(port = 0, read: () => number = () => 5) {
  const { monitoring } = settingsOf(dev, { monitoring: { metricsPort: port, metricsHost: "127.0.0.1" } });
  const log = new RecordingLog();
  const { collector, serveMetrics } = createMetrics(monitoring, systemClock, log);
  collector.metrics.observe(height, read);
  const server = await serveMetrics?.();
  if (server === undefined) throw new Error("There is no metrics port");
  open.push(server);
  return { server, log };
}

test("metrics are off without a port", () => {
  const { collector, serveMetrics } = createMetrics(
    settingsOf(dev, {}).monitoring,
    systemClock,
    new RecordingLog(),
  );
  expect(collector.connect("reader")).toBeUndefined();
  expect(serveMetrics).toBeUndefined();
});

test("the port listens on loopback and answers GET and HEAD of /metrics only", async () => {
  const { server } = await serve();
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const response = await fetch(server.url);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await response.text();
  expect(text).toContain("test_height 5\n");
  expect(text).toContain('holdfast_thread_heap_bytes{thread="main",kind="limit"}');
  expect((await fetch(server.url, { method: "HEAD" })).status).toBe(200);
  expect((await fetch(server.url, { method: "POST" })).status).toBe(405);
  expect((await fetch(new URL("/", server.url))).status).toBe(404);
});

test("a port in use is refused with an error that names the setting", async () => {
  const { server } = await serve();
  const port = Number(new URL(server.url).port);
  await expect(serve(port)).rejects.toMatchObject({ code: "EADDRINUSE", setting: "metrics", port });
});

test("a source that fails is answered with 500 and logged", async () => {
  const { server, log } = await serve(0, () => {
    throw new Error("closed");
  });
  expect((await fetch(server.url)).status).toBe(500);
  expect(log.lines.map(({ message }) => message)).toEqual(["Collecting the metrics failed"]);
});

test("many requests at once are answered from one collection, and connections are limited", async () => {
  let collections = 0;
  const { server } = await serve(0, () => ++collections);
  const scrape = async (): Promise<boolean> => {
    try {
      return (await fetch(server.url, { headers: { connection: "close" } })).ok;
    } catch {
      // The server closes connections above its limit.
      return false;
    }
  };
  const answers = await Promise.all(Array.from({ length: 1_000 }, scrape));
  expect(answers).toContain(true);
  // The collection may be renewed after each second of the burst.
  expect(collections).toBeLessThan(100);
  expect(await scrape()).toBe(true);
});

test("requests of a scraper that reads no answer are not read without bound, and others are answered", async () => {
  const { server } = await serve();
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  // More than the buffers of the system hold.
  const chunk = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(5_000);
  const total = 200;
  let sent = 0;
  const send = (): void => {
    if (sent < total)
      socket.write(chunk, () => {
        sent++;
        send();
      });
  };
  send();
  let before = -1;
  for (let unchanged = 0; unchanged < 20; unchanged = sent === before ? unchanged + 1 : 0) {
    before = sent;
    expect((await fetch(server.url)).status).toBe(200);
  }
  expect(sent).toBeLessThan(total);
  socket.destroy();
});

test("connections above the limit are closed, and closing the port ends the others", async () => {
  const { server } = await serve();
  const { port } = new URL(server.url);
  let ended = 0;
  const connections = Array.from({ length: 64 }, (): Promise<void> => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    return new Promise((resolve) =>
      socket.once("close", () => {
        ended++;
        resolve();
      }),
    );
  });
  await vi.waitUntil(() => ended === 32, 30_000);
  await server.close();
  await Promise.all(connections);
});
