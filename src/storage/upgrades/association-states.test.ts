import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeHex } from "../../bytes/hex.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import type { AnyTable } from "../batch/overlay.ts";
import { heightKey } from "../keys.ts";
import { memoryStore } from "../memory-store.ts";
import { openStore, type Store, StoreFormatError, type UpgradeProgress } from "../store.ts";
import { tables } from "../tables.ts";
import { AssociationChain, type ChainStep, transactions } from "../testing/association-chain.ts";
import { journaledRows } from "../testing/dump.ts";
import { killedAfter } from "../testing/killed-after.ts";
import { upgradeStore } from "../upgrade.ts";
import { addAssociationStates } from "./association-states.ts";

const network = "test";
/** The journal is pruned up to this height. */
const PRUNED = 5;
let directory: string;

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "holdfast-upgrade-")), "store");
});

afterEach(() => {
  rmSync(join(directory, ".."), { recursive: true, force: true });
});

/** Deterministic steps: blocks and micro blocks with associations; the last block is liquid. */
function steps(): ChainStep[] {
  const random = new SeededRandom(17);
  const events = () => Array.from({ length: random.below(7) }, () => random.below(transactions.length));
  return Array.from({ length: 45 }, () =>
    random.chance(40)
      ? { at: "key", events: events(), later: random.below(3) }
      : { at: "micro", events: events() },
  );
}

/** Makes a chain of format 5: without the rows, also in the journal, whose oldest units are pruned. */
function makeOld(store: Store): AssociationChain {
  const chain = new AssociationChain(store);
  for (const step of steps()) chain.run(step);
  store.write((batch) => {
    batch.clearTable(tables.associationStates as unknown as AnyTable);
    for (const unit of chain.units) batch.amendUnit(unit, [tables.associationStates], () => {});
    batch.pruneJournal(PRUNED);
    batch.put(tables.meta, "format", heightKey.encode(5));
  });
  return chain;
}

/** Returns all rows, then the rows after undoing each unit, newest first. */
function statesBack(store: Store, chain: AssociationChain): unknown[] {
  const states: unknown[] = [journaledRows(store)];
  const units = chain.units.toReversed().filter(({ height }) => height > PRUNED);
  store.write((batch) => {
    for (const unit of units) {
      batch.undoUnit(unit);
      states.push([...batch.range(tables.associationStates)].map(([key, state]) => [encodeHex(key), state]));
    }
  });
  return states;
}

/** Returns the same for a store of the current format. */
function wanted(): unknown[] {
  const store = memoryStore();
  const chain = new AssociationChain(store);
  for (const step of steps()) chain.run(step);
  return statesBack(store, chain);
}

test("a store of format 5 gets the rows when opened for writing, and its journal undoes them", async () => {
  const old = await openStore(directory, { network });
  const chain = makeOld(old);
  expect([...old.range(tables.associationStates)]).toEqual([]);
  await old.close();
  const marker = join(directory, "holdfast-store.json");
  writeFileSync(marker, JSON.stringify({ format: 5, network, written: true }));
  await expect(openStore(directory, { network, readOnly: true })).rejects.toThrow(StoreFormatError);
  const progress: UpgradeProgress[] = [];
  const onUpgrade = (step: UpgradeProgress) => progress.push(step);
  const store = await openStore(directory, { network, onUpgrade });
  expect(progress[0]).toEqual({ from: 5, step: "begin" });
  expect(progress).toContainEqual({
    from: 5,
    step: "commit",
    progressText: expect.stringMatching(/^associations, block \d+$/),
  });
  expect(progress.at(-1)).toEqual({ from: 5, step: "end" });
  expect(JSON.parse(readFileSync(marker, "utf8")).format).toBe(7);
  expect([...store.range(tables.meta)].map(([name]) => name).sort()).toEqual(["format", "network", "owner"]);
  expect(statesBack(store, chain)).toEqual(wanted());
  await store.close();
});

test("rows are the same after a kill at any commit, and commits are bounded", () => {
  const expected = wanted();
  for (let commits = 0, isDone = false; !isDone; commits++) {
    const store = memoryStore();
    const chain = makeOld(store);
    isDone = !killedAfter(store, commits, addRows);
    if (!isDone) addRows(store);
    else expect(commits).toBeGreaterThan(5);
    expect(statesBack(store, chain)).toEqual(expected);
  }
});

test("an upgrade killed at any commit is completed by the next start", () => {
  const expected = wanted();
  for (let commits = 0, isDone = false; !isDone; commits++) {
    const store = memoryStore();
    const chain = makeOld(store);
    isDone = !killedAfter(store, commits, upgrade);
    upgrade(store);
    expect([...store.range(tables.meta)].map(([name]) => name)).toEqual(["format"]);
    expect(statesBack(store, chain)).toEqual(expected);
    if (isDone) expect(commits).toBeGreaterThan(2);
  }
});

const addRows = (store: Store): unknown => [...addAssociationStates(store, { events: 10 })];
const upgrade = (store: Store): unknown => [...upgradeStore(store)];

test("a partly upgraded store is refused by readers, and completed by the next start", async () => {
  const store = await openStore(directory, { network });
  makeOld(store);
  store.write((batch) => {
    batch.put(tables.meta, "format", heightKey.encode(6));
    batch.put(tables.meta, "upgraded from", heightKey.encode(5));
  });
  expect(killedAfter(store, 2, addRows)).toBe(true);
  const rows = [...store.range(tables.associationStates)].length;
  await store.close();
  await expect(openStore(directory, { network, readOnly: true })).rejects.toThrow(StoreFormatError);
  const again = await openStore(directory, { network });
  expect([...again.range(tables.associationStates)].length).toBeGreaterThan(rows);
  expect(journaledRows(again)).toEqual(wanted()[0]);
  await again.close();
  await (await openStore(directory, { network, readOnly: true })).close();
});
