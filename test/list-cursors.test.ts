/** Paged lists with cursors, over the recorded chain of the index. */
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addressOf } from "../src/crypto/addresses.ts";
import { parseTrustNetwork } from "../src/indexes/trust/trust-network.ts";
import { keyPairOf } from "../src/testing/dev-node.ts";
import { startRecordedIndex } from "./support/recorded-index.ts";

const ROOT = "3N6jkCjqK22oe4Bm2qSiEniUWG8K1q5qfp5";
const CHAIN_ID = "T".charCodeAt(0);

let server: FastifyInstance;

beforeAll(async () => {
  ({ server } = await startRecordedIndex({
    trust: {
      network: parseTrustNetwork('{"root":{}}'),
      root: addressOf(keyPairOf("index conformance root").publicKey, CHAIN_ID),
    },
    authToken: undefined,
    didResponse: "document",
  }));
});

afterAll(() => server.close());

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly next: string | null;
  readonly total: string | null;
  readonly exposed: string | null;
}

async function ask(path: string): Promise<Answer> {
  const { status, headers, ...response } = await server.inject({ url: path }).then((answer) => ({
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
  }));
  const header = (name: string): string | null =>
    headers[name] === undefined ? null : String(headers[name]);
  return {
    status,
    body: response.text,
    next: header("x-next-cursor"),
    total: header("x-total"),
    exposed: header("access-control-expose-headers"),
  };
}

/** Reads all pages of a list. Returns the elements and the number of pages. */
async function pagesOf<T>(path: string, read: (body: string) => T[]): Promise<{ items: T[]; pages: number }> {
  const items: T[] = [];
  let cursor = "";
  for (let pages = 1; ; pages++) {
    const { status, body, next } = await ask(`${path}${cursor}`);
    expect(status).toBe(200);
    items.push(...read(body));
    if (next === null) return { items, pages };
    cursor = `&cursor=${next}`;
  }
}

test("an address's lists are the same by cursor and in a single answer", async () => {
  for (const [path, read] of [
    [`/transactions/addresses/${ROOT}?type=all`, (body: string) => JSON.parse(body)],
    [`/transactions/addresses/${ROOT}?type=association`, (body: string) => JSON.parse(body)],
    [`/transactions/address/${ROOT}?type=issue-association`, (body: string) => JSON.parse(body)[0]],
    [`/transactions/address/${ROOT}?offset=0`, (body: string) => JSON.parse(body)[0]],
  ] as const) {
    const whole = await ask(`${path}&limit=100`);
    const expected = read(whole.body);
    expect(expected.length).toBeGreaterThan(7);
    const { items, pages } = await pagesOf(`${path}&limit=7`, read);
    expect(items.slice(0, expected.length)).toEqual(expected);
    expect(pages).toBe(Math.ceil(items.length / 7));
    if (whole.total !== null) expect(items.length).toBe(Number(whole.total));
  }
});

test("the associations of an address are paged, children first", async () => {
  const whole = JSON.parse((await ask(`/associations/${ROOT}`)).body);
  const { items, pages } = await pagesOf(`/associations/${ROOT}?limit=2`, (body) => {
    const { children, parents } = JSON.parse(body);
    return [...children, ...parents];
  });
  expect(items).toEqual([...whole.children, ...whole.parents]);
  expect(items.length).toBeGreaterThan(3);
  expect(pages).toBe(Math.ceil(items.length / 2));
});

test("browsers may read the header with the next cursor", async () => {
  const { exposed } = await ask(`/transactions/addresses/${ROOT}?limit=1`);
  expect(exposed).toBe("X-Total, X-Next-Cursor, X-Chain");
});

test("an empty list has no next page", async () => {
  for (const path of [
    `/transactions/addresses/${ROOT}?limit=0`,
    `/transactions/address/${ROOT}?limit=0`,
    `/leasing/active/${ROOT}?limit=5`,
  ])
    expect(await ask(path)).toMatchObject({ status: 200, next: null });
});

/** Lists that are returned completely unless a page is requested. */
const wholeLists = [
  `/leasing/active/${ROOT}`,
  `/addresses/data/${ROOT}`,
  `/addresses/balance/history/${ROOT}`,
  `/associations/status/${ROOT}`,
  `/blocks/address/${ROOT}/1/2`,
];
const HASH_TEXT = "4aJ7NPsNqcEGJbfBZVxrsdFrLnVbR41Fv4k4CCEMpT1W";
const noCursors = ["x", "%20", "AQAA", "AgAAAAAAAAAAAAAAAAAAAAA", "AQAAAAAAAAAAAAAAAAAAAAB", "A".repeat(200)];

test.each(noCursors)("an invalid cursor is rejected with its name: %s", async (text) => {
  expect(await ask(`/transactions/addresses/${ROOT}?cursor=${text}`)).toMatchObject({
    status: 400,
    body: "invalid cursor given",
  });
  expect(await ask(`/transactions/address/${ROOT}?cursor=${text}`)).toMatchObject({
    status: 400,
    body: '{"message":"invalid.cursor"}',
  });
  expect(await ask(`/associations/${ROOT}?cursor=${text}`)).toMatchObject({
    status: 400,
    body: '{"error":"invalid cursor given"}',
  });
  for (const path of wholeLists)
    expect(await ask(`${path}?cursor=${text}`)).toMatchObject({
      status: 400,
      body: '{"error":400,"message":"invalid cursor"}',
    });
  expect(await ask(`/credential-status/${HASH_TEXT}?cursor=${text}`)).toMatchObject({
    status: 400,
    body: '{"error":"invalid cursor given"}',
  });
  for (const path of ["/generators", "/stats/generators/2026-01-01/2026-01-02"])
    expect(await ask(`${path}?cursor=${text}`)).toMatchObject({
      status: 400,
      body: '{"error":"invalid cursor given"}',
    });
});

test("pages of a list that is complete by default have limits", async () => {
  for (const path of wholeLists) {
    for (const limit of ["0", "10001", "-1", "1e1", ""])
      expect(await ask(`${path}?limit=${limit}`)).toMatchObject({
        status: 400,
        body: '{"error":400,"message":"invalid limit"}',
      });
    for (const offset of ["-1", "2147483648", "x"])
      expect(await ask(`${path}?offset=${offset}`)).toMatchObject({
        status: 400,
        body: '{"error":400,"message":"invalid offset"}',
      });
    expect(await ask(`${path}?offset=2147483647`)).toMatchObject({ status: 200, next: null });
  }
});

test("blocks of a generator are paged in any range, and complete in a short one", async () => {
  const { generator } = JSON.parse((await ask("/blocks/at/2")).body);
  const path = (to: number) => `/blocks/address/${generator}/1/${to}`;
  expect(await ask(path(1_000_000))).toMatchObject({ status: 400 });
  expect(await ask(`${path(1_000_000)}?limit=101`)).toMatchObject({ status: 400 });
  const whole = JSON.parse((await ask(path(100))).body);
  const { items, pages } = await pagesOf(`${path(1_000_000)}?limit=5`, (body) => JSON.parse(body));
  expect(items.slice(0, whole.length)).toEqual(whole);
  expect(pages).toBe(Math.ceil(items.length / 5));
});
