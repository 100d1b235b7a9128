/** A store on a disk that fails during a commit, or when it should confirm it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { SeededRandom } from "../testing/seeded-random.ts";
import { DiskError, diskErrorOf } from "./disk/disk-error.ts";
import { openStore, type Store } from "./store.ts";
import { tables } from "./tables.ts";
import { journaledRows } from "./testing/dump.ts";
import { FailingStore } from "./testing/failing-store.ts";

const home = mkdtempSync(join(tmpdir(), "holdfast-failing-disk-"));
const directory = join(home, "store");
let store: Store;

beforeEach(async () => {
  store = await openStore(directory, { network: "x" });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  rmSync(directory, { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true }));

function write(to: Store, height: number): void {
  to.write((batch) => {
    batch.beginUnit({ height, sequence: 0 });
    for (let i = 0; i < 20; i++)
      batch.put(tables.certificates, new Uint8Array(26).fill(i), new Uint8Array(900).fill(height));
    batch.endUnit();
  });
}

/** Replaces how the database runs transactions. @param run receives the original function */
function transactBy(run: (transact: () => unknown) => unknown): void {
  // The database is private, and disk failures cannot be caused without help of the system.
  const { db } = store as unknown as { readonly db: RootDatabase };
  const transact = db.transactionSync.bind(db);
  vi.spyOn(db, "transactionSync").mockImplementation((...args) => run(() => transact(...args)) as never);
}

test.each([28, 5])("a commit that fails midway with error %i leaves the store unchanged", (code) => {
  const failing = new FailingStore(store, new SeededRandom(3));
  write(failing, 1);
  const before = journaledRows(store);
  failing.faults.commits = 100;
  for (let i = 0; i < 10; i++) expect(() => write(failing, 2)).toThrow(DiskError);
  expect(journaledRows(store)).toEqual(before);
  transactBy(() => {
    throw Object.assign(new Error("as the database says it"), { code });
  });
  expect(() => write(store, 2)).toThrow(DiskError);
  vi.restoreAllMocks();
  expect(journaledRows(store)).toEqual(before);
  // The disk has space again.
  write(store, 2);
  expect(journaledRows(store)).not.toEqual(before);
});

test("a commit that the disk does not confirm is visible, and is the last one", () => {
  write(store, 1);
  const before = journaledRows(store);
  transactBy((transact) => {
    transact();
    throw Object.assign(new Error("Input/output error"), { code: 5 });
  });
  write(store, 2);
  vi.restoreAllMocks();
  const after = journaledRows(store);
  expect(after).not.toEqual(before);
  expect(store.read((reader) => reader.get(tables.certificates, new Uint8Array(26))?.[0])).toBe(2);
  expect(() => store.begin()).toThrow(/the disk did not confirm a commit .* Check the disk/);
  expect(() => write(store, 3)).toThrow(expect.objectContaining({ lasting: true }));
  expect(journaledRows(store)).toEqual(after);
});

test("an asynchronous write that the disk does not confirm rejects, and is the last one", async () => {
  const { db } = store as unknown as { readonly db: RootDatabase };
  const batch = db.batch.bind(db);
  // As in lmdb: the reason is in another promise.
  vi.spyOn(db, "batch").mockImplementation(async (writing) => {
    await batch(writing);
    const commitError = Promise.reject(Object.assign(new Error("Input/output error"), { code: 5 }));
    throw Object.assign(new Error("Commit failed"), { commitError });
  });
  const writeAsync = () =>
    store.writeAsync((to) => {
      to.beginUnit({ height: 1, sequence: 0 });
      to.put(tables.certificates, new Uint8Array(26), Uint8Array.of(1));
      to.endUnit();
    });
  await expect(writeAsync()).rejects.toMatchObject({
    lasting: true,
    message: expect.stringContaining("did not confirm a commit (Input/output error)"),
  });
  vi.restoreAllMocks();
  await expect(writeAsync()).rejects.toMatchObject({ lasting: true });
  expect(() => store.begin()).toThrow(/the disk did not confirm a commit/);
});

test("a database that cannot be read after a commit throws a lasting disk error", () => {
  const panic = () => {
    // As lmdb reports it to readers.
    throw Object.assign(new Error("Invalid argument: MDB_PANIC: Update of meta page failed"), { code: 22 });
  };
  transactBy(panic);
  const { db } = store as unknown as { readonly db: RootDatabase };
  vi.spyOn(db, "getStats").mockImplementation(panic);
  expect(() => write(store, 1)).toThrow(expect.objectContaining({ name: "DiskError", lasting: true }));
  vi.restoreAllMocks();
  expect(() => store.begin()).toThrow(DiskError);
});

test("errors of system and database become disk errors with a reason; others do not", () => {
  const say = (code: unknown, path?: string) => diskErrorOf(home, "written", { code, path })?.message;
  expect(say(28)).toBe(`The data directory ${home} cannot be written: no space is left on the disk`);
  expect(say("EROFS", `${home}/x`)).toContain(`the file system is read-only (${home}/x)`);
  expect(say(5)).toContain("the disk reported an I/O error");
  expect(diskErrorOf(home, "written", { code: -30_795 })).toMatchObject({ lasting: true });
  expect(say("ECONNREFUSED")).toBeUndefined();
  expect(say(undefined)).toBeUndefined();
  expect(diskErrorOf(home, "written", undefined)).toBeUndefined();
});
