import { expect, test } from "vitest";
import { bytesEqual } from "../../bytes/compare.ts";
import { ByteReader } from "../../bytes/reader.ts";
import { ByteWriter } from "../../bytes/writer.ts";
import { tables } from "../../storage/tables.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { readInteger, writeInteger } from "../../storage/values/statistics.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { addresses, IndexChain, people, timeOf, transactionOf, unitOf } from "../testing/index-chain.ts";
import { daySumsOf, forgersBetween } from "./query.ts";
import { senderCount } from "./senders.ts";
import { statisticsIndex } from "./write.ts";

const DAY_MS = 86_400_000n;

test("senders are counted without their names, within a few percent", () => {
  const random = new SeededRandom(9);
  const chain = new IndexChain([statisticsIndex()]);
  const [sample] = unitOf(1, 0, 0, [
    transactionOf(people[0], 4, { recipient: addresses[1], amount: 1n, attachment: new Uint8Array(0) }, 1n),
  ]).transactions;
  const day = Number(timeOf(1) / DAY_MS);
  let sent = 0;
  for (const [height, total, tolerance] of [
    [1, 100, 0.02],
    [2, 5_000, 0.02],
    [3, 30_000, 0.05],
  ]) {
    const transactions = Array.from({ length: total - sent }, (_, position) => {
      const transaction = { ...sample.transaction, senderAddress: random.bytes(26) };
      return { ...sample, position, transaction };
    });
    // Repeated senders count once.
    chain.apply({
      ...unitOf(height, 0, 0, []),
      transactions: [...transactions, ...transactions.slice(0, 50)],
    });
    sent = total;
    const bitmap = chain.store.read((reader) => reader.get(tables.daySenders, day));
    expect(Math.abs(senderCount(bitmap) / total - 1)).toBeLessThan(tolerance);
  }
  expect(senderCount()).toBe(0);
});

test("sums of amounts are unbounded", () => {
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

test("the leased amount carries over from block to block, whatever their days", () => {
  const chain = new IndexChain([statisticsIndex()]);
  const add = (height: number, day: bigint): void => {
    const lease = transactionOf(people[0], 8, { recipient: addresses[1], amount: 1n }, timeOf(height));
    chain.apply({ ...unitOf(height, 0, 0, [lease]), timestamp: day * DAY_MS + 5n });
  };
  // Block times may go back: a day then continues from the block before.
  for (const [i, day] of [10n, 11n, 10n, 11n].entries()) add(i + 1, day);
  expect(daySumsOf(chain.store, 10, 11).map(({ blocks, leased }) => ({ blocks, leased }))).toEqual([
    { blocks: 2, leased: 3n },
    { blocks: 2, leased: 4n },
  ]);
});

test("days before 1970, and before and after the chain, have no blocks", () => {
  const chain = new IndexChain([statisticsIndex()]);
  const lease = transactionOf(people[0], 8, { recipient: addresses[1], amount: 7n }, timeOf(1));
  chain.apply({ ...unitOf(1, 0, 0, [lease]), timestamp: 3n * DAY_MS });
  const leased = (from: number, to: number) => daySumsOf(chain.store, from, to).map((sums) => sums.leased);
  expect(leased(-40, -38)).toEqual([0n, 0n, 0n]);
  expect(leased(-1, 4)).toEqual([0n, 0n, 0n, 0n, 7n, 7n]);
  expect(leased(100, 101)).toEqual([7n, 7n]);
});

test("a fork at midnight moves its totals to the day of the remaining blocks", () => {
  const chain = new IndexChain([statisticsIndex()]);
  const day = 20_000n;
  const midnight = (day + 1n) * DAY_MS;
  const [here, there] = [addresses[0], addresses[1]];
  const transfer = (height: number) =>
    transactionOf(
      people[0],
      4,
      { recipient: there, amount: 1n, attachment: new Uint8Array(0) },
      timeOf(height),
    );
  const lend = (height: number) =>
    transactionOf(people[0], 8, { recipient: there, amount: 9n }, timeOf(height));
  const unit = (height: number, sequence: number, timestamp: bigint, generator: Uint8Array) => ({
    ...unitOf(
      height,
      sequence,
      sequence,
      sequence > 0 ? [transfer(height), lend(height)] : [transfer(height)],
    ),
    timestamp,
    generator,
  });
  /** The days before and after midnight. */
  const days = () =>
    daySumsOf(chain.store, Number(day), Number(day) + 1).map(({ blocks, operations, leaseIn, leased }) => [
      blocks,
      operations,
      leaseIn,
      leased,
    ]);
  const forged = (at: bigint) =>
    forgersBetween(chain.store, Number(at), Number(at), chain.height).map(({ address, blocks, reward }) => [
      bytesEqual(address, here) ? "here" : "there",
      blocks,
      reward,
    ]);
  chain.apply(unit(1, 0, midnight - 2_000n, here));
  // The last block of the day has a micro block after midnight: it belongs to the day of its block.
  chain.apply(unit(2, 0, midnight - 1n, here));
  chain.apply(unit(2, 1, midnight - 1n, here));
  chain.apply(unit(3, 0, midnight, here));
  expect(days()).toEqual([
    [2, 4, 9n, 9n],
    [1, 1, 0n, 9n],
  ]);
  expect(forged(day)).toEqual([["here", 1, 2_003n]]);
  expect(forged(day + 1n)).toEqual([["here", 1, 1_001n]]);
  // Another branch begins at midnight: the block before it and its micro block are gone.
  for (const _ of [3, 2, 2]) chain.undo();
  chain.apply(unit(2, 0, midnight, there));
  chain.apply(unit(2, 1, midnight, there));
  expect(days()).toEqual([
    [1, 1, 0n, 0n],
    [1, 3, 9n, 9n],
  ]);
  expect(forged(day)).toEqual([]);
  expect(forged(day + 1n)).toEqual([["there", 1, 2_003n]]);
  // Back to before midnight.
  for (const _ of [2, 2]) chain.undo();
  chain.apply(unit(2, 0, midnight - 1n, there));
  expect(days()).toEqual([
    [2, 2, 0n, 0n],
    [0, 0, 0n, 0n],
  ]);
  expect(forged(day)).toEqual([["there", 1, 1_001n]]);
  expect(forged(day + 1n)).toEqual([]);
  expect(journaledRows(chain.store)).toEqual(
    journaledRows(new IndexChain([statisticsIndex()], chain.units).store),
  );
});
