/** Direct answers equal those of Fastify, byte by byte, whatever the request's headers are. */
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createServer } from "../../api/server/server.ts";
import { fakeControl } from "../../api/testing/control.ts";
import { memoryLog, testInfo } from "../../api/testing/server.ts";
import { encodeHex } from "../../bytes/hex.ts";
import { StoredSnapshot } from "../../chain/snapshot.ts";
import { RandomChain } from "../../chain/testing/random-chain.ts";
import { addressText } from "../../crypto/addresses.ts";
import { DirectAnswers } from "../../http/responses/direct-answers.ts";
import { trustOfSpenders } from "../../testing/random-transactions.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { definitionOf } from "../../transactions/index.ts";
import { tickReader } from "./tick-reader.ts";

const REQUESTS = 200;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

async function served(random: SeededRandom, overrides: Parameters<typeof testInfo>[0] = {}) {
  const subject = new RandomChain(random);
  for (let i = 0; i < 6; i++) subject.grow();
  const { store, profile, chain } = subject;
  const context = { profile, rules: chain.rules, indexAll: true, trust: trustOfSpenders(profile.chainId) };
  const reader = tickReader(store, context);
  const server = await createServer({
    reader,
    control: fakeControl([], profile.chainId),
    events: { onCommit: () => () => {} },
    info: testInfo({ network: profile, compressFrom: 300, ...overrides }),
    clock: new VirtualClock(Number(chain.tip.keyBlock.timestamp)),
    log: memoryLog(),
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  closing.push(() => server.close());
  const { port } = server.server.address() as AddressInfo;
  const { addresses, hashes } = store.read((rows) => {
    const snapshot = new StoredSnapshot(rows, context);
    const blocks = Array.from({ length: chain.tip.height }, (_, i) => snapshot.blocks.at(i + 1));
    const transactions = blocks.flatMap((block) => block?.transactions ?? []).map((one) => one.transaction);
    return {
      addresses: transactions.map((one) => addressText(one.senderAddress)),
      hashes: transactions.flatMap((one) => definitionOf(one).anchors?.(one) ?? []).map(encodeHex),
    };
  });
  /** Sends bytes over a new connection, and returns everything that the server sends, without its times. */
  const ask = async (request: string): Promise<string> => {
    const socket = connect(port, "127.0.0.1");
    const parts: Buffer[] = [];
    socket.on("data", (part) => parts.push(part));
    socket.write(request);
    await once(socket, "close");
    return Buffer.concat(parts)
      .toString("latin1")
      .replace(/^Date: .*$/gm, "");
  };
  return { ask, subject, reader, addresses, hashes };
}

/** Runs a task with Fastify alone. */
async function byFastify<T>(task: () => Promise<T>): Promise<T> {
  const spy = vi.spyOn(DirectAnswers.prototype, "answer").mockReturnValue(false);
  try {
    return await task();
  } finally {
    spy.mockRestore();
  }
}

function countDirect(): () => number {
  const spy = vi.spyOn(DirectAnswers.prototype, "answer");
  return () => spy.mock.results.filter(({ value }) => value === true).length;
}

const HEADERS: readonly string[] = [
  "Accept: application/json",
  "Accept: text/html",
  "Accept: application/json;q=0",
  "Accept-Charset: latin1",
  "Accept-Encoding: gzip",
  "Accept-Encoding: identity",
  "If-None-Match: *",
  'If-None-Match: W/"1-x"',
  "Upgrade: websocket\r\nConnection: upgrade",
  "Host: b",
  "Content-Length: 0",
  "Content-Length: 2",
  "Transfer-Encoding: chunked",
  "Content-Encoding: gzip",
  "Content-Type: text",
  "Origin: http://a",
  "X-API-Key: open",
  "X-Forwarded-For: 192.0.2.1",
  "Range: bytes=0-1",
  "X-Chain-At-Least: 0",
];

describe("direct answers", () => {
  it(`equal those of Fastify, for ${REQUESTS} random requests`, async () => {
    const random = new SeededRandom(7);
    const { ask, addresses, hashes } = await served(random);
    const paths = [
      "/blocks/height",
      "/node/status",
      "/blocks/last",
      "/blocks/at/2",
      "/blocks/height?x=1",
      "/./blocks/height",
      "/BLOCKS/height",
      `/hash/${hashes[0]}`,
      `/index/hash/${hashes[0]}`,
      `/HASH/${hashes[0]}`,
      `/addresses/balance/${addresses[0]}`,
      `/addresses/balance/details/${addresses[1]}`,
      `/addresses/balance/details/${addresses[1]}"`,
      `/identities/${addresses[0]}`,
      `/transactions/address/${addresses[0]}?limit=50`,
      "/nothing",
    ];
    // Cheap answers are stored at the second request.
    for (const path of [...paths, ...paths])
      await ask(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    const requests = Array.from({ length: REQUESTS }, () => {
      const headers = HEADERS.filter(() => random.chance(8));
      if (random.chance(95)) headers.push("Host: a");
      const method = random.chance(85) ? "GET" : random.pick(["HEAD", "POST", "OPTIONS", "DELETE"]);
      const version = random.chance(85) ? "HTTP/1.1" : "HTTP/1.0";
      const head = `${method} ${random.pick(paths)} ${version}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
      const body = headers.includes("Transfer-Encoding: chunked")
        ? "2\r\nab\r\n0\r\n\r\n"
        : headers.includes("Content-Length: 2")
          ? "ab"
          : "";
      // The last request closes the connection, if the first has not.
      return `${head}${body}GET /blocks/height HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    });
    const expected: string[] = [];
    await byFastify(async () => {
      for (const request of requests) expected.push(await ask(request));
    });
    const direct = countDirect();
    for (const [i, request] of requests.entries()) expect(await ask(request), request).toEqual(expected[i]);
    // Most requests that close the connections, and some of the others.
    expect(direct()).toBeGreaterThan(0.9 * REQUESTS);
  });

  it("count against the rate limit, and are refused above it like all others", async () => {
    const { ask } = await served(new SeededRandom(1), {
      rateLimit: { requests: 3, windowMs: 10_000 },
      // Local senders have no limit.
      trustedProxies: [{ address: Uint8Array.of(127, 0, 0, 1), bits: 32 }],
    });
    const request = (address: string): string =>
      `GET /blocks/height HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nConnection: close\r\n\r\n`;
    const statuses: string[] = [];
    const direct = countDirect();
    for (let i = 0; i < 5; i++) statuses.push((await ask(request("192.0.2.1"))).slice(9, 12));
    expect(statuses).toEqual(["200", "200", "200", "429", "429"]);
    expect(direct()).toBe(1);
    expect((await ask(request("192.0.2.2"))).slice(9, 12)).toBe("200");
  });

  it("end with the state of the chain", async () => {
    const { ask, subject, reader } = await served(new SeededRandom(2));
    const request = "GET /blocks/height HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const direct = countDirect();
    const first = await ask(request);
    expect(await ask(request)).toBe(first);
    expect(direct()).toBe(0);
    expect(await ask(request)).toBe(first);
    expect(direct()).toBe(1);
    subject.grow();
    reader.renew();
    const { height } = subject.chain.tip;
    expect(await ask(request)).toContain(`{"height":${height}}`);
    expect(direct()).toBe(1);
    expect(await ask(request)).toContain(`{"height":${height}}`);
    expect(direct()).toBe(2);
  });
});
