import { expect, test } from "vitest";
import type { LeavingUnit } from "../../interfaces.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { DevNode } from "../../testing/dev-node.ts";
import { addReorganisation, storedReorganisations } from "../reading/reorganisations.ts";
import { continueReorganisation, finishReorganisation, type OpenReorganisation } from "./reorganisation.ts";

const { chain } = new DevNode();
const idOf = (height: number, branch: number, sequence = 0) => Uint8Array.of(branch, height, sequence);
const tipOf = (height: number, branch: number) => ({ ...chain.tip, height, id: idOf(height, branch) });
const unit = (height: number, sequence = 0): LeavingUnit => ({
  ...{ height, sequence, id: idOf(height, 1, sequence), transactionCount: 2 },
  ...{ timestamp: 0n, generator: new Uint8Array(26), transactions: [] },
});
const source = "downloaded";

/** Without added blocks, the store has no headers to read. */
const finish = (open: OpenReorganisation | undefined, height: number, branch: number) =>
  open && chain.read((reader) => finishReorganisation(open, reader, tipOf(height, branch), 1_500));

test("joins the commits of a change, and lists blocks by their newest units", () => {
  let open = continueReorganisation(undefined, tipOf(8, 1), { reverted: [unit(8, 2), unit(8, 1)], source });
  open = continueReorganisation(open, tipOf(8, 1), { reverted: [unit(8), unit(7)], source });
  open = continueReorganisation(open, tipOf(6, 1), { reverted: [unit(6, 3)], source });
  open = continueReorganisation(open, tipOf(6, 1), { reverted: [], source });
  expect(finish(open, 6, 2)).toEqual({
    timestamp: 1_500,
    commonHeight: 6,
    oldTip: idOf(8, 1),
    newTip: idOf(6, 2),
    revertedTransactions: 10,
    revertedCount: 2,
    reverted: [idOf(7, 1), idOf(8, 1, 2)],
    committedCount: 0,
    committed: [],
  });
});

test("lists the lowest twenty blocks", () => {
  const heights = Array.from({ length: 30 }, (_, i) => 40 - i);
  const open = continueReorganisation(undefined, tipOf(40, 1), {
    reverted: [...heights.map((height) => unit(height)), unit(10, 1)],
    source,
  });
  const found = finish(open, 10, 1);
  expect(found).toMatchObject({ commonHeight: 10, revertedCount: 30 });
  expect(found?.reverted).toEqual(Array.from({ length: 20 }, (_, i) => idOf(11 + i, 1)));
});

test("ignores micro blocks, new blocks and restored chains", () => {
  const micro = continueReorganisation(undefined, tipOf(5, 1), { reverted: [unit(5, 2)], source });
  expect(finish(micro, 6, 1)).toBeUndefined();
  expect(continueReorganisation(undefined, tipOf(5, 1), { reverted: [], source })).toBeUndefined();
  const undone = continueReorganisation(undefined, tipOf(5, 1), { reverted: [unit(5)], source });
  const restored = continueReorganisation(undone, tipOf(6, 2), { reverted: [unit(6)], source: "restored" });
  expect(restored).toBe(undone);
  expect(finish(restored, 5, 1)).toBeUndefined();
});

test("a store keeps the newest hundred", () => {
  const store = memoryStore();
  expect(storedReorganisations(store)).toEqual([]);
  const open = continueReorganisation(undefined, tipOf(5, 1), { reverted: [unit(5)], source });
  const one = finish(open, 4, 1);
  if (one === undefined) throw new Error("No reorganisation");
  for (let timestamp = 1; timestamp <= 130; timestamp++)
    store.write((batch) => addReorganisation(batch, { ...one, timestamp }));
  const stored = storedReorganisations(store);
  expect(stored).toHaveLength(100);
  expect(stored.map(({ timestamp }) => timestamp)).toEqual(Array.from({ length: 100 }, (_, i) => 130 - i));
  expect(stored[0]).toEqual({ ...one, timestamp: 130 });
});
