/** A server with a fake chain forwards requests to real servers on this machine. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../../interfaces.ts";
import { systemClock } from "../../runtime/system.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { FollowingInfo } from "../info.ts";
import { API_KEY, bareServer } from "../testing/server.ts";
import { emptyBlock } from "../testing/snapshot.ts";
import { FollowState } from "./follow-state.ts";

const running: { close(): Promise<unknown> | unknown }[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

interface Source {
  readonly url: string;
  readonly received: Received[];
}

/** Starts a source that answers with `status`, or closes the connection if it is undefined. */
async function startSource(
  status: number | undefined,
  headers: Record<string, string> = {},
): Promise<Source> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      received.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
      if (status === undefined) return void request.socket.destroy();
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(`{"from":"source"}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  running.push({ close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** URL of a port on which no server listens. */
async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function follower(
  sources: readonly string[],
  more: Partial<FollowingInfo> = {},
  clock: Clock = systemClock,
) {
  const state = new FollowState();
  state.caughtUp(clock.monotonic());
  const following: FollowingInfo = {
    sources,
    forwardsKeyRoutes: true,
    maxLagMs: 10_000,
    whenStale: "answer",
    state: state.shared,
    ...more,
  };
  // No hash is on the chain.
  const chain = { anchors: { first: () => undefined } };
  const blocks = { at: (height: number) => emptyBlock(height) };
  const server = await bareServer({
    info: { following, rollbackDepth: 2 },
    chain: { ...chain, blocks, height: () => 7 },
    clock,
  });
  running.push(server);
  return { server, state };
}

const BROADCAST = { method: "POST", url: "/transactions/broadcast", payload: '{"type":4}' } as const;
const HASH = { method: "POST", url: "/hash", payload: '{"hash":"00"}' } as const;

describe("a node that follows another one", () => {
  it("forwards a broadcast with body and headers, without those of the connection", async () => {
    const source = await startSource(200, { "x-chain": "5.0.abc", "keep-alive": "timeout=9" });
    const { server } = await follower([`${source.url}/node`]);
    const answer = await server.inject({
      ...BROADCAST,
      headers: {
        "content-type": "application/json",
        connection: "x-private",
        "x-private": "1",
        "x-request-id": "7",
        "x-forwarded-for": "192.0.2.1",
      },
    });
    expect([answer.statusCode, answer.body]).toEqual([200, '{"from":"source"}']);
    expect(answer.headers).toMatchObject({ "x-chain": "5.0.abc", via: "1.1 holdfast" });
    expect(answer.headers["keep-alive"]).toBeUndefined();
    const [{ method, url, headers, body }] = source.received;
    expect([method, url, body]).toEqual(["POST", "/node/transactions/broadcast", '{"type":4}']);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-request-id": "7",
      via: "1.1 holdfast",
      // The client could have forged the address before its own.
      "x-forwarded-for": "127.0.0.1",
    });
    expect(headers["x-private"]).toBeUndefined();
  });

  it("asks the next source for a broadcast after a broken connection or status 503", async () => {
    const broken = await startSource(undefined);
    const busy = await startSource(503);
    const good = await startSource(200);
    const { server } = await follower([broken.url, await closedPort(), busy.url, good.url]);
    expect((await server.inject(BROADCAST)).statusCode).toBe(200);
    expect([broken, busy, good].map(({ received }) => received.length)).toEqual([1, 1, 1]);
  });

  it("begins with the source that it follows", async () => {
    const first = await startSource(200);
    const second = await startSource(200);
    const { server, state } = await follower([first.url, second.url]);
    state.source = 1;
    await server.inject(BROADCAST);
    expect([first, second].map(({ received }) => received.length)).toEqual([0, 1]);
  });

  it("sends a hash to another source only if the first did not receive it", async () => {
    const broken = await startSource(undefined);
    const good = await startSource(200);
    const { server } = await follower([broken.url, good.url]);
    const answer = await server.inject(HASH);
    expect(answer.statusCode).toBe(503);
    expect(good.received).toEqual([]);
    const { server: other } = await follower([await closedPort(), good.url]);
    expect((await other.inject(HASH)).statusCode).toBe(200);
    expect(good.received.length).toBe(1);
  });

  it("asks the source for hashes that its chain lacks, which may be in the source's trees", async () => {
    const source = await startSource(200);
    const { server } = await follower([source.url]);
    const hash = "ab".repeat(32);
    for (const request of [
      { url: `/hash/${hash}` },
      { url: `/hash/${hash}?wait=1000` },
      { method: "POST", url: "/hash/verify", payload: `["${hash}"]` } as const,
    ])
      expect((await server.inject(request)).body).toBe('{"from":"source"}');
    expect(source.received.map(({ url }) => url)).toEqual([
      `/hash/${hash}`,
      `/hash/${hash}?wait=1000`,
      "/hash/verify",
    ]);
  });

  it("lets its source wait for a hash as long as the client does", async () => {
    const clock = new VirtualClock(0);
    const waiting: ServerResponse[] = [];
    let isAsked = (): void => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const server = createServer((_, response) => {
      waiting.push(response);
      isAsked();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    running.push({ close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { server: waits } = await follower([url], {}, clock);
    const answering = waits.inject({ url: `/hash/${"ab".repeat(32)}?wait=20000` }).then((answer) => answer);
    await asked;
    clock.advance(20_500);
    waiting[0]?.end(`{"from":"source"}`);
    const answer = await answering;
    expect([answer.statusCode, answer.body]).toEqual([200, `{"from":"source"}`]);
    expect((await waits.inject({ url: `/hash/${"ab".repeat(32)}?wait=20001` })).statusCode).toBe(400);
    expect(waiting).toHaveLength(1);
  });

  it("refuses a source that upgrades the connection", async () => {
    const upgrading = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () =>
        socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
      );
    });
    await new Promise<void>((resolve) => upgrading.listen(0, "127.0.0.1", resolve));
    running.push({ close: () => new Promise((resolve) => upgrading.close(resolve)) });
    const good = await startSource(200);
    const { server } = await follower([
      `http://127.0.0.1:${(upgrading.address() as AddressInfo).port}`,
      good.url,
    ]);
    expect((await server.inject(BROADCAST)).statusCode).toBe(200);
    expect((await server.inject(HASH)).statusCode).toBe(503);
    expect(good.received.length).toBe(1);
  });

  it("says why no source answers", async () => {
    const url = await closedPort();
    const { server } = await follower([url]);
    const answer = await server.inject(BROADCAST);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers["retry-after"]).toBeDefined();
    expect(answer.json().message).toBe(
      `no source answers (${url}: connect ECONNREFUSED ${url.slice("http://".length)})`,
    );
  });

  it("answers within two seconds if no source answers a broadcast", async () => {
    const clock = new VirtualClock(0);
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    running.push({ close: () => new Promise((resolve) => silent.close(resolve).closeAllConnections()) });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const received = new Promise((resolve) => silent.once("request", resolve));
    const { server } = await follower([url], {}, clock);
    const answering = server.inject(BROADCAST);
    await received;
    clock.advance(2_000);
    const answer = await answering;
    expect([answer.statusCode, answer.json().message]).toEqual([
      503,
      `no source answers (${url}: no answer within 2000 ms)`,
    ]);
  });

  it("forwards a key route with the client's key, or refuses it", async () => {
    const source = await startSource(200);
    const request = { url: "/debug/minerInfo", headers: { "x-api-key": "secret" } };
    const { server } = await follower([source.url]);
    expect((await server.inject(request)).body).toBe('{"from":"source"}');
    expect(source.received[0]?.headers["x-api-key"]).toBe("secret");
    const { server: closed } = await follower([source.url], { forwardsKeyRoutes: false });
    expect((await closed.inject(request)).statusCode).toBe(403);
    expect(source.received.length).toBe(1);
  });

  it("checks its own key for a route that controls the process, and never forwards it", async () => {
    const source = await startSource(200);
    const { server } = await follower([source.url], { forwardsKeyRoutes: false });
    const statusWith = async (key: string) =>
      (await server.inject({ url: "/node/log-level", headers: { "x-api-key": key } })).statusCode;
    expect([await statusWith("of the source"), await statusWith(API_KEY)]).toEqual([403, 200]);
    expect(source.received).toEqual([]);
  });

  it("answers stale reads with a warning, also from its cache, or refuses them", async () => {
    const { server, state } = await follower([await closedPort()]);
    const read = () => server.inject({ url: "/blocks/height" });
    expect((await read()).headers.warning).toBeUndefined();
    state.caughtUp(systemClock.monotonic() - 10_001);
    expect((await read()).headers.warning).toBe('110 - "Response is Stale"');
    state.caughtUp(systemClock.monotonic());
    expect((await read()).headers.warning).toBeUndefined();

    const refusing = await follower([await closedPort()], { whenStale: "refuse" });
    refusing.state.caughtUp(systemClock.monotonic() - 10_001);
    const refused = await refusing.server.inject({ url: "/blocks/height" });
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([503, "5"]);
    expect((await refusing.server.inject({ url: "/health/live" })).statusCode).toBe(200);
  });

  it("answers without a warning what cannot change, although it is stale", async () => {
    const { server, state } = await follower([await closedPort()]);
    state.caughtUp(systemClock.monotonic() - 10_001);
    const warningOf = async (url: string) => (await server.inject({ url })).headers.warning;
    expect(await warningOf("/blocks/at/1")).toBeUndefined();
    expect(await warningOf("/blocks/height")).toBe('110 - "Response is Stale"');
  });

  it("ends a request that goes in a circle", async () => {
    const source = await startSource(200);
    const { server } = await follower([source.url]);
    const via = Array.from({ length: 8 }, () => "1.1 holdfast").join(", ");
    expect((await server.inject({ ...BROADCAST, headers: { via } })).statusCode).toBe(400);
    expect(source.received).toEqual([]);
  });
});
