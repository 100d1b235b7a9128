/** The checks of an extension before anything is undone for it. Page 03 §12.3. */
import { beforeAll, expect, test } from "vitest";
import { type Block, buildBlock } from "../../blocks/block.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { blockScore } from "../../consensus/proof-of-stake.ts";
import { dev } from "../../profiles/index.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { ExtensionResult } from "../chain.ts";
import { readBlock } from "../reading/rows.ts";
import { extensionOf } from "../testing/extension-of.ts";

const START = Number(dev.genesis.blockTimestamp) + 60_000;

function forge(ms: number, feeVote: "INCREASE" | "MAINTAIN") {
  const store = memoryStore();
  const clock = new VirtualClock(START);
  const node = new DevNode({ clock, store });
  node.forger.feeVote = feeVote;
  node.forger.start();
  clock.advance(ms);
  node.forger.stop();
  return { node, store, clock };
}

const blocksOf = ({ chain, profile }: DevNode): Block[] =>
  chain.read((reader) =>
    Array.from({ length: chain.tip.height - 1 }, (_, i) => readBlock(reader, i + 2, profile)).filter(
      (block) => block !== undefined,
    ),
  );

/** A branch from the genesis block, and a shorter one that it replaces. */
let longer: Block[];
let shorter: ReturnType<typeof forge>;

beforeAll(() => {
  longer = blocksOf(forge(90_000, "INCREASE").node);
  shorter = forge(45_000, "MAINTAIN");
  shorter.clock.jump(START + 120_000);
});

/** Offers blocks that must change nothing. */
async function refuse(blocks: readonly Block[], maxRollback = 100): Promise<ExtensionResult> {
  const { node, store } = shorter;
  const { tip } = node.chain;
  const before = journaledRows(store);
  let changes = 0;
  const stop = node.chain.onChange(() => changes++);
  const result = await node.chain.acceptExtension(extensionOf(blocks), { maxRollback });
  stop();
  expect(result.kind).not.toBe("applied");
  expect(changes).toBe(0);
  expect(node.chain.tip).toEqual(tip);
  expect(journaledRows(store)).toEqual(before);
  return result;
}

const scoreOf = (blocks: readonly Block[]): bigint =>
  blocks.reduce((sum, { baseTarget }) => sum + blockScore(baseTarget), 0n);

test("blames only the sender for a gap between two blocks", async () => {
  const gap = [...longer.slice(0, 3), ...longer.slice(4)];
  expect(await refuse(gap)).toMatchObject({
    kind: "unlinked",
    refusal: {
      printed: expect.stringMatching(
        `^GenericError\\(Block .* is invalid: height: history does not contain parent ${encodeBase58(longer[3].signature)}\\)$`,
      ),
    },
  });
  // Whatever else is wrong with it.
  expect((await refuse([longer[3], longer[1]])).kind).toBe("unlinked");
});

test("a chain of equal or lower score does not replace ours, and no peer is to blame", async () => {
  const { node } = shorter;
  const { tip } = node.chain;
  const genesisScore = tip.score - scoreOf(blocksOf(node));
  const fewer = longer.slice(0, 5);
  expect(await refuse(fewer)).toEqual({ kind: "not better", score: genesisScore + scoreOf(fewer) });
  // Equal score: the same branch by other generators.
  let reference = longer[0].reference;
  const same = blocksOf(node).map((block) => {
    const other = buildBlock({ ...block, reference, feeVote: 1 }, rootKeyPair);
    reference = other.signature;
    return other;
  });
  expect(await refuse(same)).toEqual({ kind: "not better", score: tip.score });
  // An invalid base target has no score.
  expect((await refuse([buildBlock({ ...longer[0], baseTarget: 0n }, rootKeyPair)])).kind).toBe("not better");
});

test("rejects a fork that begins too far back before reading its blocks", async () => {
  const { height } = shorter.node.chain.tip;
  const result = await refuse(longer, height - 2);
  expect(result).toMatchObject({
    kind: "too deep",
    refusal: {
      text: `Fork begins ${height - 1} blocks back, which is more than ${height - 2}, declining fork`,
    },
  });
});

test("reports which block is ahead of the clock, and when it is due", async () => {
  const { clock } = shorter;
  const last = longer[longer.length - 1];
  const now = clock.now();
  clock.jump(Number(last.timestamp) - 100);
  const early = await refuse(longer);
  expect(early).toEqual({ kind: "future", id: last.signature, dueAt: Number(last.timestamp) - 99 });
  clock.jump(now);
});

test("remembers a block that fails on its parent, but not a forged signature", async () => {
  const last = longer[longer.length - 1];
  const upTo = longer.slice(0, -1);
  const byPoor = buildBlock({ ...last }, keyPairOf("poor"));
  expect(await refuse([...upTo, byPoor])).toMatchObject({
    kind: "bad block",
    id: byPoor.signature,
    remember: true,
    refusal: { printed: expect.stringContaining("generator's effective balance 0 is less") },
  });
  // The id of an honest block on other content.
  const stolen = { ...last, feeVote: 0 };
  expect(await refuse([...upTo, stolen])).toMatchObject({
    kind: "bad block",
    id: last.signature,
    remember: false,
    refusal: { kind: "InvalidSignature" },
  });
});

test("an extension may start with known blocks, or have only known ones", async () => {
  const { node } = forge(45_000, "MAINTAIN");
  const all = blocksOf(node);
  const known = await node.chain.acceptExtension(extensionOf(all), { maxRollback: 100 });
  expect(known).toEqual({ kind: "known" });
  const more = blocksOf(forge(60_000, "MAINTAIN").node);
  node.clock.jump(START + 60_000);
  const result = await node.chain.acceptExtension(extensionOf(more), { maxRollback: 100 });
  const { height, score } = node.chain.tip;
  expect(result).toEqual({ kind: "applied", height, score, blocks: more.length - all.length });
});
