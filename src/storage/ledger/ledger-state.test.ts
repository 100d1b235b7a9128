import { describe, expect, it } from "vitest";
import type { Account, BlockFacts } from "../../ledger/state.ts";
import { Overlay } from "../batch/overlay.ts";
import { PERSIST_SEQUENCE } from "../batch/write-batch.ts";
import { memoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";
import { tables } from "../tables.ts";
import type { HeaderRow } from "../values/chain.ts";
import { StoredLedger } from "./ledger-state.ts";
import { StoredLedgerView } from "./ledger-view.ts";
import { RecentIds } from "./recent-ids.ts";
import { findTransaction } from "./recorded-transactions.ts";

const address = (n: number) => new Uint8Array(26).fill(n);
const id = (n: number) => {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(4, n * 2_654_435_761);
  return bytes;
};
const facts = (timestamp: number): BlockFacts => ({
  timestamp: BigInt(timestamp),
  generator: address(9),
  features: [-1, 4],
  feeVote: -1,
});
const account = (balance: bigint, leaseIn = 0n): Account => ({
  balance,
  leaseIn,
  leaseOut: 0n,
  unbonding: 0n,
});

describe("the stored ledger", () => {
  it("keeps every kind of state in memory", () => {
    const ledger = new StoredLedger(new Overlay());
    expect(ledger.height).toBe(0);
    expect(ledger.persistedHeight).toBe(0);
    expect(ledger.transactionCount).toBe(0);
    expect(ledger.account(address(1))).toEqual(account(0n));
    expect(ledger.blockFacts(1)).toBeUndefined();
    ledger.beginBlock(1, facts(1_000));
    expect(() => ledger.beginBlock(3, facts(1))).toThrow("cannot follow");
    expect(ledger.blockFacts(1)).toEqual(facts(1_000));
    ledger.setScript(address(1), Uint8Array.of(1, 2));
    expect(ledger.script(address(1))).toEqual({ script: Uint8Array.of(1, 2), height: 1 });
    ledger.setScript(address(1), undefined);
    expect(ledger.script(address(1))).toEqual({ script: undefined, height: 1 });
    expect(ledger.script(address(2))).toBeUndefined();
    ledger.addSponsor(address(1), address(3));
    ledger.addSponsor(address(1), address(2));
    expect(ledger.sponsors(address(1))).toEqual([address(2), address(3)]);
    expect(ledger.isSponsor(address(1), address(3))).toBe(true);
    expect(ledger.payingSponsor(address(1), 0n)).toEqual(address(2));
    expect(ledger.payingSponsor(address(1), 1n)).toBeUndefined();
    ledger.removeSponsor(address(1), address(2));
    ledger.removeSponsor(address(1), address(3));
    expect(ledger.sponsors(address(1))).toEqual([]);
    expect(ledger.payingSponsor(address(1), 0n)).toBeUndefined();
    ledger.setCertificate(address(1), Uint8Array.of(48));
    ledger.setCertificate(address(1), undefined);
    expect(ledger.certificate(address(1))).toBeUndefined();
    ledger.setFeature(4, { approved: 1, activated: 11 });
    expect([...ledger.features()]).toEqual([[4, { approved: 1, activated: 11 }]]);
    ledger.setFeePriceOfPeriod(10, 110_000n);
    expect(ledger.feePriceOfPeriod(10)).toBe(110_000n);
    expect(ledger.feePriceOfPeriod(20)).toBeUndefined();
    const due = [
      { address: address(2), amount: 5n },
      { address: address(1), amount: 7n },
    ];
    ledger.setUnbondingDue(11, due);
    expect(ledger.unbondingDue(11)).toEqual(due);
    ledger.setUnbondingDue(11, []);
    expect(ledger.unbondingDue(11)).toEqual([]);
    ledger.setPersistedHeight(1);
    expect(ledger.height).toBe(1);
    expect(ledger.persistedHeight).toBe(1);
  });

  it("reads from the store exactly what was written", () => {
    const store = memoryStore();
    const lease = {
      senderKey: new Uint8Array(33).fill(2),
      sender: address(1),
      recipient: address(2),
      amount: 2n ** 62n,
      height: 7,
      active: true,
    };
    const totals = {
      burned: -3n,
      closing: 1n,
      fees: 2n ** 63n - 1n,
      burnedFees: 4n,
      miningReward: 5n,
      generatorReward: 6n,
      sizeLeft: 1_048_000,
      scriptsLeft: undefined,
    };
    const entries = [
      { key: "z", type: "integer", value: -5n },
      { key: "a\u{10000}", type: "string", value: "é" },
      { key: "a\uffff", type: "boolean", value: true },
      { key: "", type: "binary", value: Uint8Array.of(0, 255) },
    ] as const;
    store.write((batch) => {
      batch.beginUnit({ height: 1, sequence: 0 });
      const ledger = new StoredLedger(batch);
      ledger.beginBlock(1, facts(5));
      ledger.setLease(id(1), lease);
      ledger.setBlockTotals(1, totals);
      for (const entry of entries) ledger.setData(address(1), entry);
      ledger.setAccount(address(1), { balance: 1n, leaseIn: 2n, leaseOut: 3n, unbonding: -4n });
      ledger.addUnbondingStarted([{ address: address(4), amount: 9n }]);
      ledger.flush();
      batch.endUnit();
    });
    // A write batch decodes stored rows.
    const ledger = new StoredLedger(store.begin());
    expect(ledger.lease(id(1))).toEqual(lease);
    expect(ledger.blockTotals(1)).toEqual(totals);
    expect(ledger.blockFacts(1)).toEqual(facts(5));
    expect(ledger.account(address(1))).toMatchObject({
      balance: 1n,
      leaseIn: 2n,
      leaseOut: 3n,
      unbonding: -4n,
    });
    expect(ledger.unbondingStarted(1)).toEqual([{ address: address(4), amount: 9n }]);
    // UTF-16 order: the surrogates of U+10000 come before U+FFFF.
    expect([...ledger.dataEntries(address(1))].map(({ key }) => key)).toEqual([
      "",
      "a\u{10000}",
      "a\uffff",
      "z",
    ]);
    for (const entry of entries) expect(ledger.data(address(1), entry.key)).toEqual(entry);
    expect(ledger.data(address(1), "none")).toBeUndefined();
  });

  it("returns the points of an account's history", () => {
    const ledger = new StoredLedger(new Overlay());
    const balances: Record<number, bigint> = { 1: 10n, 4: 20n, 5: 5n, 9: 7n };
    for (let height = 1; height <= 10; height++) {
      ledger.beginBlock(height, facts(height));
      if (balances[height] !== undefined) {
        ledger.setAccount(address(1), account(99n, 1n));
        ledger.setAccount(address(1), account(balances[height]));
      }
      ledger.setAccount(address(2), account(3n));
    }
    const points = (from: number, to: number) =>
      [...ledger.accountPoints(address(1), from, to)].map(({ height, account: { balance } }) => [
        height,
        balance,
      ]);
    expect(points(0, 10)).toEqual([
      [9, 7n],
      [5, 5n],
      [4, 20n],
      [1, 10n],
    ]);
    expect(points(5, 10)).toEqual([
      [9, 7n],
      [5, 5n],
    ]);
    expect(points(6, 10)).toEqual([
      [9, 7n],
      [5, 5n],
    ]);
    expect(points(4, 8)).toEqual([
      [5, 5n],
      [4, 20n],
    ]);
    expect(points(9, 10)).toEqual([[9, 7n]]);
    expect(points(2, 3)).toEqual([[1, 10n]]);
    expect(points(0, 0)).toEqual([]);
    // Setting the same value is not a change.
    expect([...ledger.accountPoints(address(2), 0, 10)].map(({ height }) => height)).toEqual([1]);
    expect([...ledger.accountPoints(address(3), 0, 10)]).toEqual([]);
  });

  it("keeps one history row per unit, of which the newest of a height counts", () => {
    const store = memoryStore();
    const at = (sequence: number, height = 1) => ({ height, sequence });
    const set = (
      unit: { height: number; sequence: number },
      balances: readonly (readonly [number, bigint])[],
    ) =>
      store.write((batch) => {
        batch.beginUnit(unit);
        const ledger = new StoredLedger(batch);
        if (unit.sequence === 0) ledger.beginBlock(unit.height, facts(unit.height));
        for (const [n, balance] of balances) ledger.setAccount(address(n), account(balance));
        ledger.flush(unit.sequence);
        batch.endUnit();
      });
    const points = (n: number, from = 0, to = 9) =>
      store.read((reader) =>
        [...new StoredLedgerView(reader).accountPoints(address(n), from, to)].map(
          ({ height, account: { balance } }) => [height, balance],
        ),
      );
    set(at(0), [
      [1, 10n],
      [2, 1n],
    ]);
    set(at(1), [[1, 11n]]);
    set(at(2), [[1, 12n]]);
    set(at(PERSIST_SEQUENCE), [[2, 2n]]);
    set(at(0, 2), [[2, 3n]]);
    expect(points(1)).toEqual([[1, 12n]]);
    expect(points(2)).toEqual([
      [2, 3n],
      [1, 2n],
    ]);
    expect(points(2, 0, 1)).toEqual([[1, 2n]]);
    set(at(1, 2), [
      [1, 20n],
      [2, 4n],
    ]);
    expect(points(1)).toEqual([
      [2, 20n],
      [1, 12n],
    ]);
    const undo = (unit: { height: number; sequence: number }) => store.write((batch) => batch.undoUnit(unit));
    undo(at(1, 2));
    undo(at(0, 2));
    undo(at(PERSIST_SEQUENCE));
    expect(points(1)).toEqual([[1, 12n]]);
    expect(points(2)).toEqual([[1, 1n]]);
    undo(at(2));
    set(at(2), [[2, 5n]]);
    set(at(0, 2), []);
    set(at(1, 2), [[1, 13n]]);
    expect(points(1)).toEqual([
      [2, 13n],
      [1, 11n],
    ]);
    expect(points(2)).toEqual([[1, 5n]]);
  });

  it("keeps the unbonding of each unit in its own row", () => {
    const store = memoryStore();
    const lines = [1n, 2n, 3n].map((amount) => ({ address: address(4), amount }));
    for (const [sequence, line] of lines.entries()) {
      store.write((batch) => {
        batch.beginUnit({ height: 1, sequence });
        const ledger = new StoredLedger(batch);
        if (sequence === 0) ledger.beginBlock(1, facts(5));
        ledger.addUnbondingStarted([line]);
        expect(ledger.unbondingStarted(1)).toEqual(lines.slice(0, sequence + 1));
        ledger.flush(sequence);
        expect(ledger.unbondingStarted(1)).toEqual(lines.slice(0, sequence + 1));
        batch.endUnit();
      });
    }
    expect([...store.range(tables.unbondingStarted)].map(([, row]) => row)).toEqual(lines.map((x) => [x]));
    store.write((batch) => batch.undoUnit({ height: 1, sequence: 2 }));
    expect(new StoredLedgerView(store).unbondingStarted(1)).toEqual(lines.slice(0, 2));
    expect(new StoredLedgerView(store).unbondingStarted(2)).toEqual([]);
  });

  it("lists associations in chain order", () => {
    const ledger = new StoredLedger(new Overlay());
    ledger.beginBlock(1, facts(1));
    const send = (from: number, to: number, n: number) => {
      const terms = { associationType: 1n, recipient: address(to) };
      ledger.appendAssociation({ sender: address(from), id: id(n), terms, revokes: false });
      ledger.recordTransaction(id(n), 1n, undefined);
    };
    send(1, 2, 30);
    send(2, 1, 20);
    ledger.beginBlock(2, facts(2));
    send(1, 1, 10);
    send(1, 2, 5);
    expect([...ledger.associations(address(1), "outgoing")]).toEqual([id(30), id(10), id(5)]);
    expect([...ledger.associations(address(1), "incoming")]).toEqual([id(20), id(10)]);
    expect([...ledger.associations(address(2), "incoming")]).toEqual([id(30), id(5)]);
  });
});

const blockId = (height: number, ids: readonly number[]) => {
  const bytes = new Uint8Array(64);
  new Uint32Array(bytes.buffer).set([height, ...ids]);
  return bytes;
};
const header = (signature: Uint8Array): HeaderRow => ({
  version: 3,
  timestamp: 0n,
  reference: new Uint8Array(64),
  baseTarget: 1n,
  generationSignature: new Uint8Array(32),
  features: [],
  feeVote: 0,
  generator: new Uint8Array(32),
  signature,
  baseSignature: signature,
  size: 0,
  transactionCount: 0,
});

/** A store and the cache of its newest ids. */
interface Writing {
  readonly store: Store;
  readonly recent: RecentIds;
}

const writing = (): Writing => ({ store: memoryStore(), recent: new RecentIds() });

/** Appends blocks a minute apart, each with the given ids. */
function append(
  { store, recent }: Writing,
  height: number,
  minutes: number,
  ids: readonly number[],
  sponsor?: number,
): void {
  store.write((batch) => {
    batch.beginUnit({ height, sequence: 0 });
    const ledger = new StoredLedger(batch, recent);
    const block = blockId(height, ids);
    ledger.beginBlock(height, facts(minutes * 60_000));
    batch.put(tables.headers, height, header(block));
    batch.put(tables.tip, undefined, { height, sequence: 0, id: block });
    for (const n of ids)
      ledger.recordTransaction(id(n), BigInt(minutes), sponsor === undefined ? undefined : address(sponsor));
    ledger.flush();
    batch.endUnit();
    recent.addUnit(block);
  });
}

describe("known transactions", () => {
  it.each([true, false])(
    "are found newest first, and gone after a rollback (with cache: %s)",
    (remembered) => {
      const chain = writing();
      const { store, recent } = chain;
      const ask = (n: number) => {
        const batch = store.begin();
        const ledger = new StoredLedger(batch, remembered ? recent : undefined);
        const answer = [ledger.knownTransaction(id(n))?.height, ledger.effectiveSponsor(id(n))?.[0]];
        store.abandon(batch);
        return answer;
      };
      append(chain, 1, 1, [1, 2], 7);
      append(chain, 2, 2, [3]);
      append(chain, 3, 3, [1, 4]);
      expect(ask(1)).toEqual([3, undefined]);
      expect(ask(2)).toEqual([1, 7]);
      expect(ask(5)).toEqual([undefined, undefined]);
      store.write((batch) => batch.undoUnit({ height: 3, sequence: 0 }));
      expect(ask(1)).toEqual([1, 7]);
      expect(ask(4)).toEqual([undefined, undefined]);
      append(chain, 3, 3, [5], 8);
      expect(ask(4)).toEqual([undefined, undefined]);
      expect(ask(5)).toEqual([3, 8]);
      expect(store.read((reader) => findTransaction(reader, id(5)))).toMatchObject({
        height: 3,
        position: 0,
      });
    },
  );

  it("are found within the current block", () => {
    const overlay = new Overlay();
    const ledger = new StoredLedger(overlay);
    ledger.beginBlock(1, facts(1));
    ledger.recordTransaction(id(1), 11n, address(3));
    expect(ledger.knownTransaction(id(1))).toEqual({ height: 1, timestamp: 11n });
    expect(ledger.effectiveSponsor(id(1))).toEqual(address(3));
    ledger.flush();
    ledger.recordTransaction(id(2), 12n, undefined);
    expect(ledger.transactionCount).toBe(2);
    ledger.flush();
    expect(new StoredLedger(overlay).transactionCount).toBe(2);
    expect(new StoredLedger(overlay).knownTransaction(id(2))).toEqual({ height: 1, timestamp: 12n });
  });

  it("are evicted from the cache when old, and read again after a rollback", () => {
    const chain = writing();
    const { store, recent } = chain;
    for (let height = 1; height <= 2_000; height++) append(chain, height, height, [height]);
    // The cache keeps 210 minutes, in quarters.
    expect(recent.count).toBeGreaterThan(210);
    expect(recent.count).toBeLessThan(330);
    expect(recent.find(id(1_790))).toEqual([{ height: 1_790, position: 0 }]);
    expect(recent.find(id(1_000))).toEqual([]);
    store.write((batch) => {
      for (let height = 2_000; height > 1_000; height--) batch.undoUnit({ height, sequence: 0 });
    });
    const ledger = new StoredLedger(store.begin(), recent);
    for (const n of [1_000, 900, 800]) expect(ledger.knownTransaction(id(n))?.height).toBe(n);
    expect(ledger.knownTransaction(id(1_500))).toBeUndefined();
  });

  it("are read from the store by a new cache", () => {
    const chain = writing();
    const { store } = chain;
    for (let height = 1; height <= 500; height++) append(chain, height, height, [height]);
    const fresh = new RecentIds();
    const ledger = new StoredLedger(store.begin(), fresh);
    expect(ledger.knownTransaction(id(500))).toEqual({ height: 500, timestamp: 500n });
    expect(ledger.knownTransaction(id(300))).toEqual({ height: 300, timestamp: 300n });
    expect(fresh.count).toBeLessThan(250);
    const before = fresh.count;
    fresh.fillFrom(store);
    expect(fresh.count).toBe(before);
  });

  it("of the two newest blocks are found, however far apart the blocks are", () => {
    const chain = writing();
    const { store, recent } = chain;
    for (let height = 1; height <= 20; height++) append(chain, height, height * 10_000, [height]);
    const ledger = new StoredLedger(store.begin(), recent);
    expect(ledger.knownTransaction(id(20))?.height).toBe(20);
    expect(ledger.knownTransaction(id(19))?.height).toBe(19);
    recent.fillFrom(store);
    const fresh = new RecentIds();
    fresh.fillFrom(store);
    expect(fresh.find(id(20))).toHaveLength(1);
    expect(fresh.find(id(19))).toHaveLength(1);
    expect(store.get(tables.heights, undefined)?.height).toBe(20);
  });
});
