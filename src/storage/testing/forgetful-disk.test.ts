import { expect, test } from "vitest";
import { StoreStateError } from "../batch/write-slot.ts";
import { memoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";
import { tables } from "../tables.ts";
import { ForgetfulDisk } from "./forgetful-disk.ts";

const write = (store: Store, name: string): void =>
  store.write((batch) => {
    batch.put(tables.meta, name, Uint8Array.of(1));
    batch.remove(tables.meta, "first");
  });
const names = (store: Store): string[] =>
  Array.from(store.scan(tables.meta, {}), ([key]) => Buffer.from(key).toString());

test("a power failure loses the newest commits and nothing else", async () => {
  const disk = new ForgetfulDisk();
  const store = disk.open();
  for (const name of ["first", "second", "third", "fourth"]) write(store, name);
  const expected = memoryStore();
  for (const name of ["first", "second", "third"]) write(expected, name);
  disk.flush(1);
  expect(disk.unflushed).toBe(3);
  await disk.fail(2);
  expect(() => names(store)).toThrow(StoreStateError);
  const after = disk.open();
  expect(names(after)).toEqual(names(expected));
  expect(disk.unflushed).toBe(0);
  // New commits build on this state, also in the next failure.
  write(after, "fifth");
  disk.flush();
  write(after, "sixth");
  await disk.fail(0);
  write(expected, "fifth");
  expect(names(disk.open())).toEqual(names(expected));
});

test("reports undone blocks of abandoned commits, and no others", () => {
  const undoneInVain: number[] = [];
  const store = new ForgetfulDisk().open(undefined, (blocks) => undoneInVain.push(blocks));
  const unit = (height: number, sequence: number): void =>
    store.write((batch) => {
      batch.beginUnit({ height, sequence });
      batch.endUnit();
    });
  for (const height of [1, 2, 3]) unit(height, 0);
  unit(3, 1);
  const undone = store.begin();
  undone.undoUnit({ height: 3, sequence: 1 });
  store.abandon(undone);
  expect(undoneInVain).toEqual([]);
  const deeper = store.begin();
  deeper.undoUnit({ height: 3, sequence: 1 });
  for (const height of [3, 2]) deeper.undoUnit({ height, sequence: 0 });
  store.abandon(deeper);
  expect(undoneInVain).toEqual([2]);
  store.write((batch) => batch.undoUnit({ height: 3, sequence: 1 }));
  store.write((batch) => batch.undoUnit({ height: 3, sequence: 0 }));
  expect(undoneInVain).toEqual([2]);
});
