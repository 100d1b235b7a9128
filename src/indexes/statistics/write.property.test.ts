/** Compares daily totals, forgers and credential statements with a count over the remaining blocks. */
import { expect, it } from "vitest";
import { bytesKey } from "../../bytes/compare.ts";
import { addressText } from "../../crypto/addresses.ts";
import { tables } from "../../storage/tables.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { definitionOf } from "../../transactions/index.ts";
import { credentialStatements } from "../credentials/query.ts";
import { credentialIndex } from "../credentials/write.ts";
import { dayOf } from "../forged-blocks.ts";
import { GeneratorQuery } from "../generators/query.ts";
import { generatorIndex } from "../generators/write.ts";
import {
  addresses,
  IndexChain,
  people,
  randomTransaction,
  timeOf,
  transactionOf,
} from "../testing/index-chain.ts";
import { sourceOf } from "../testing/query-source.ts";
import { daySumsOf, forgersBetween } from "./query.ts";
import { senderCount } from "./senders.ts";
import { statisticsIndex } from "./write.ts";

const WINDOW = 7;
const CHAINS = 10;
const UNITS = 80;

const indexes = [
  statisticsIndex(),
  generatorIndex(WINDOW),
  credentialIndex({ status: "all", disputes: "all" }),
];

/** Returns a random chain that leases and cancels leases. */
function randomChain(seed: number): IndexChain {
  const random = new SeededRandom(seed);
  const chain = new IndexChain(indexes);
  for (let i = 0; i < UNITS; i++) {
    const transactions = Array.from({ length: random.below(4) }, () =>
      randomTransaction(random, chain.height),
    );
    const sender = random.pick(people.slice(1));
    const make = (type: number, members: object) =>
      transactions.push(transactionOf(sender, type, { ...members }, timeOf(chain.height)));
    if (random.chance(30)) make(8, { recipient: addresses[0], amount: BigInt(1 + random.below(1_000)) });
    const lent = leasesOf(chain);
    if (lent.length > 0 && random.chance(30)) make(9, { leaseId: random.pick(lent).id });
    chain.grow(random, transactions);
    if (random.chance(10))
      for (let back = random.below(12); back > 0 && chain.units.length > 0; back--) chain.undo();
  }
  return chain;
}

function leasesOf(chain: IndexChain) {
  const entries = chain.units.flatMap((unit) => unit.transactions);
  return entries.flatMap(({ id, transaction }) =>
    transaction.type === 8 ? [{ id, amount: transaction.amount }] : [],
  );
}

interface Day {
  blocks: number;
  operations: number;
  anchors: number;
  fees: bigint;
  senders: Set<string>;
  in: bigint;
  out: bigint;
  types: Map<number, number>;
}

let chains: readonly IndexChain[] | undefined;

function each(check: (chain: IndexChain) => void): void {
  chains ??= Array.from({ length: CHAINS }, (_, i) => randomChain(i + 1));
  for (const chain of chains) check(chain);
}

it("follow from the remaining blocks", () => {
  let [taken, days] = [0n, 0];
  each((chain) => {
    expect(journaledRows(chain.store)).toEqual(journaledRows(new IndexChain(indexes, chain.units).store));
    const amounts = new Map(leasesOf(chain).map(({ id, amount }) => [bytesKey(id), amount]));
    const byDay = new Map<number, Day>();
    for (const unit of chain.units) {
      const key = dayOf(unit.timestamp);
      const day = byDay.get(key) ?? {
        blocks: 0,
        operations: 0,
        anchors: 0,
        fees: 0n,
        senders: new Set(),
        in: 0n,
        out: 0n,
        types: new Map(),
      };
      byDay.set(key, day);
      if (unit.sequence === 0) {
        day.blocks++;
        if (unit.height < chain.height) day.fees += 2n * chain.rewardOf(unit.height);
      }
      for (const { transaction } of unit.transactions) {
        const { type } = transaction;
        day.senders.add(addressText(transaction.senderAddress));
        if (type === 15 || type === 22) day.anchors += transaction.anchors.length;
        day.types.set(type, (day.types.get(type) ?? 0) + 1);
        day.operations +=
          type === 11
            ? transaction.transfers.length
            : type === 15 || type === 22
              ? Math.max(1, transaction.anchors.length)
              : 1;
        if (type === 8) day.in += transaction.amount;
        if (type === 9) day.out += amounts.get(bytesKey(transaction.leaseId)) ?? 0n;
      }
    }
    const [first, last] = [dayOf(timeOf(1)) - 2, dayOf(timeOf(UNITS)) + 2];
    let leased = 0n;
    for (const [i, sums] of daySumsOf(chain.store, first, last).entries()) {
      const day = byDay.get(first + i);
      leased += (day?.in ?? 0n) - (day?.out ?? 0n);
      taken += day?.out ?? 0n;
      expect({ ...sums, height: 0 }).toEqual({
        height: 0,
        blocks: day?.blocks ?? 0,
        operations: day?.operations ?? 0,
        anchors: day?.anchors ?? 0,
        fees: day?.fees ?? 0n,
        leaseIn: day?.in ?? 0n,
        leaseOut: day?.out ?? 0n,
        leased,
        transactions: day?.types ?? new Map(),
      });
      const bitmap = chain.store.read((reader) => reader.get(tables.daySenders, first + i));
      expect(senderCount(bitmap)).toBe(day?.senders.size ?? 0);
    }
    days += byDay.size;
  });
  expect(taken).toBeGreaterThan(0n);
  expect(days).toBeGreaterThan(CHAINS);
});

it("show who forged, by day and among the newest blocks", () => {
  each((chain) => {
    const tip = chain.height;
    const blocks = chain.units.filter(({ sequence, height }) => sequence === 0 && height > 1);
    const sumsOf = (counted: typeof blocks): string[] => {
      const sums = new Map<string, { blocks: number; reward: bigint }>();
      for (const { generator, height } of counted) {
        const before = sums.get(addressText(generator)) ?? { blocks: 0, reward: 0n };
        const reward = before.reward + chain.rewardOf(height);
        sums.set(addressText(generator), { blocks: before.blocks + 1, reward });
      }
      return Array.from(sums, ([who, { blocks, reward }]) => `${who} ${blocks} ${reward}`).sort();
    };
    const texts = (found: ReturnType<typeof forgersBetween>) =>
      found.map(({ address, blocks, reward }) => `${addressText(address)} ${blocks} ${reward}`).sort();
    const [first, last] = [dayOf(timeOf(1)), dayOf(timeOf(tip))];
    for (let day = first; day <= last; day++) {
      const ofDays = blocks.filter(({ timestamp }) => dayOf(timestamp) >= day);
      expect(texts(forgersBetween(chain.store, day, last, tip))).toEqual(sumsOf(ofDays));
    }
    const newest = blocks.filter(({ height }) => height < tip && height >= tip - WINDOW);
    const found = [...new GeneratorQuery(sourceOf(chain.store)).all()].filter((forger) => forger.blocks > 0);
    expect(texts(found)).toEqual(sumsOf(newest));
  });
});

it("find the statements about a credential, by time, and no others", () => {
  let found = 0;
  each((chain) => {
    for (let id = 0; id < 3; id++) {
      const stated = chain.units
        .flatMap(({ height, transactions }) => transactions.map((one) => ({ ...one, height })))
        .filter(({ transaction }) => {
          const said = definitionOf(transaction).statement?.(transaction);
          return said?.subject?.[0] === id && said.statementType >= 0x10n && said.statementType <= 0x15n;
        })
        .sort((a, b) => Number(a.transaction.timestamp - b.transaction.timestamp))
        .map(({ height, position }) => `${height}/${position}`);
      const list = credentialStatements(chain.store, Uint8Array.of(id));
      expect(list.map(({ height, position }) => `${height}/${position}`)).toEqual(stated);
      found += list.length;
    }
  });
  expect(found).toBeGreaterThan(CHAINS);
});
