import { expect, test } from "vitest";
import { memoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";
import { tables } from "../tables.ts";
import { StoreStateError } from "../write-slot.ts";
import { ForgetfulDisk } from "./forgetful-disk.ts";

const write = (store: Store, name: string): void =>
  store.write((batch) => {
    batch.put(tables.meta, name, Uint8Array.of(1));
    batch.remove(tables.meta, "first");
  });
const names = (store: Store): string[] =>
  Array.from(store.scan(tables.meta, {}), ([key]) => Buffer.from(key).toString());

test("a power failure takes the newest commits, and nothing of the others", async () => {
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
  // What comes now stands upon that, through the next failure as well.
  write(after, "fifth");
  disk.flush();
  write(after, "sixth");
  await disk.fail(0);
  write(expected, "fifth");
  expect(names(disk.open())).toEqual(names(expected));
});
