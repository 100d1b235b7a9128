import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { storeSize } from "../inspect/store-size.ts";
import { readStoredState } from "../inspect/stored-state.ts";
import { StoredTables } from "../inspect/stored-tables.ts";
import { openStore } from "../store.ts";
import { tables } from "../tables.ts";
import { bodyOf } from "../values/chain.ts";
import type { AnyTable } from "./overlay.ts";
import { pageFillingOrder } from "./page-filling-order.ts";

test("every row is yielded once, whatever the number and sizes of rows", () => {
  fc.assert(
    fc.property(fc.nat(3_000), fc.integer({ min: 1, max: 5_000 }), (count, size) => {
      const rows = Array.from({ length: count }, (_, i) => i);
      const yielded = [...pageFillingOrder(rows, () => size)];
      expect(yielded.sort((a, b) => a - b)).toEqual(rows);
    }),
    { numRuns: 50 },
  );
});

test.each([10, 50, 200])("rows of %i bytes fill the pages, also between other rows", async (length) => {
  const home = mkdtempSync(join(tmpdir(), "holdfast-pages-"));
  try {
    const store = await openStore(join(home, "store"), { network: "test" });
    for (let first = 1; first <= 6_000; first += 2_000)
      store.write((batch) => {
        // Rows of the table after it, so that the new rows are never the last ones of the file.
        batch.put(tables.revertedOrder, first, { id: new Uint8Array(64), start: 0, length: 0 });
        batch.beginUnit({ height: first, sequence: 0 });
        for (let height = first; height < first + 2_000; height++)
          batch.insert(tables.bodies, { height, sequence: 0 }, bodyOf([new Uint8Array(length)]));
        batch.endUnit();
      });
    await store.close();
    const all = new StoredTables(Object.values(tables) as unknown as AnyTable[]);
    const size = await readStoredState(join(home, "store"), "test", (stored) =>
      storeSize(stored, all, async () => {}),
    );
    const bodies = size.tables.find(({ name }) => name === "bodies");
    const rowBytes = (bodies?.bytes ?? 0) + 6_000 * 10;
    expect(rowBytes / ((bodies?.pages ?? 0) * size.pageBytes)).toBeGreaterThan(0.7);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
