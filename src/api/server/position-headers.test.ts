/** Positions of answers, and requests for a position, with a virtual clock. */
import type { FastifyInstance, InjectOptions } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { encodeBase58 } from "../../bytes/base58.ts";
import type { AppliedUnit, ChainCursor } from "../../interfaces.ts";
import { dev } from "../../profiles/index.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { formatCursor } from "../chain-position.ts";
import { MAX_WAITS } from "../events/commit-waits.ts";
import { fakeControl } from "../testing/control.ts";
import { API_KEY, memoryLog, testInfo } from "../testing/server.ts";
import { emptyBlock, fakeReader, fakeSnapshot, type SnapshotOverrides } from "../testing/snapshot.ts";
import { MAX_POSITION_WAIT_MS } from "./position-headers.ts";
import { createServer } from "./server.ts";

const servers: FastifyInstance[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const unit = (height: number, sequence: number, seed = height): ChainCursor => ({
  height,
  sequence,
  id: new Uint8Array(64).fill(seed),
});

/** A server whose chain has only a tip and the units that it knows besides. */
async function serving(overrides: SnapshotOverrides = {}, info: Parameters<typeof testInfo>[0] = {}) {
  const clock = new VirtualClock(0);
  const listeners = new Set<(tip: ChainCursor) => void>();
  let tip = unit(7, 2);
  const known = new Set<string>();
  let heightReads = 0;
  const server = await createServer({
    reader: fakeReader(
      fakeSnapshot({
        tip: () => tip,
        state: () => formatCursor(tip),
        height: () => {
          heightReads++;
          return tip.height;
        },
        changes: { unit: (cursor) => (known.has(formatCursor(cursor)) ? ({} as AppliedUnit) : undefined) },
        ...overrides,
      }),
    ),
    control: fakeControl([], dev.chainId),
    events: {
      onCommit: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    info: testInfo({ network: dev, ...info }),
    clock,
    log: memoryLog(),
  });
  servers.push(server);
  const commit = (newTip: ChainCursor): void => {
    tip = newTip;
    for (const listener of listeners) listener(newTip);
  };
  // Awaited at once, because a request starts when its promise is used.
  const inject = async (request: InjectOptions) => await server.inject(request);
  const get = (url: string, headers: Record<string, string> = {}) => inject({ url, headers });
  const atLeast = (position: ChainCursor, url = "/blocks/height") =>
    get(url, { "x-chain-at-least": formatCursor(position) });
  return { server, inject, clock, commit, get, atLeast, known, heightReads: () => heightReads };
}

/** Waits until the server has handled what it received. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe("the position of an answer", () => {
  const position = formatCursor(unit(7, 2));

  it.each([
    ["a read of the chain", "/blocks/height", 200],
    ["an answer without a read", "/node/version", 200],
    ["an answer of the node's thread", "/peers/connected", 200],
    ["a failed read", "/transactions/info/2", 404],
    ["an answer of the index", `/index/hash/${"07".repeat(32)}`, 404],
  ])("is the newest unit of its snapshot: %s", async (_, url, status) => {
    const { get } = await serving({ transactions: { byId: () => undefined } });
    const answer = await get(url);
    expect([answer.statusCode, answer.body]).toEqual([status, answer.body]);
    expect(answer.headers["x-chain"]).toBe(position);
    expect(answer.headers["access-control-expose-headers"]).toMatch(/^(X-Total, )?X-Chain$/);
  });

  it.each([
    ["immutable", "/blocks/at/1", 200, {}],
    ["refused before the chain is read", "/debug/info", 403, {}],
    ["without a route", "/nothing", 404, {}],
  ])("is missing if the answer is %s", async (_, url, status, headers) => {
    const blocks = { at: (height: number) => emptyBlock(height) };
    const { get } = await serving({ blocks }, { rollbackDepth: 2 });
    const answer = await get(url, headers);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers).not.toHaveProperty("x-chain");
  });

  it("is missing in preflight answers, and not exposed without CORS", async () => {
    const { server } = await serving();
    const preflight = await server.inject({ method: "OPTIONS", url: "/blocks/height" });
    expect(preflight.headers).not.toHaveProperty("x-chain");
    const { get } = await serving({}, { cors: false });
    const { headers } = await get("/blocks/height");
    expect(headers["x-chain"]).toBe(position);
    expect(headers).not.toHaveProperty("access-control-expose-headers");
  });

  it("is in answers that the client has already", async () => {
    const blocks = { at: () => emptyBlock(1), header: () => emptyBlock(1) };
    const { get, commit } = await serving({ blocks });
    const { headers } = await get("/blocks/last");
    const url = "/blocks/last";
    const known = { "if-none-match": String(headers.etag) };
    expect((await get(url, known)).headers["x-chain"]).toBe(position);
    commit(unit(8, 0));
    const later = await get(url, known);
    expect([later.statusCode, later.headers["x-chain"]]).toEqual([304, formatCursor(unit(8, 0))]);
  });
});

describe("a request for a position", () => {
  it.each([
    ["that the chain has", unit(7, 2)],
    ["before the chain", { height: 0, sequence: 0, id: new Uint8Array(0) }],
    ["below the height of the chain, on any fork", unit(6, 9, 1)],
  ])("%s is answered at once, from the header or the query", async (_, position) => {
    const { get, atLeast } = await serving();
    for (const answer of [
      await atLeast(position),
      await get(`/blocks/height?atLeast=${formatCursor(position)}`),
    ]) {
      expect([answer.statusCode, answer.json()]).toEqual([200, { height: 7 }]);
      expect(answer.headers["cache-control"]).toBe("no-store");
    }
  });

  it("of the same height is answered at once if it is on the chain, or has left it", async () => {
    const { atLeast, known } = await serving();
    for (const position of [unit(7, 1), unit(7, 9, 1)]) {
      known.add(formatCursor(position));
      expect((await atLeast(position)).statusCode).toBe(200);
    }
  });

  it("waits for it, and is answered after the commit that reaches it", async () => {
    const { atLeast, commit, clock } = await serving();
    const waiting = atLeast(unit(9, 1));
    await settle();
    expect(clock.pending).toBe(1);
    for (const next of [unit(8, 0), unit(9, 0, 3), unit(9, 1)]) commit(next);
    const answer = await waiting;
    expect([answer.statusCode, answer.json()]).toEqual([200, { height: 9 }]);
    expect(answer.headers["x-chain"]).toBe(formatCursor(unit(9, 1)));
  });

  it("gets 503 after two seconds, with the position of the chain to retry from", async () => {
    const { atLeast, clock, commit } = await serving();
    const waiting = [atLeast(unit(9, 1)), atLeast(unit(8, 1))];
    await settle();
    clock.advance(MAX_POSITION_WAIT_MS - 1);
    commit(unit(8, 0));
    await settle();
    expect(clock.pending).toBe(2);
    clock.advance(1);
    for (const answer of await Promise.all(waiting)) {
      expect(answer.statusCode).toBe(503);
      expect(answer.json().message).toBe("the chain of this node has not reached the requested position");
      expect(answer.headers["retry-after"]).toBe("5");
      expect(answer.headers["x-chain"]).toBe(formatCursor(unit(8, 0)));
      expect(answer.headers["cache-control"]).toBe("no-store");
    }
  });

  it("on a fork that this node has never had is answered after the wait, if the chain is as high", async () => {
    const { atLeast, clock } = await serving();
    const waiting = atLeast(unit(7, 1, 9));
    await settle();
    expect(clock.pending).toBe(1);
    clock.advance(MAX_POSITION_WAIT_MS);
    expect((await waiting).statusCode).toBe(200);
  });

  it("is never answered from the cache, nor cached", async () => {
    const { atLeast, get, heightReads } = await serving();
    for (const ask of [
      () => atLeast(unit(7, 2)),
      () => get(`/blocks/height?atLeast=${formatCursor(unit(7, 2))}`),
      () => get("/blocks/height"),
    ]) {
      const before = heightReads();
      await ask();
      expect(heightReads()).toBe(before + 1);
    }
    // A short answer is cached at its second request.
    await get("/blocks/height");
    const before = heightReads();
    await get("/blocks/height");
    expect(heightReads()).toBe(before);
    await atLeast(unit(7, 2));
    expect(heightReads()).toBe(before + 1);
  });

  it.each(["", "1", "x", "7.2", `07.2.${"1".repeat(64)}`, `7.2.${encodeBase58(new Uint8Array(63).fill(1))}`])(
    "is refused if the position is invalid: '%s'",
    async (text) => {
      const { get } = await serving();
      for (const [name, answer] of [
        ["X-Chain-At-Least", await get("/blocks/height", { "x-chain-at-least": text })],
        ["atLeast", await get(`/blocks/height?atLeast=${encodeURIComponent(text)}`)],
      ] as const) {
        expect(answer.statusCode).toBe(400);
        expect(answer.json().message).toBe(`${name}: must be a position of the chain: height.sequence.id`);
      }
    },
  );

  it("changes nothing before the position is reached", async () => {
    const { inject, clock } = await serving();
    const waiting = inject({
      method: "PUT",
      url: "/node/log-level",
      headers: { "x-api-key": API_KEY, "x-chain-at-least": formatCursor(unit(9, 0)) },
      payload: { level: "debug" },
    });
    await settle();
    clock.advance(MAX_POSITION_WAIT_MS);
    expect((await waiting).statusCode).toBe(503);
  });

  it("does not wait for a client that refuses the answer's type, or has a wrong key", async () => {
    const { get } = await serving();
    const position = { "x-chain-at-least": formatCursor(unit(9, 0)) };
    expect((await get("/blocks/height", { ...position, accept: "image/png" })).statusCode).toBe(404);
    expect((await get("/debug/info", { ...position, "x-api-key": "" })).statusCode).toBe(403);
  });

  it(`waits in one of ${MAX_WAITS} places, of which one address may have 100`, async () => {
    const { inject, clock } = await serving();
    const ask = (remoteAddress: string) =>
      inject({
        url: "/blocks/height",
        remoteAddress,
        headers: { "x-chain-at-least": formatCursor(unit(9, 0)) },
      });
    const waiting = Array.from({ length: 100 }, () => ask("192.0.2.1"));
    const refused = await ask("192.0.2.1");
    await settle();
    expect([refused.statusCode, refused.json().message]).toEqual([503, "node is busy"]);
    clock.advance(MAX_POSITION_WAIT_MS);
    const statuses = (await Promise.all(waiting)).map(({ statusCode }) => statusCode);
    expect(new Set(statuses)).toEqual(new Set([503]));
  });
});
