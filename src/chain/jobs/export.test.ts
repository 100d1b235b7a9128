/** An export while the chain changes: a node forges, or an operator rolls back. */
import { expect, test } from "vitest";
import { DevNode } from "../../testing/dev-node.ts";
import { headerRow } from "../reading/rows.ts";
import { ChainChangedError, exportedBlocks } from "./export.ts";

/** A node with more blocks than one read returns. */
function forging(): DevNode {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(900_000);
  expect(node.chain.tip.height).toBeGreaterThan(100);
  return node;
}

test("ends with the newest block at the time of reading, whatever happens to it", async () => {
  const node = forging();
  const newest = node.chain.tip;
  let last = 1;
  for await (const { height } of exportedBlocks(node.store)) {
    expect(height).toBe(last + 1);
    last = height;
    if (height !== newest.height) continue;
    const parent = node.chain.read((reader) => headerRow(reader, height - 1).signature);
    node.chain.removeAfter(parent, { returnTransactions: false });
    node.clock.advance(60_000);
    expect(node.chain.tip.height).toBeGreaterThan(height);
  }
  expect(last).toBe(newest.height);
});

test("fails if returned blocks leave the chain before the end is read", async () => {
  const node = forging();
  node.forger.stop();
  const all = async (): Promise<void> => {
    for await (const { height } of exportedBlocks(node.store)) {
      if (height !== 20) continue;
      const id = node.chain.read((reader) => headerRow(reader, 10).signature);
      node.chain.removeAfter(id, { returnTransactions: false });
    }
  };
  await expect(all()).rejects.toThrow(ChainChangedError);
});
