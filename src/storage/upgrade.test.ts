import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { abortingAt } from "../testing/counted-signal.ts";
import { bytesKeyCodec, bytesValue, table } from "./codecs.ts";
import { heightKey } from "./keys.ts";
import { openStore, StoreFormatError } from "./store.ts";
import { tables } from "./tables.ts";
import { journaledRows } from "./testing/dump.ts";

const network = "test";
const oldTotals = table(0x52, "groupTotals", bytesKeyCodec, bytesValue);
const units = Array.from({ length: 450 }, (_, i) => ({ height: i + 1, sequence: 0 }));
const certificate = Uint8Array.of(1);

let directory: string;

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "holdfast-upgrade-")), "store");
});

afterEach(() => {
  rmSync(join(directory, ".."), { recursive: true, force: true });
});

const marker = (): string => join(directory, "holdfast-store.json");
const markedFormat = (): unknown => JSON.parse(readFileSync(marker(), "utf8")).format;

function mark(format: number): void {
  writeFileSync(marker(), JSON.stringify({ format, network, written: true }));
}

/** Makes a store of format 4: each unit has a row of the old table and one of another. */
async function makeOld(): Promise<void> {
  const store = await openStore(directory, { network });
  store.write((batch) => {
    batch.put(tables.meta, "format", heightKey.encode(4));
    batch.put(tables.meta, "index transactions", Uint8Array.of(0));
    for (const unit of units) {
      batch.beginUnit(unit);
      const address = new Uint8Array(26).fill(unit.height % 200);
      batch.put(oldTotals, address, Uint8Array.of(unit.height & 0xff));
      batch.put(tables.certificates, address, certificate);
      batch.endUnit();
    }
  });
  await store.close();
  mark(4);
}

test("a store of format 4 is upgraded when opened for writing, and its journal still works", async () => {
  await makeOld();
  await expect(openStore(directory, { network, readOnly: true })).rejects.toThrow(StoreFormatError);
  await expect(openStore(directory, { network, readOnly: true })).rejects.toThrow("holdfast start");
  const store = await openStore(directory, { network });
  expect(markedFormat()).toBe(7);
  expect([...store.range(oldTotals)]).toEqual([]);
  expect(store.get(tables.meta, "index transactions")).toBeUndefined();
  expect([...store.range(tables.certificates)]).toHaveLength(200);
  for (const unit of units.toReversed()) store.write((batch) => batch.undoUnit(unit));
  expect(journaledRows(store)).toEqual([]);
  await store.close();
  const again = await openStore(directory, { network, readOnly: true });
  await again.close();
});

test("an upgrade interrupted before the directory was marked is completed", async () => {
  await makeOld();
  await (await openStore(directory, { network })).close();
  mark(4);
  await (await openStore(directory, { network })).close();
  expect(markedFormat()).toBe(7);
});

test("an upgrade that is stopped ends after a commit, and the next opening continues it", async () => {
  await makeOld();
  const stopped = new Error("stopped");
  const openUntil = (check: number) =>
    openStore(directory, { network, signal: abortingAt(check, stopped).signal });
  await expect(openUntil(0)).rejects.toBe(stopped);
  await expect(openUntil(1)).rejects.toBe(stopped);
  const store = await openUntil(100);
  expect(markedFormat()).toBe(7);
  expect([...store.range(oldTotals)]).toEqual([]);
  for (const unit of units.toReversed()) store.write((batch) => batch.undoUnit(unit));
  expect(journaledRows(store)).toEqual([]);
  await store.close();
});

test("a store of format 6 is upgraded in one commit: only new units have digests", async () => {
  const [old, added] = [units[0], units[1]];
  const store = await openStore(directory, { network });
  store.write((batch) => {
    batch.put(tables.meta, "format", heightKey.encode(6));
    batch.beginUnit(old);
    batch.put(tables.score, 1, 1n);
    batch.endUnit();
    batch.remove(tables.unitDigests, old);
  });
  await store.close();
  mark(6);
  await expect(openStore(directory, { network, readOnly: true })).rejects.toThrow(StoreFormatError);
  const upgraded = await openStore(directory, { network });
  expect(markedFormat()).toBe(7);
  upgraded.write((batch) => {
    batch.beginUnit(added);
    batch.put(tables.score, 2, 1n);
    batch.endUnit();
  });
  expect([...upgraded.range(tables.unitDigests)].map(([unit]) => unit)).toEqual([added]);
  for (const unit of [added, old]) upgraded.write((batch) => batch.undoUnit(unit));
  expect(journaledRows(upgraded)).toEqual([]);
  await upgraded.close();
});
