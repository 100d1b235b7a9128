/** What peers get of a chain, including blocks that left it. Page 04 §12, §26 rule 11. */

import { expect, test } from "vitest";
import { microBlockBytes } from "../../blocks/micro-block.ts";
import { atOnce } from "../../chain/testing/at-once.ts";
import { Branch, defaultSyncOptions } from "../testing/branch.ts";
import { ChainHistory } from "./chain-history.ts";

/** A history without caches. */
function open() {
  const branch = new Branch();
  const { chain, clock } = branch.node;
  const options = { ...defaultSyncOptions, blockCache: 0, microBlockCache: 0 };
  return { branch, chain, clock, history: new ChainHistory(chain, clock, options) };
}

test("serves each state of a liquid block, also after later key blocks and when it has left the chain", () => {
  const { branch, chain, history } = open();
  branch.forge(2);
  const states: { id: Uint8Array; bytes: Uint8Array }[] = [];
  for (let i = 0; i < 4; i++) {
    if (i > 0) branch.grow();
    states.push({ id: chain.tip.id, bytes: branch.bytes(branch.height) });
  }
  const { microBlocks } = branch.node;
  expect(microBlocks).toHaveLength(3);
  const check = (): void => {
    for (const { id, bytes } of states) expect(history.block(id)).toEqual(bytes);
    for (const micro of microBlocks)
      expect(history.microBlock(micro.totalSignature)).toEqual(microBlockBytes(micro));
  };
  check();
  const { height } = chain.tip;
  branch.forge(1);
  check();
  branch.forge(2);
  check();
  // As in a fork switch: first the blocks on top of it, then the block itself.
  chain.removeAfter(states[3].id, { returnTransactions: false });
  expect(chain.tip.height).toBe(height);
  check();
  chain.removeAfter(branch.ids[height - 2], { returnTransactions: false });
  expect(chain.tip.height).toBe(height - 1);
  check();
});

test("serves a micro block that the next key block did not build on, and its block", () => {
  const { branch, chain, history } = open();
  branch.forge(1).grow();
  const upTo = chain.tip.id;
  branch.grow();
  const [{ id }, bytes] = [chain.tip, branch.bytes(branch.height)];
  const micro = branch.node.microBlocks[1];
  // A branch without the second micro block.
  const other = Branch.from(branch, branch.height - 1, "MAINTAIN");
  expect(other.node.chain.process(branch.node.blocks[0], { signature: true }).ok).toBe(true);
  expect(atOnce(other.node.chain.acceptMicroBlock(branch.node.microBlocks[0])).ok).toBe(true);
  expect(other.node.chain.tip.id).toEqual(upTo);
  other.forge(1);
  expect(atOnce(chain.accept(other.node.blocks[0]))).toMatchObject({ ok: true });
  expect(history.block(id)).toEqual(bytes);
  expect(history.microBlock(id)).toEqual(microBlockBytes(micro));
});

test("returns no block for an unknown id", () => {
  const { branch, chain, history } = open();
  branch.forge(1).grow();
  expect(history.block(new Uint8Array(64))).toBeUndefined();
  // A key block is not a micro block.
  expect(history.microBlock(chain.tip.keyBlock.id)).toBeUndefined();
  expect(history.idsAfter([new Uint8Array(64)])).toEqual([]);
});

test("caches the most recent answers", () => {
  const branch = new Branch();
  const { chain, clock } = branch.node;
  const history = new ChainHistory(chain, clock, { ...defaultSyncOptions, blockCache: 1 });
  branch.forge(2);
  const [first, second] = branch.ids.slice(1);
  const bytes = history.block(first);
  expect(history.block(first)).toBe(bytes);
  history.block(second);
  expect(history.block(first)).not.toBe(bytes);
  expect(history.block(first)).toEqual(bytes);
});
