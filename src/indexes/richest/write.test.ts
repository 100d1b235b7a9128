import { expect, test } from "vitest";
import { addressText } from "../../crypto/addresses.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { UnitKey } from "../../storage/places.ts";
import { UnitPostings } from "../../storage/postings/unit-postings.ts";
import { tables } from "../../storage/tables.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { accountPointValue } from "../../storage/values/ledger.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { unitOf } from "../testing/index-chain.ts";
import { sourceOf } from "../testing/query-source.ts";
import { RichestQuery } from "./query.ts";
import { MAX_RICHEST, richestIndex, richestState } from "./write.ts";

const none = { leaseIn: 0n, leaseOut: 0n, unbonding: 0n };
const small = { accounts: 10, cutAbove: 14, statesPerUpdate: 40 };

/** Spreads accounts over the buckets, several in each. */
function addressOf(number: number): Uint8Array {
  const address = new Uint8Array(26);
  new DataView(address.buffer).setUint32(2, (number % 7) * 0x2000_0000 + number);
  return address;
}

type Changes = ReadonlyMap<number, bigint>;

/** A store with account changes. */
class Accounts {
  readonly store = memoryStore();
  readonly units: { readonly unit: UnitKey; readonly changes: Changes }[] = [];
  readonly #index;

  constructor(sizes?: typeof small) {
    this.#index = richestIndex(sizes);
  }

  change(changes: Changes, unit: UnitKey = { height: this.units.length + 1, sequence: 0 }): void {
    this.units.push({ unit, changes });
    const postings = Array.from(changes, ([number, balance]) => ({
      key: addressOf(number),
      value: accountPointValue.encode({ ...none, balance }),
    }));
    const { height, sequence } = unit;
    this.store.write((batch) => {
      batch.beginUnit({ height, sequence });
      if (postings.length > 0)
        batch.insert(tables.accountHistory, { height, sequence }, UnitPostings.of(postings));
      // Indexes do not get persist units.
      if (sequence !== PERSIST_SEQUENCE) this.#index.apply(batch, unitOf(height, sequence, 0, []));
      batch.endUnit();
    });
  }

  undo(): void {
    const last = this.units.pop();
    if (last !== undefined) this.store.write((batch) => batch.undoUnit(last.unit));
  }

  get listed(): readonly string[] {
    return this.store.read((reader) =>
      new RichestQuery(sourceOf(reader))
        .accounts()
        .map(({ address, balance }) => `${balance} ${addressText(address)}`),
    );
  }

  get floor(): bigint {
    return this.store.read(richestState).floor;
  }

  /** All accounts with at least this balance, in order. */
  above(floor: bigint): string[] {
    const balances = new Map(this.units.flatMap(({ changes }) => [...changes]));
    return [...balances]
      .filter(([, balance]) => balance >= floor)
      .sort(([a, one], [b, other]) =>
        one === other ? Buffer.compare(addressOf(a), addressOf(b)) : one < other ? 1 : -1,
      )
      .map(([number, balance]) => `${balance} ${addressText(addressOf(number))}`);
  }
}

test("lists all accounts with tokens while they fit", () => {
  const accounts = new Accounts();
  expect(accounts.listed).toEqual([]);
  accounts.change(new Map([1n, 9n, 0n].map((balance, i) => [i, balance])));
  accounts.change(
    new Map([
      [0, 20n],
      [3, 7n],
    ]),
  );
  accounts.change(new Map([[1, 0n]]));
  expect(accounts.listed).toEqual(accounts.above(1n));
  expect(accounts.listed).toHaveLength(2);
});

test("is complete if all accounts are in one row", () => {
  const accounts = new Accounts({ accounts: 400, cutAbove: 500, statesPerUpdate: 50 });
  const random = new SeededRandom(5);
  for (const count of [600, 10, 300, 45, 600]) {
    // Multiples of seven have the same first byte.
    const change = (): [number, bigint] => [7 * random.below(900), BigInt(random.below(1_000))];
    accounts.change(new Map(Array.from({ length: count }, change)));
    expect(accounts.listed).toEqual(accounts.above(accounts.floor));
  }
  expect(accounts.floor).toBeGreaterThan(1n);
});

test("is complete from its floor up, through updates, cuts, gains, losses and undone units", () => {
  let [cuts, undone, shortest] = [0, 0, small.accounts];
  for (let seed = 1; seed <= 8; seed++) {
    const random = new SeededRandom(seed);
    const accounts = new Accounts(small);
    const before: string[][] = [];
    for (let step = 0; step < 80; step++) {
      if (random.chance(15)) {
        for (let back = random.below(12); back > 0 && accounts.units.length > 0; back--) {
          accounts.undo();
          expect(accounts.store.read(journaledRows)).toEqual(before.pop());
          undone++;
        }
        continue;
      }
      before.push(accounts.store.read(journaledRows));
      const changes = new Map(
        Array.from({ length: random.below(12) }, () => [random.below(60), BigInt(random.below(1_000))]),
      );
      const { height, sequence } = accounts.units.at(-1)?.unit ?? { height: 0, sequence: 0 };
      const isPersist = height > 0 && sequence !== PERSIST_SEQUENCE && random.chance(10);
      const isMicro = height > 0 && sequence !== PERSIST_SEQUENCE && random.chance(50);
      if (isPersist) accounts.change(changes, { height, sequence: PERSIST_SEQUENCE });
      else
        accounts.change(
          changes,
          isMicro ? { height, sequence: sequence + 1 } : { height: height + 1, sequence: 0 },
        );
      const { floor, listed } = accounts;
      expect(listed).toEqual(accounts.above(floor));
      if (floor > 1n) {
        cuts++;
        shortest = Math.min(shortest, listed.length);
      }
    }
    const again = new Accounts(small);
    for (const { changes, unit } of accounts.units) again.change(changes, unit);
    expect(again.store.read(journaledRows)).toEqual(accounts.store.read(journaledRows));
    expect(accounts.store.read(richestState).count).toBeLessThanOrEqual(small.cutAbove);
  }
  expect(cuts).toBeGreaterThan(100);
  expect(undone).toBeGreaterThan(100);
  expect(shortest).toBeGreaterThan(0);
});

test("has the 10,000 richest of many", () => {
  const random = new SeededRandom(7);
  const accounts = new Accounts();
  for (let start = 0; start < 25_000; start += 5_000)
    accounts.change(
      new Map(Array.from({ length: 5_000 }, (_, i) => [start + i, BigInt(random.below(1_000_000_000))])),
    );
  const { floor, listed } = accounts;
  expect(floor).toBeGreaterThan(1n);
  expect(listed).toEqual(accounts.above(floor).slice(0, MAX_RICHEST));
  expect(listed).toHaveLength(MAX_RICHEST);
});
