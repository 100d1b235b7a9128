import { expect, test } from "vitest";
import { memoryStore } from "../../storage/memory-store.ts";
import { UnitPostings } from "../../storage/postings/unit-postings.ts";
import { tables } from "../../storage/tables.ts";
import { accountPointValue } from "../../storage/values/ledger.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { addresses, people, transactionOf, unitOf } from "../testing/index-chain.ts";
import { sourceOf } from "../testing/query-source.ts";
import { RichestQuery } from "./query.ts";
import { MAX_RICHEST, richestIndex } from "./write.ts";

const none = { leaseIn: 0n, leaseOut: 0n, unbonding: 0n };

function addressOf(number: number): Uint8Array {
  const address = new Uint8Array(26);
  new DataView(address.buffer).setUint32(0, number);
  return address;
}

/** A store with account changes, one unit each. */
class Accounts {
  readonly store = memoryStore();
  readonly balances = new Map<number, bigint>();
  readonly #index = richestIndex();
  height = 0;

  /** @param moved amount of a transfer in the unit, at least what any account loses */
  change(changes: ReadonlyMap<number, bigint>, moved = 0n): void {
    this.height++;
    const transfer = () =>
      transactionOf(
        people[0],
        4,
        { recipient: addresses[1], amount: moved, attachment: new Uint8Array(0) },
        1n,
      );
    const unit = unitOf(this.height, 0, 0, moved === 0n ? [] : [transfer()]);
    const postings = Array.from(changes, ([number, balance]) => {
      this.balances.set(number, balance);
      return { key: addressOf(number), value: accountPointValue.encode({ ...none, balance }) };
    });
    this.store.write((batch) => {
      batch.beginUnit(unit);
      batch.insert(tables.accountHistory, unit, UnitPostings.of(postings));
      this.#index.apply(batch, unit);
      batch.endUnit();
    });
  }

  get listed(): readonly bigint[] {
    return this.store.read((reader) =>
      new RichestQuery(sourceOf(reader)).accounts().map(({ balance }) => balance),
    );
  }

  get highest(): bigint[] {
    return [...this.balances.values()].filter((one) => one > 0n).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  }
}

test("lists all accounts with tokens while they fit", () => {
  const accounts = new Accounts();
  accounts.change(
    new Map([
      [1, 5n],
      [2, 9n],
      [3, 0n],
    ]),
  );
  accounts.change(
    new Map([
      [1, 20n],
      [4, 7n],
    ]),
    30n,
  );
  accounts.change(new Map([[2, 0n]]), 9n);
  expect(accounts.listed).toEqual([20n, 7n]);
});

test("is complete from its lowest entry up, through cuts, gains and losses", () => {
  const random = new SeededRandom(7);
  const accounts = new Accounts();
  for (let start = 0; start < 15_000; start += 3_000)
    accounts.change(
      new Map(Array.from({ length: 3_000 }, (_, i) => [start + i, BigInt(random.below(1_000_000))])),
    );
  for (let step = 0; step < 30; step++) {
    const changes = new Map<number, bigint>();
    let moved = 1n;
    for (let i = 0; i < 50; i++) {
      const number = random.below(15_000);
      const before = accounts.balances.get(number) ?? 0n;
      const after = BigInt(random.below(1_000_000));
      if (after < before) moved += before - after;
      changes.set(number, after);
    }
    accounts.change(changes, moved);
  }
  const { listed } = accounts;
  expect(listed.length).toBeGreaterThan(MAX_RICHEST * 0.9);
  expect(listed.length).toBeLessThanOrEqual(MAX_RICHEST);
  expect(listed).toEqual(accounts.highest.slice(0, listed.length));
});

test("undone units leave the list as it was", () => {
  const accounts = new Accounts();
  accounts.change(
    new Map([
      [1, 5n],
      [2, 9n],
    ]),
  );
  const before = accounts.listed;
  accounts.change(
    new Map([
      [2, 1n],
      [3, 8n],
    ]),
    8n,
  );
  expect(accounts.listed).not.toEqual(before);
  accounts.store.write((batch) => batch.undoUnit({ height: accounts.height, sequence: 0 }));
  expect(accounts.listed).toEqual(before);
});
