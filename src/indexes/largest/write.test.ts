import { expect, test } from "vitest";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { TransferPeriod } from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import type { Transaction } from "../../transactions/index.ts";
import { addresses, IndexChain, people, timeOf, transactionOf, unitOf } from "../testing/index-chain.ts";
import { sourceOf } from "../testing/query-source.ts";
import { LargestTransferQuery } from "./query.ts";
import { KEPT_DAYS, largestTransferIndex, MAX_CHAIN_TRANSFERS, MAX_DAY_TRANSFERS } from "./write.ts";

const DAY_MS = 86_400_000;
const attachment = new Uint8Array(0);

const transfers = new Map<bigint, Transaction>();

/** Signing takes most of the time, so tests share transactions. */
function transfer(amount: bigint): Transaction {
  return getOrInsert(transfers, amount, () =>
    transactionOf(people[0], 4, { recipient: addresses[1], amount, attachment }, 1n),
  );
}

/** Heights and positions, which stand for the transactions. */
function placesOf(chain: IndexChain, period: TransferPeriod, limit = 100_000): string[] {
  return chain.store.read((reader) => {
    const source = sourceOf(reader);
    const places: string[] = [];
    const query = new LargestTransferQuery({
      ...source,
      transactionAt: ({ height, position }) => {
        places.push(`${height}/${position}`);
        return undefined;
      },
    });
    // The units of these tests have no ledger.
    Object.defineProperty(source.ledger, "height", { value: chain.height });
    query.transfers({ period, limit });
    return places;
  });
}

test("lists transfers by amount; mass transfers count with their sum", () => {
  const chain = new IndexChain([largestTransferIndex()]);
  const payouts = [addresses[1], addresses[2]].map((recipient) => ({ recipient, amount: 6n }));
  const mass = transactionOf(people[0], 11, { transfers: payouts, attachment }, 1n);
  const lease = transactionOf(people[0], 8, { recipient: addresses[1], amount: 50n }, 1n);
  chain.apply(unitOf(1, 0, 0, [transfer(5n), mass, transfer(20n), lease]));
  chain.apply(unitOf(2, 0, 0, [transfer(20n)]));
  expect(placesOf(chain, "all")).toEqual(["2/0", "1/2", "1/1", "1/0"]);
  expect(placesOf(chain, "all", 2)).toEqual(["2/0", "1/2"]);
});

test("keeps exactly the largest of each day and of the chain; of equal ones at the end, the oldest", () => {
  const random = new SeededRandom(3);
  const chain = new IndexChain([largestTransferIndex()]);
  // Blocks are 25 minutes apart, so these are five a day.
  const every = 12;
  let all: { height: number; position: number; amount: bigint; day: number }[] = [];
  const last = every * 5 * (KEPT_DAYS + 3);
  let undone = false;
  for (let height = every; height <= last; height += every) {
    const amounts = Array.from({ length: 350 }, () => BigInt(1 + random.below(500)));
    const day = Math.floor(Number(timeOf(height)) / DAY_MS);
    for (const [position, amount] of amounts.entries()) all.push({ height, position, amount, day });
    chain.apply(unitOf(height, 0, 0, amounts.slice(0, 200).map(transfer)));
    chain.apply(unitOf(height, 1, 200, amounts.slice(200).map(transfer)));
    if (height === every * 50 && !undone) {
      // The chain's list has been cut in the undone units.
      for (let unit = 0; unit < 20; unit++) chain.undo();
      height -= every * 10;
      all = all.filter((one) => one.height <= height);
      undone = true;
    }
  }
  const today = Math.floor(Number(timeOf(last)) / DAY_MS);
  const largest = (from: number, limit: number): string[] =>
    all
      .filter(({ day }) => day >= from)
      .sort((a, b) => Number(b.amount - a.amount) || a.height - b.height || a.position - b.position)
      .slice(0, limit)
      .sort((a, b) => Number(b.amount - a.amount) || b.height - a.height || b.position - a.position)
      .map(({ height, position }) => `${height}/${position}`);
  expect(placesOf(chain, "day")).toEqual(largest(today, MAX_DAY_TRANSFERS));
  expect(placesOf(chain, "week")).toEqual(largest(today - 6, MAX_DAY_TRANSFERS));
  expect(placesOf(chain, "all")).toEqual(largest(0, MAX_CHAIN_TRANSFERS));
  const states = chain.store.read((reader) => [...reader.range(tables.transferLists)]);
  expect(states.length).toBeLessThanOrEqual(KEPT_DAYS + 2);
  expect(states.filter(([, { floor }]) => floor > 1n).length).toBeGreaterThan(5);
  const stored = chain.store.read((reader) =>
    Array.from(reader.range(tables.largestTransfers), ([, transfers]) => transfers.length),
  );
  const counted = states.reduce((sum, [, { count }]) => sum + count, 0);
  expect(stored.reduce((sum, length) => sum + length, 0)).toBe(counted);
  expect(counted).toBeLessThanOrEqual(1.5 * (MAX_CHAIN_TRANSFERS + MAX_DAY_TRANSFERS * (KEPT_DAYS + 1)));
});

test("undone units leave the rows as they were", () => {
  const chain = new IndexChain([largestTransferIndex()]);
  chain.apply(unitOf(1, 0, 0, [transfer(5n)]));
  const before = chain.store.read(journaledRows);
  chain.apply(
    unitOf(
      2,
      0,
      0,
      Array.from({ length: 3_000 }, (_, i) => transfer(BigInt((i % 300) + 1))),
    ),
  );
  chain.undo();
  expect(chain.store.read(journaledRows)).toEqual(before);
});
