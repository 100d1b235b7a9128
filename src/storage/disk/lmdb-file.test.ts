/** Checks of truncated data files: real files, cut at every page. */
import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { openStore, type Store } from "../store.ts";
import { tables } from "../tables.ts";
import { dataFileFault } from "./lmdb-file.ts";

const home = mkdtempSync(join(tmpdir(), "holdfast-lmdb-file-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const PAGE = 4_096;

/** Writes and removes rows of all sizes in one commit, so that pages become free, also at the end of the file. */
function change(store: Store, random: SeededRandom): void {
  store.write((batch) => {
    for (let i = 0; i < 30; i++) {
      const key = random.below(400);
      const length = random.chance(20) ? 3_000 + random.below(20_000) : random.below(300);
      if (random.chance(45)) batch.remove(tables.journal, { height: key, sequence: 0 });
      else batch.put(tables.journal, { height: key, sequence: 0 }, new Uint8Array(length));
    }
  });
}

test("a file is truncated if and only if a page in use is beyond its end", async () => {
  const random = new SeededRandom(5);
  const directory = join(home, "store");
  const store = await openStore(directory, { network: "x" });
  const data = join(directory, "data.mdb");
  const copy = join(home, "copy.mdb");
  let short = 0;
  let cuts = 0;
  for (let round = 0; round < 60; round++) {
    // After most rows are gone, the end of the file is unused.
    if (round % 20 === 19) store.write((batch) => batch.clearTable(tables.journal));
    else change(store, random);
    expect(dataFileFault(data)).toBeUndefined();
    // Pages of the newest two states are or may be in use; pages of older states are not.
    copyFileSync(data, copy);
    const pages = statSync(copy).size / PAGE;
    const faults: boolean[] = [];
    for (let end = pages - 1; end >= Math.max(3, pages - 12); end--) {
      truncateSync(copy, end * PAGE);
      faults.push(dataFileFault(copy) !== undefined);
      cuts++;
    }
    // Once a page in use is missing, every shorter file lacks it too.
    expect(faults).toEqual([...faults].sort());
    short += faults.indexOf(true) > 0 || !faults.includes(true) ? 1 : 0;
  }
  await store.close();
  expect(cuts).toBeGreaterThan(500);
  // Some ends were free; most were in use.
  expect(short).toBeGreaterThan(5);
  expect(short).toBeLessThan(40);
});
