import { expect, test } from "vitest";
import type { PoolNews } from "../../control/index.ts";
import { dev } from "../../profiles/index.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { rootKeyPair } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { reparseTransaction, type Transaction } from "../../transactions/index.ts";
import { PoolNewsBuffer } from "./pool-news.ts";

function desk() {
  const pool: { onAdded: ((transaction: Transaction) => void) | undefined } = { onAdded: undefined };
  const clock = new VirtualClock(0);
  const anchor = buildTransaction({
    type: 15,
    sender: rootKeyPair,
    fee: 35_000_000n,
    timestamp: 1n,
    chainId: dev.chainId,
    members: { anchors: [new Uint8Array(32)] },
  });
  return { pool, clock, anchor, news: new PoolNewsBuffer(pool, clock) };
}

test("news are batched and reach each poller once", async () => {
  const { pool, clock, anchor, news } = desk();
  const asked = [news.poll(), news.poll()];
  pool.onAdded?.(anchor);
  pool.onAdded?.(anchor);
  clock.advance(10);
  const [one, other] = await Promise.all(asked);
  expect(other).toEqual(one);
  expect(one).toMatchObject({ missed: 0, next: 2 });
  expect(one.ends).toHaveLength(2);
  expect(reparseTransaction(one.bytes.subarray(0, one.ends[0]), dev)).toMatchObject({ type: 15 });
  const empty = news.poll(one.next);
  clock.advance(10_000);
  expect(await empty).toEqual({ bytes: new Uint8Array(0), ends: [], missed: 0, next: 2 });
});

test("many news come in several responses, with the number of missed ones", async () => {
  const { pool, clock, anchor, news } = desk();
  const first = news.poll();
  for (let i = 0; i < 2_500; i++) pool.onAdded?.(anchor);
  clock.advance(10);
  let told: PoolNews = await first;
  expect(told).toMatchObject({ missed: 1_000, next: 1_100 });
  for (let after = told.next; after < 2_500; after = told.next) {
    told = await news.poll(after);
    expect(told).toMatchObject({ missed: 0, next: after + 100 });
  }
});

test("buffers nothing while no client polls", async () => {
  const { pool, clock, news } = desk();
  const asked = news.poll();
  clock.advance(10_000);
  await asked;
  expect(pool.onAdded).toBeDefined();
  clock.advance(30_000);
  expect(pool.onAdded).toBeUndefined();
  expect(clock.pending).toBe(0);
});
