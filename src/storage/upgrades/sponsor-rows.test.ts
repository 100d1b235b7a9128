import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bytesKey } from "../../bytes/compare.ts";
import { type Account, emptyAccount } from "../../ledger/state.ts";
import { MemoryLedger, type SavedLedger } from "../../ledger/testing/memory-ledger.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { allTables } from "../batch/write-batch.ts";
import { bytesKeyCodec, bytesValue, table } from "../codecs.ts";
import { heightKey } from "../keys.ts";
import { StoredLedgerView } from "../ledger/ledger-view.ts";
import { MAX_TRACKED_SPONSORSHIPS } from "../ledger/sponsors.ts";
import type { UnitKey } from "../places.ts";
import { openStore, type Store } from "../store.ts";
import { tables } from "../tables.ts";
import { killedAfter } from "../testing/killed-after.ts";
import { upgradeStore } from "../upgrade.ts";
import { accountValue } from "../values/ledger.ts";

const network = "test";
/** Tables of format 5: accounts without a count of sponsored accounts, and all sponsors of an account in one row. */
const oldLists = table(0x38, "sponsors", bytesKeyCodec, bytesValue);
const ACCOUNTS = 24;
const SPONSORS = 12;
const UNITS = 40;
/** Units pruned from the journal. */
const PRUNED = 15;
const FEES = [-3n, 0n, 1n, 2n, 4n, 7n, 8n];
const NOBODY = new Uint8Array(0);

const address = (n: number): Uint8Array => new Uint8Array(26).fill(n);
const list = (addresses: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(addresses.flatMap((one) => [...one]));

let directory: string;

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "holdfast-upgrade-")), "store");
});

afterEach(() => {
  rmSync(join(directory, ".."), { recursive: true, force: true });
});

/** The states before and after each unit. */
interface History {
  readonly units: { readonly unit: UnitKey; readonly before: SavedLedger }[];
  readonly model: MemoryLedger;
}

/** Makes random changes as in format 5: each row once per unit, with its previous value in the journal. */
function fillOld(store: Store, seed: number): History {
  const random = new SeededRandom(seed);
  const model = new MemoryLedger();
  const units: History["units"] = [];
  const amount = (): bigint => BigInt(random.below(8));
  const batch = store.begin();
  for (let n = 0; n < UNITS; n++) {
    const unit = { height: n + 1, sequence: 0 };
    units.push({ unit, before: model.save() });
    const changed = { accounts: new Set<number>(), lists: new Set<number>() };
    for (let i = 0; i < 20; i++) {
      const [one, sponsor] = [random.below(ACCOUNTS), 100 + random.below(SPONSORS)];
      const draw = random.below(10);
      if (draw < 4) {
        const to: Account = { ...emptyAccount, balance: amount(), leaseOut: amount() };
        model.setAccount(address(sponsor), to);
        changed.accounts.add(sponsor);
      } else if (model.isSponsor(address(one), address(sponsor)) === draw < 5) {
        if (draw < 5) model.removeSponsor(address(one), address(sponsor));
        else model.addSponsor(address(one), address(sponsor));
        changed.lists.add(one);
      }
    }
    batch.beginUnit(unit);
    for (const sponsor of changed.accounts)
      batch.put(tables.accounts, address(sponsor), {
        ...model.account(address(sponsor)),
        changedAt: unit.height,
      });
    for (const one of changed.lists) {
      const sponsors = model.sponsors(address(one));
      if (sponsors.length === 0) batch.remove(oldLists, address(one));
      else batch.put(oldLists, address(one), list(sponsors));
    }
    batch.endUnit();
  }
  // Prune the oldest units, so that the journal begins in the middle.
  batch.pruneJournal(PRUNED);
  batch.put(tables.meta, "format", heightKey.encode(5));
  store.commit(batch);
  return { units, model };
}

async function makeOld(seed: number): Promise<History> {
  const store = await openStore(directory, { network });
  const history = fillOld(store, seed);
  await store.close();
  const marker = { format: 5, network, written: true };
  writeFileSync(join(directory, "holdfast-store.json"), JSON.stringify(marker));
  return history;
}

function expectState(store: Store, model: MemoryLedger): void {
  store.read((reader) => {
    const view = new StoredLedgerView(reader);
    const sponsored = new Map<string, number>();
    for (let n = 0; n < ACCOUNTS; n++) {
      const sponsors = model.sponsors(address(n)).map(bytesKey);
      for (const sponsor of sponsors) sponsored.set(sponsor, (sponsored.get(sponsor) ?? 0) + 1);
      expect(view.sponsors(address(n)).map(bytesKey)).toEqual(sponsors);
      expect(view.sponsorCount(address(n))).toBe(sponsors.length);
      const payers = (ledger: StoredLedgerView | MemoryLedger): string[] =>
        FEES.map((fee) => bytesKey(ledger.payingSponsor(address(n), fee) ?? NOBODY));
      expect(payers(view)).toEqual(payers(model));
    }
    for (let sponsor = 100; sponsor < 100 + SPONSORS; sponsor++) {
      const row = reader.get(tables.accounts, address(sponsor));
      expect(row?.sponsored ?? 0).toBe(sponsored.get(bytesKey(address(sponsor))) ?? 0);
      expect({ ...emptyAccount, ...row }).toMatchObject(model.account(address(sponsor)));
    }
  });
}

test.each([1, 2])(
  "sponsors of a store of format 5 stay the same, also after each undone unit (seed %i)",
  async (seed) => {
    const { units, model } = await makeOld(seed);
    const store = await openStore(directory, { network });
    expect([...store.range(oldLists)]).toEqual([]);
    expectState(store, model);
    let untracked = 0;
    for (const { unit, before } of units.slice(PRUNED).toReversed()) {
      untracked += [...store.range(tables.accounts)].filter(
        ([, row]) => (row.sponsored ?? 0) > MAX_TRACKED_SPONSORSHIPS,
      ).length;
      store.write((batch) => batch.undoUnit(unit));
      model.restore(before);
      expectState(store, model);
    }
    expect(untracked).toBeGreaterThan(0);
    await store.close();
  },
);

test("an upgrade interrupted before the directory was marked is completed", async () => {
  const { model } = await makeOld(4);
  const store = await openStore(directory, { network });
  const rows = allTables.map((one) => [...store.scan(one, {})].length);
  await store.close();
  writeFileSync(
    join(directory, "holdfast-store.json"),
    JSON.stringify({ format: 5, network, written: true }),
  );
  const again = await openStore(directory, { network });
  expect(allTables.map((one) => [...again.scan(one, {})].length)).toEqual(rows);
  expectState(again, model);
  await again.close();
});

test("an upgrade killed at any of its commits, which are small, ends like an uninterrupted one", async () => {
  const limits = { rows: 10, units: 5, events: 1 };
  const upgrade = (store: Store): unknown => [...upgradeStore(store, limits)];
  let expected: unknown;
  for (let commits = 0, isKilled = true; isKilled; commits++) {
    const store = await openStore(`${directory}-${commits}`, { network });
    const { model } = fillOld(store, 3);
    // The first store is not killed.
    isKilled = commits === 0 || killedAfter(store, commits, upgrade);
    upgrade(store);
    const rows = allTables
      .flatMap((one) =>
        Array.from(
          store.scan(one, {}),
          ([key, value]) => `${one.name} ${bytesKey(key)} ${bytesKey(one.value.encode(value))}`,
        ),
      )
      .filter((row) => !row.startsWith("meta owner"));
    expected ??= rows;
    expect(rows).toEqual(expected);
    // Units of the journal in both directions.
    if (!isKilled) expect(commits).toBeGreaterThan((2 * (UNITS - PRUNED)) / limits.units);
    if (!isKilled) expectState(store, model);
    await store.close();
  }
});

test("a store without sponsors stays unchanged", async () => {
  const store = await openStore(directory, { network });
  const unit = { height: 1, sequence: 0 };
  const row = { ...emptyAccount, balance: 5n, changedAt: 1 };
  store.write((batch) => {
    batch.put(tables.meta, "format", heightKey.encode(5));
    batch.beginUnit(unit);
    batch.put(tables.accounts, address(1), row);
    batch.endUnit();
  });
  await store.close();
  const upgraded = await openStore(directory, { network });
  expect(upgraded.get(tables.accounts, address(1))).toEqual(row);
  upgraded.write((batch) => batch.undoUnit(unit));
  expect(upgraded.get(tables.accounts, address(1))).toBeUndefined();
  expect(accountValue.encode(row)).toHaveLength(12);
  await upgraded.close();
});
