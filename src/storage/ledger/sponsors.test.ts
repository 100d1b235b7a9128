import { describe, expect, it } from "vitest";
import { bytesKey } from "../../bytes/compare.ts";
import { type Account, emptyAccount } from "../../ledger/state.ts";
import { MemoryLedger } from "../../ledger/testing/memory-ledger.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { Overlay } from "../batch/overlay.ts";
import { EncodingSource, WriteBatch } from "../batch/write-batch.ts";
import type { Bounds, Reader, Table } from "../kv.ts";
import { memoryStore } from "../memory-store.ts";
import type { UnitKey } from "../places.ts";
import type { Store } from "../store.ts";
import { journaledRows } from "../testing/dump.ts";
import { StoredLedger } from "./ledger-state.ts";
import { StoredLedgerView } from "./ledger-view.ts";
import { MAX_TRACKED_SPONSORSHIPS } from "./sponsors.ts";

const address = (n: number): Uint8Array => {
  const bytes = new Uint8Array(26).fill(1);
  new DataView(bytes.buffer).setUint32(4, n);
  return bytes;
};
const facts = (height: number) => ({
  timestamp: BigInt(height),
  generator: address(0),
  features: [],
  feeVote: 0,
});
const holding = (balance: bigint): Account => ({ ...emptyAccount, balance });

const NOBODY = new Uint8Array(0);
/** Spendable balances go from -14 to 7. */
const FEES = [-14n, -9n, -6n, -3n, 0n, 1n, 2n, 3n, 5n, 7n, 8n];

/** Applies the same changes to a stored ledger and to a model that searches the whole list. */
type Step =
  | { readonly kind: "sponsor" | "cancel"; readonly account: number; readonly sponsor: number }
  | { readonly kind: "account"; readonly sponsor: number; readonly to: Account };

function apply(ledger: MemoryLedger | StoredLedger, step: Step): void {
  if (step.kind === "account") {
    ledger.setAccount(address(step.sponsor), step.to);
    return;
  }
  const { kind, account, sponsor } = step;
  if (ledger.isSponsor(address(account), address(sponsor)) === (kind === "sponsor")) return;
  if (kind === "sponsor") ledger.addSponsor(address(account), address(sponsor));
  else ledger.removeSponsor(address(account), address(sponsor));
}

/** Few accounts and amounts, so that sponsors can just pay, just not pay, or have equal funds. */
function randomStep(random: SeededRandom, accounts: number, sponsors: number): Step {
  const [account, sponsor] = [random.below(accounts), 100 + random.below(sponsors)];
  const draw = random.below(10);
  if (draw < 5) return { kind: "sponsor", account, sponsor };
  if (draw < 6) return { kind: "cancel", account, sponsor };
  const amount = (): bigint => BigInt(random.below(8));
  const to = { balance: amount(), leaseIn: amount(), leaseOut: amount(), unbonding: amount() };
  // A sponsored account may be a sponsor itself.
  return { kind: "account", sponsor: random.chance(10) ? account : sponsor, to };
}

function expectSame(view: StoredLedgerView, model: MemoryLedger, accounts: number): void {
  for (let n = 0; n < accounts; n++) {
    const sponsors = model.sponsors(address(n));
    expect(view.sponsors(address(n)).map(bytesKey)).toEqual(sponsors.map(bytesKey));
    expect(view.sponsorCount(address(n))).toBe(sponsors.length);
    const payers = (ledger: StoredLedgerView | MemoryLedger): unknown =>
      FEES.map((fee) => bytesKey(ledger.payingSponsor(address(n), fee) ?? NOBODY));
    expect(payers(view), `account ${n}`).toEqual(payers(model));
  }
}

describe("the sponsor that pays", () => {
  // With few sponsors, all sponsor many accounts; with many, the trees have several levels.
  it.each([
    { seed: 1, accounts: 24, sponsors: 4, steps: 40, units: 20 },
    { seed: 2, accounts: 24, sponsors: 12, steps: 60, units: 24 },
    { seed: 3, accounts: 2, sponsors: 1_500, steps: 200, units: 10 },
  ])("equals that of a search over all, also within a unit and after undone ones: %o", (sizes) => {
    const { accounts, sponsors } = sizes;
    const random = new SeededRandom(sizes.seed);
    const store = memoryStore();
    const model = new MemoryLedger();
    /** The model and the rows before each unit. */
    const before: {
      readonly unit: UnitKey;
      readonly saved: ReturnType<MemoryLedger["save"]>;
      rows: string[];
    }[] = [];
    let untracked = 0;
    for (let n = 0; n < sizes.units; n++) {
      if (before.length > 0 && random.chance(25)) {
        for (let undone = random.below(3); undone >= 0 && before.length > 0; undone--) {
          const { unit, saved, rows } = before.pop() as (typeof before)[number];
          store.write((batch) => batch.undoUnit(unit));
          model.restore(saved);
          expect(journaledRows(store)).toEqual(rows);
        }
        store.read((reader) => expectSame(new StoredLedgerView(reader), model, accounts));
        continue;
      }
      const unit = { height: model.height + 1, sequence: 0 };
      before.push({ unit, saved: model.save(), rows: journaledRows(store) });
      store.write((batch) => {
        batch.beginUnit(unit);
        const ledger = new StoredLedger(batch);
        ledger.beginBlock(unit.height, facts(unit.height));
        model.beginBlock(unit.height, facts(unit.height));
        for (let i = 0; i < sizes.steps; i++) {
          const step = randomStep(random, accounts, sponsors);
          apply(ledger, step);
          apply(model, step);
          const asked = address(random.below(accounts));
          const fee = BigInt(random.below(8));
          expect(ledger.payingSponsor(asked, fee)).toEqual(model.payingSponsor(asked, fee));
        }
        ledger.flush();
        batch.endUnit();
      });
      store.read((reader) => expectSame(new StoredLedgerView(reader), model, accounts));
      for (let sponsor = 100; sponsor < 100 + sponsors; sponsor++) {
        const given = Array.from({ length: accounts }, (_, i) =>
          model.isSponsor(address(i), address(sponsor)),
        );
        if (given.filter(Boolean).length > MAX_TRACKED_SPONSORSHIPS) untracked++;
      }
    }
    if (accounts > MAX_TRACKED_SPONSORSHIPS) expect(untracked).toBeGreaterThan(0);
  });

  it("is found among thousands of serials of removed sponsors", () => {
    const ledger = new StoredLedger(new Overlay());
    ledger.beginBlock(1, facts(1));
    for (let n = 1; n <= 40; n++) ledger.addSponsor(address(0), address(n));
    for (let n = 1; n <= 40; n++) ledger.removeSponsor(address(0), address(n));
    expect(ledger.sponsorCount(address(0))).toBe(0);
    ledger.addSponsor(address(0), address(7));
    expect(ledger.payingSponsor(address(0), 0n)).toEqual(address(7));
    // A sponsor without changes of its own has no history, and no row after it leaves.
    ledger.flush();
    expect([...ledger.accountPoints(address(7), 0, 9)]).toEqual([]);
  });
});

/** Counts rows read by key or by scan. */
class CountingReader extends EncodingSource {
  count = 0;

  override find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    this.count++;
    return super.find(table, key);
  }

  override bytes<K, V>(table: Table<K, V>, key: Uint8Array): Uint8Array | undefined {
    this.count++;
    const value = super.find(table, key);
    return value === undefined ? undefined : table.value.encode(value);
  }

  override *scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]> {
    for (const row of super.scan(table, bounds)) {
      this.count++;
      yield row;
    }
  }
}

/** A store where many accounts sponsor one, and one sponsors many. */
const MANY = 5_000;
const POPULAR = address(1);
const GENEROUS = address(2);

function crowded(): Store {
  const store = memoryStore();
  store.write((batch) => {
    batch.beginUnit({ height: 1, sequence: 0 });
    const ledger = new StoredLedger(batch);
    ledger.beginBlock(1, facts(1));
    ledger.setAccount(GENEROUS, holding(1_000n));
    for (let n = 0; n < MANY; n++) {
      const one = address(1_000 + n);
      ledger.setAccount(one, holding(n === 0 ? 9n : 3n));
      ledger.addSponsor(POPULAR, one);
      ledger.addSponsor(one, GENEROUS);
    }
    ledger.flush();
    batch.endUnit();
  });
  return store;
}

describe("the cost of sponsors", () => {
  const store = crowded();

  /** @returns rows read and written, and bytes of the journal */
  function costOf(doing: (ledger: StoredLedger) => void): { rows: number; bytes: number } {
    return store.read((reader: Reader) => {
      const source = new CountingReader(reader);
      const batch = new WriteBatch(source);
      batch.beginUnit({ height: 1, sequence: 1 });
      const ledger = new StoredLedger(batch);
      doing(ledger);
      ledger.flush(1);
      batch.endUnit();
      const written = [...batch.changes()];
      const bytes = written.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0);
      return { rows: source.count + written.length, bytes };
    });
  }

  it("is one path down the tree to a payer after 4,999 that cannot pay", () => {
    store.read((reader) => {
      const source = new CountingReader(reader);
      const view = new StoredLedgerView(source);
      source.count = 0;
      expect(view.payingSponsor(POPULAR, 5n)).toEqual(address(1_000));
      expect(source.count).toBeLessThan(8);
      source.count = 0;
      expect(view.payingSponsor(POPULAR, 10n)).toBeUndefined();
      expect(source.count).toBeLessThan(8);
      source.count = 0;
      expect({
        isSponsor: view.isSponsor(POPULAR, address(1_000)),
        count: view.sponsorCount(POPULAR),
      }).toEqual({ isSponsor: true, count: MANY });
      expect(source.count).toBeLessThan(4);
    });
  });

  it("is one path up the tree to add, remove, or change the balance of a sponsor", () => {
    const steps: ((ledger: StoredLedger) => void)[] = [
      (ledger) => ledger.addSponsor(POPULAR, address(3)),
      (ledger) => ledger.removeSponsor(POPULAR, address(1_000)),
      (ledger) => ledger.removeSponsor(POPULAR, address(1_000 + 2_500)),
      (ledger) => ledger.setAccount(address(1_000 + 2_500), holding(20n)),
    ];
    for (const step of steps) {
      const { rows, bytes } = costOf(step);
      expect(rows).toBeLessThan(32);
      expect(bytes).toBeLessThan(4_096);
    }
  });

  it("does not grow with the number of accounts that a sponsor sponsors", () => {
    const steps: ((ledger: StoredLedger) => void)[] = [
      (ledger) => ledger.setAccount(GENEROUS, holding(0n)),
      (ledger) => ledger.addSponsor(address(4), GENEROUS),
      (ledger) => ledger.removeSponsor(address(1_000), GENEROUS),
    ];
    for (const step of steps) expect(costOf(step).rows).toBeLessThan(20);
  });
});
