import { expect, test } from "vitest";
import { ByteReader } from "../bytes/reader.ts";
import { ByteWriter } from "../bytes/writer.ts";
import { readInteger, writeInteger } from "../storage/values/statistics.ts";
import { daySumsOf, statisticsIndex } from "./statistics.ts";
import { addresses, IndexChain, people, timeOf, transactionOf, unitOf } from "./testing/index-chain.ts";

const DAY_MS = 86_400_000n;

test("sums of amounts have no bound", () => {
  const most = 2n ** 63n - 1n;
  for (const value of [0n, 1n, -1n, 63n, 64n, -64n, -65n, most, -most, 1_000n * most, -1_000n * most]) {
    const writer = new ByteWriter();
    writeInteger(writer, value);
    const reader = new ByteReader(writer.toBytes());
    expect(readInteger(reader)).toBe(value);
    expect(reader.remaining).toBe(0);
  }
  const chain = new IndexChain([statisticsIndex()]);
  const lend = (height: number) =>
    transactionOf(people[0], 8, { recipient: addresses[1], amount: most - 10_000_000_000n }, timeOf(height));
  for (let height = 1; height <= 4; height++) chain.apply(unitOf(height, 0, 0, [lend(height)]));
  const day = Number(timeOf(1) / DAY_MS);
  expect(daySumsOf(chain.store, day, day + 1).map(({ leased }) => leased)).toContain(
    4n * (most - 10_000_000_000n),
  );
});

test("what is lent goes on from block to block, whichever days their times are of", () => {
  const chain = new IndexChain([statisticsIndex()]);
  const add = (height: number, day: bigint): void => {
    const lease = transactionOf(people[0], 8, { recipient: addresses[1], amount: 1n }, timeOf(height));
    chain.apply({ ...unitOf(height, 0, 0, [lease]), timestamp: day * DAY_MS + 5n });
  };
  // The chain's clock may go back: a day goes on then where the block before it stood.
  for (const [i, day] of [10n, 11n, 10n, 11n].entries()) add(i + 1, day);
  expect(daySumsOf(chain.store, 10, 11).map(({ blocks, leased }) => ({ blocks, leased }))).toEqual([
    { blocks: 2, leased: 3n },
    { blocks: 2, leased: 4n },
  ]);
});

test("days before 1970, and before and behind the chain, are those without a block", () => {
  const chain = new IndexChain([statisticsIndex()]);
  const lease = transactionOf(people[0], 8, { recipient: addresses[1], amount: 7n }, timeOf(1));
  chain.apply({ ...unitOf(1, 0, 0, [lease]), timestamp: 3n * DAY_MS });
  const leased = (from: number, to: number) => daySumsOf(chain.store, from, to).map((sums) => sums.leased);
  expect(leased(-40, -38)).toEqual([0n, 0n, 0n]);
  expect(leased(-1, 4)).toEqual([0n, 0n, 0n, 0n, 7n, 7n]);
  expect(leased(100, 101)).toEqual([7n, 7n]);
});
