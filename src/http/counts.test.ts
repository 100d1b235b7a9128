/** Limits that two HTTP threads share. `test/shared-http-port.test.ts` has real threads. */
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { OriginSlots } from "../runtime/origin-slots.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { KeyGuesses } from "./access/key-guesses.ts";
import { RateLimiter } from "./access/rate-limit.ts";
import { ConnectionBalance } from "./connections/connection-balance.ts";
import { ConnectionLimit } from "./connections/connection-limit.ts";
import {
  type HttpCounts,
  localHttpCounts,
  resetThread,
  sharedHttpCounts,
  shareHttpCounts,
} from "./counts.ts";
import { HttpCounters } from "./metrics.ts";

const socket = {} as Socket;
const sender = (address: string) => ({ address, isDirect: true });

function shared(threads = 2, maxConnections = 160) {
  const memory = shareHttpCounts(threads, maxConnections, 7);
  return { memory, counts: Array.from({ length: threads }, (_, thread) => sharedHttpCounts(memory, thread)) };
}

test("rate limits and wrong keys of several threads give the answers of one thread", async () => {
  for (let seed = 1; seed <= 3; seed++) {
    const random = new SeededRandom(seed);
    const clock = new VirtualClock(1_000);
    const build = (counts: HttpCounts) => ({
      limiter: new RateLimiter({ requests: 5, windowMs: 10_000 }, clock, counts),
      guesses: new KeyGuesses(clock, new ConnectionLimit(160, [], new HttpCounters(), counts), counts),
    });
    const one = build(localHttpCounts());
    const several = shared(3).counts.map(build);
    for (let step = 0; step < 200; step++) {
      const { limiter, guesses } = several[random.below(3)];
      const from = sender(`192.0.2.${random.below(4)}`);
      expect(limiter.count(from)).toBe(one.limiter.count(from));
      if (random.below(3) === 0) {
        const delays = [guesses, one.guesses].map((all) => all.countWrongKey(from, socket));
        expect(delays[0] === undefined).toBe(delays[1] === undefined);
        // Too many delayed answers are settled at once, with false.
        const settled = await Promise.all(
          delays.map((delay) => Promise.race([delay, Promise.resolve("later")])),
        );
        expect(settled[0]).toBe(settled[1]);
      }
      if (random.below(5) === 0) clock.advance(random.below(2_000));
      if (random.below(100) === 0) clock.advance(601_000);
    }
    for (const { guesses } of [one, ...several]) guesses.close();
  }
});

test("slots are limited in total and per origin for all threads", () => {
  const { counts, memory } = shared();
  const [first, second] = counts.map(
    ({ streams, runExclusively }) => new OriginSlots(3, 2, streams, runExclusively),
  );
  expect(first.take("192.0.2.1")).toBeDefined();
  const release = second.take("192.0.2.1");
  expect(release).toBeDefined();
  expect(first.isFullFor("192.0.2.1")).toBe(true);
  expect(first.take("192.0.2.1")).toBeUndefined();
  expect(second.take(undefined)).toBeDefined();
  expect(first.isFull).toBe(true);
  expect(first.take("192.0.2.2")).toBeUndefined();
  release?.();
  release?.();
  expect(first.total).toBe(2);
  expect(first.take("192.0.2.1")).toBeDefined();
  // The first thread ends: only its two slots are given back.
  resetThread(memory, 0);
  expect(second.total).toBe(1);
  expect(second.isFullFor("192.0.2.1")).toBe(false);
});

test("a thread that ends while it holds the lock blocks no other thread", () => {
  const { counts, memory } = shared();
  new Int32Array(memory.lock)[0] = 1;
  resetThread(memory, 0);
  expect(counts[1].runExclusively(() => "done")).toBe("done");
});

test("long-lived connections, calls and unread bytes are summed over threads", () => {
  const { counts, memory } = shared();
  const limits = counts.map((one) => new ConnectionLimit(8, [], new HttpCounters(), one));
  const releases = Array.from({ length: 6 }, (_, i) => limits[i % 2].addLongLived(socket));
  expect(limits.map((limit) => limit.hasLongLivedRoom)).toEqual([false, false]);
  expect(limits.map((limit) => limit.longLivedCount)).toEqual([3, 3]);
  releases[0]();
  expect(limits[1].hasLongLivedRoom).toBe(true);
  counts[0].calls.add(5);
  counts[1].calls.add(2);
  expect(counts.map(({ calls }) => [calls.own, calls.total])).toEqual([
    [5, 7],
    [2, 7],
  ]);
  resetThread(memory, 0);
  expect(counts[1].calls.total).toBe(2);
});

test("a thread with more than its share of requests closes its surplus of connections", () => {
  let balances: readonly ConnectionBalance[] = [];
  const restart = (): void => {
    balances = shared().counts.map((one) => new ConnectionBalance(one));
  };
  /** Sends rounds of requests on all connections; returns how many each thread closes. */
  const send = (rounds: number, ...connections: readonly number[]): number[] => {
    const sockets = connections.map((count) => Array.from({ length: count }, () => ({}) as Socket));
    const closed = connections.map(() => 0);
    for (let round = 0; round < rounds; round++)
      sockets.forEach((open, thread) => {
        for (const one of open) if (balances[thread].countRequest(one)) closed[thread]++;
      });
    return closed;
  };
  restart();
  // 512 requests of the first thread in 32 rounds; 128 of the second.
  const [many, few] = send(33, 16, 4);
  expect(many).toBeGreaterThanOrEqual(5);
  expect(many).toBeLessThanOrEqual(7);
  expect(few).toBe(0);
  restart();
  expect(send(100, 8, 8)).toEqual([0, 0]);
  // The load of one connection cannot be divided.
  restart();
  expect(send(2_000, 1, 0)).toEqual([0, 0]);
});
