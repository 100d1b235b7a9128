import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { memoryStore } from "./memory-store.ts";
import { ReaderAge } from "./metrics.ts";
import { openStore, type Store, type StoreStatistics } from "./store.ts";
import { tables } from "./tables.ts";

const home = mkdtempSync(join(tmpdir(), "holdfast-store-metrics-"));
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(home, { recursive: true, force: true });
});

function statistics(store: Store): StoreStatistics {
  const found = store.statistics();
  if (found === undefined) throw new Error("The store has no statistics");
  return found;
}

test("a store on disk counts its pages, free pages and readers", async () => {
  const store = await openStore(join(home, "chain"), { network: "test" });
  stores.push(store);
  const put = (bytes: number): void =>
    store.write((batch) => batch.put(tables.meta, "attempt", new Uint8Array(bytes)));
  expect(statistics(store)).toMatchObject({ readers: 0, oldestReadCommit: undefined });
  put(1_048_576);
  const full = statistics(store);
  expect(full.sizeBytes).toBeGreaterThan(1_048_576);
  store.write((batch) => batch.remove(tables.meta, "attempt"));
  put(1);
  const empty = statistics(store);
  expect(empty.freeBytes - full.freeBytes).toBeGreaterThan(1_000_000);
  expect(empty.freeBytes).toBeLessThan(empty.sizeBytes);
  expect(empty.newestCommit).toBe(full.newestCommit + 2);

  const snapshot = store.snapshot();
  snapshot.get(tables.meta, "attempt");
  put(2);
  put(3);
  expect(statistics(store)).toMatchObject({
    readers: 1,
    oldestReadCommit: empty.newestCommit,
    newestCommit: empty.newestCommit + 2,
  });
  snapshot.close();
  expect(statistics(store).oldestReadCommit).toBeUndefined();
});

test("a store in memory has no statistics", () => {
  expect(memoryStore().statistics()).toBeUndefined();
});

test("a reader ages from the first newer commit on", () => {
  const age = new ReaderAge();
  expect(age.measure(10, 10, 1_000)).toBe(0);
  expect(age.measure(12, 10, 2_000)).toBe(0);
  expect(age.measure(15, 10, 5_000)).toBe(3_000);
  // The oldest reader is closed; another one has not seen commit 15.
  expect(age.measure(15, 13, 6_000)).toBe(1_000);
  expect(age.measure(16, 13, 7_000)).toBe(2_000);
  expect(age.measure(16, 16, 8_000)).toBe(0);
});

test("a reader that stays open for ever keeps its age, with bounded memory", () => {
  const age = new ReaderAge();
  let measured = 0;
  for (let commit = 1; commit <= 5_000; commit++) measured = age.measure(commit, 0, commit);
  expect(measured).toBe(4_999);
});
