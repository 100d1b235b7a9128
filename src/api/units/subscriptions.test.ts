/** Limits of streams of units: slow followers, numbers of streams, access. */
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterEach, expect, test } from "vitest";
import { ipNetwork } from "../../bytes/ip.ts";
import { ResponseBackpressure } from "../../http/responses/backpressure.ts";
import type { ChainCursor, UnitRecord } from "../../interfaces.ts";
import { dev } from "../../profiles/index.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { createServer } from "../server/server.ts";
import { fakeControl } from "../testing/control.ts";
import { API_KEY, memoryLog, testInfo } from "../testing/server.ts";
import { fakeReader, fakeSnapshot } from "../testing/snapshot.ts";
import { MAX_UNIT_STREAMS, MAX_UNIT_STREAMS_PER_ORIGIN } from "./subscriptions.ts";

const trusted = ipNetwork("127.0.0.1");
const open: { readonly server: FastifyInstance; readonly clients: ClientRequest[] }[] = [];
afterEach(async () => {
  for (const { server, clients } of open.splice(0)) {
    for (const client of clients) client.destroy();
    await server.close();
  }
});

const UNIT_BYTES = 300_000;
const LAST_HEIGHT = 200;

function recordAt(height: number): UnitRecord {
  return {
    kind: "block",
    height,
    sequence: 0,
    id: new Uint8Array(64).fill(height % 256),
    parent: new Uint8Array(64),
    bytes: new Uint8Array(UNIT_BYTES),
    arrivedAt: 0,
    isParentPersisted: false,
    digest: undefined,
  };
}

/** A server over a chain of large blocks. */
async function serving(facts: Parameters<typeof testInfo>[0] = {}, lastHeight = LAST_HEIGHT) {
  const clock = new VirtualClock(0);
  const backpressure = new ResponseBackpressure(clock);
  let reads = 0;
  const units = {
    common: (position: ChainCursor) => position,
    newest: () => recordAt(lastHeight),
    accounts: () => [],
    after: ({ height }: ChainCursor) => {
      if (height >= lastHeight) return { records: [], isComplete: true };
      reads++;
      return { records: [recordAt(height + 1)], isComplete: height + 1 === lastHeight };
    },
  };
  const server = await createServer({
    reader: fakeReader(fakeSnapshot({ units, blocks: { score: () => 1n }, persistedHeight: () => 1 })),
    control: fakeControl([], dev.chainId),
    events: { onCommit: () => () => {} },
    info: testInfo({ source: { store: "s", trustRoot: undefined }, ...facts }),
    clock,
    log: memoryLog(),
    backpressure,
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const clients: ClientRequest[] = [];
  open.push({ server, clients });
  const read = (headers: Record<string, string> = {}): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const client = get(
        {
          host: "127.0.0.1",
          port,
          path: "/units?after=0",
          headers: { "x-api-key": API_KEY, ...headers },
          agent: false,
        },
        (answer) => {
          answer.on("error", () => {});
          resolve(answer);
        },
      );
      client.on("error", reject);
      clients.push(client);
    });
  return { clock, backpressure, server, read, reads: () => reads };
}

async function until(so: () => boolean): Promise<void> {
  while (!so()) await new Promise((resolve) => setImmediate(resolve));
}

test("a follower that reads nothing costs one page of memory, and is closed after 30 s", async () => {
  const { clock, backpressure, read, reads } = await serving();
  const answer = await read();
  answer.pause();
  let isOver = false;
  answer.on("close", () => {
    isOver = true;
  });
  // The system buffers some pages.
  for (let last = -1; last !== reads(); ) {
    last = reads();
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(reads()).toBeLessThan(LAST_HEIGHT / 2);
  expect(backpressure.bytes).toBeGreaterThan(64 * 1024);
  expect(backpressure.bytes).toBeLessThan(64 * 1024 + 2 * UNIT_BYTES);
  for (let i = 0; i < 6; i++) clock.advance(7_500);
  await until(() => backpressure.bytes === 0);
  answer.resume();
  await until(() => isOver);
});

test("a follower that reads slowly gets the whole chain", async () => {
  const { backpressure, read } = await serving();
  const answer = await read();
  let bytes = 0;
  let most = 0;
  answer.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    most = Math.max(most, backpressure.bytes);
    answer.pause();
    setImmediate(() => answer.resume());
  });
  await until(() => bytes >= LAST_HEIGHT * UNIT_BYTES);
  expect(most).toBeLessThan(64 * 1024 + 2 * UNIT_BYTES);
});

test("streams are limited for each follower and in total", async () => {
  const { read } = await serving({ trustedProxies: trusted === undefined ? [] : [trusted] }, 0);
  const status = async (address: string): Promise<number | undefined> => {
    const answer = await read({ "x-forwarded-for": address });
    answer.pause();
    return answer.statusCode;
  };
  for (let origin = 1; origin <= MAX_UNIT_STREAMS / MAX_UNIT_STREAMS_PER_ORIGIN; origin++) {
    const address = `192.0.2.${origin}`;
    for (let i = 0; i < MAX_UNIT_STREAMS_PER_ORIGIN; i++) expect(await status(address)).toBe(200);
    expect(await status(address)).toBe(503);
  }
  expect(await status("192.0.2.99")).toBe(503);
});

test("a node that serves no units has no such route", async () => {
  const { read } = await serving({ source: undefined });
  expect((await read()).statusCode).toBe(404);
});

test("the rate limit applies before a stream is opened", async () => {
  const { read } = await serving({
    rateLimit: { requests: 1, windowMs: 60_000 },
    trustedProxies: trusted === undefined ? [] : [trusted],
  });
  const from = { "x-forwarded-for": "192.0.2.1" };
  expect((await read(from)).statusCode).toBe(200);
  expect((await read(from)).statusCode).toBe(429);
});
