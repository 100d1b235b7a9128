/** Paged lists over random chains that fork and shrink between two pages. */
import type { FastifyInstance } from "fastify";
import { expect, test } from "vitest";
import { createServer } from "../src/api/server/server.ts";
import { fakeControl } from "../src/api/testing/control.ts";
import { memoryLog, testInfo } from "../src/api/testing/server.ts";
import { chainReader } from "../src/chain/snapshot.ts";
import { RandomChain } from "../src/chain/testing/random-chain.ts";
import { addressOf, addressText } from "../src/crypto/addresses.ts";
import { keyPairOf } from "../src/testing/dev-node.ts";
import { spenders, trustOfSpenders } from "../src/testing/random-transactions.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";

/** These seeds cover all lists. */
const SEEDS = [2, 3, 8];
const ROUNDS = 3;
const GROWTH = 14;
const DAY_MS = 86_400_000;

interface Page {
  /** Elements as strings. */
  readonly items: readonly string[];
  readonly next: string | undefined;
}

/** A list with cursors: its path and the elements of its answers. */
interface CursorList {
  readonly path: string;
  items(answer: never): unknown[];
}

function listsOf(chain: RandomChain): CursorList[] {
  const { chainId } = chain.profile;
  const accounts = spenders.map(({ publicKey }) => addressText(addressOf(publicKey, chainId)));
  const miners = ["miner one", "miner two"].map((seed) =>
    addressText(addressOf(keyPairOf(seed).publicKey, chainId)),
  );
  const itself = (answer: unknown[]) => answer;
  const genesis = Number(chain.profile.genesis.blockTimestamp);
  return [
    ...accounts.flatMap((account): CursorList[] => [
      { path: `/addresses/data/${account}`, items: itself },
      { path: `/addresses/balance/history/${account}`, items: itself },
      { path: `/transactions/address/${account}`, items: ([answer]: unknown[][]) => answer },
      { path: `/transactions/addresses/${account}`, items: itself },
      { path: `/leasing/active/${account}`, items: itself },
      {
        path: `/associations/status/${account}`,
        items: ({ outgoing, incoming }: Record<string, object[]>) => [
          ...outgoing.map((one) => ["outgoing", one]),
          ...incoming.map((one) => ["incoming", one]),
        ],
      },
      {
        path: `/associations/${account}`,
        items: ({ children, parents }: Record<string, string[]>) => [
          ...children.map((one) => `child ${one}`),
          ...parents.map((one) => `parent ${one}`),
        ],
      },
    ]),
    ...miners.map((miner) => ({ path: `/blocks/address/${miner}/1/1000000`, items: itself })),
    { path: "/generators", items: itself },
    {
      path: `/stats/generators/${genesis - DAY_MS}/${genesis + DAY_MS}`,
      items: ({ generators }: { generators: object[] }) => generators,
    },
  ];
}

async function pageOf(server: FastifyInstance, list: CursorList, query: string): Promise<Page> {
  const { statusCode, body, headers } = await server.inject({ url: `${list.path}?${query}` });
  expect(statusCode, `${list.path}?${query}: ${body}`).toBe(200);
  const next = headers["x-next-cursor"];
  return {
    // The answers of the routes in `listsOf`.
    items: list.items(JSON.parse(body) as never).map((one) => JSON.stringify(one)),
    next: next === undefined ? undefined : String(next),
  };
}

async function wholeOf(server: FastifyInstance, list: CursorList): Promise<readonly string[]> {
  const { items, next } = await pageOf(server, list, "limit=100");
  expect(next).toBeUndefined();
  return items;
}

/** Expects that reading a list by cursor, and by offset, gives the whole list. */
async function expectPaged(server: FastifyInstance, list: CursorList, whole: readonly string[]) {
  const byCursor: string[] = [];
  for (let query = "limit=3"; ; ) {
    const { items, next } = await pageOf(server, list, query);
    byCursor.push(...items);
    if (next === undefined) break;
    expect(items).toHaveLength(3);
    query = `limit=3&cursor=${next}`;
  }
  expect(byCursor).toEqual(whole);
  expect((await pageOf(server, list, "limit=2&offset=1")).items).toEqual(whole.slice(1, 3));
}

/** Lists that were continued with a cursor from before a change of the chain. */
const seen = new Set<string>();

test.each(SEEDS)("a cursor neither repeats nor skips elements unaffected by forks, seed %i", async (seed) => {
  const random = new SeededRandom(seed);
  const chain = new RandomChain(random);
  const { profile, store } = chain;
  const context = {
    profile,
    rules: chain.chain.rules,
    indexAll: true,
    trust: trustOfSpenders(profile.chainId),
  };
  const server = await createServer({
    reader: chainReader(store, context),
    control: fakeControl([], profile.chainId),
    events: chain.chain,
    info: testInfo({ network: profile }),
    clock: chain.clock,
    log: memoryLog(),
  });
  for (let round = 0; round < ROUNDS; round++) {
    for (let step = 0; step < GROWTH; step++) chain.grow();
    const lists = listsOf(chain);
    const before = [];
    for (const list of lists) {
      const whole = await wholeOf(server, list);
      await expectPaged(server, list, whole);
      const shown = 1 + random.below(3);
      const { items, next } = await pageOf(server, list, `limit=${shown}`);
      if (next !== undefined) before.push({ list, whole, items, next });
    }
    if (random.chance(50)) chain.compete();
    chain.shrink();
    for (let step = 0; step < 3; step++) chain.grow();
    for (const { list, whole, items, next } of before) {
      seen.add(list.path.replace(/\/[3\d].*/, ""));
      const now = await wholeOf(server, list);
      const behind = await pageOf(server, list, `limit=100&cursor=${next}`);
      // The elements after the cursor are the end of the current list …
      expect(behind.items).toEqual(now.slice(now.length - behind.items.length));
      // … without any that were already returned, and with all remaining ones that still exist.
      const [left, still] = [new Set(behind.items), new Set(now)];
      expect(items.filter((one) => left.has(one))).toEqual([]);
      const toCome = whole.slice(items.length).filter((one) => still.has(one));
      expect(toCome.filter((one) => !left.has(one))).toEqual([]);
    }
  }
  await server.close();
});

test("all lists were continued after a change", () => {
  expect([...seen].sort()).toEqual([
    "/addresses/balance/history",
    "/addresses/data",
    "/associations",
    "/associations/status",
    "/blocks/address",
    "/generators",
    "/leasing/active",
    "/stats/generators",
    "/transactions/address",
    "/transactions/addresses",
  ]);
});
