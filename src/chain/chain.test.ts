import { expect, test } from "vitest";
import { type Block, blockHeader, buildBlock } from "../blocks/block.ts";
import { signCheckpoint } from "../blocks/testing/sign-checkpoint.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { addressOf } from "../crypto/addresses.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import { dev } from "../profiles/index.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import { JournalPrunedError } from "../storage/batch/write-batch.ts";
import { findTransaction } from "../storage/ledger/recorded-transactions.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { recordChanges, revertedBlocks, revertedTransactions } from "../testing/changes.ts";
import { DevNode, type DevNodeOptions, keyPairOf, rootKeyPair } from "../testing/dev-node.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type Transaction, transactionBytes, transactionId } from "../transactions/index.ts";
import { Chain, ChainError, type ExtensionResult } from "./chain.ts";
import type { AppendResult } from "./deciding/block-refusal.ts";
import { headerRow, readBlock } from "./reading/rows.ts";
import { atOnce } from "./testing/at-once.ts";
import { extensionOf, standardLimits } from "./testing/extension-of.ts";

const { chainId } = dev;
const LTO = 100_000_000n;
const alice = keyPairOf("alice");
const START = Number(dev.genesis.blockTimestamp) + 60_000;

const addressOfKey = ({ publicKey }: KeyPair): Uint8Array => addressOf(publicKey, chainId);

function transfer(node: DevNode, amount = LTO, from = rootKeyPair): Transaction {
  return buildTransaction({
    type: 4,
    sender: from,
    fee: LTO,
    timestamp: node.clock.now(),
    chainId,
    members: { recipient: addressOfKey(alice), amount, attachment: new Uint8Array(0) },
  });
}

/** A node that forged for a while. */
function forged(ms: number, options: DevNodeOptions = {}): DevNode {
  const node = new DevNode(options);
  node.forger.start();
  node.clock.advance(ms);
  return node;
}

/** The same genesis with another history: it votes differently. */
function forgedElsewhere(ms: number, clock = new VirtualClock(START)): DevNode {
  const node = new DevNode({ clock });
  node.forger.feeVote = "INCREASE";
  node.forger.start();
  node.clock.advance(ms);
  return node;
}

/** A node's blocks with their micro blocks, from height 2 on. */
function wholeBlocks(node: DevNode): Block[] {
  const { height } = node.chain.tip;
  return node.chain.read((reader) =>
    Array.from({ length: height - 1 }, (_, i) => readBlock(reader, i + 2, node.profile)).filter(
      (block) => block !== undefined,
    ),
  );
}

function idAt(node: DevNode, height: number): Uint8Array {
  return node.chain.read((reader) => headerRow(reader, height).signature);
}

function refusalOf(result: AppendResult | ExtensionResult): string {
  if ("error" in result && "printed" in result.error) return result.error.printed;
  if (!("refusal" in result)) throw new Error("it was not refused");
  return result.refusal.printed;
}

/** Offers blocks as a peer would, all unchecked. */
function extend(chain: Chain, blocks: readonly Block[]): Promise<ExtensionResult> {
  return chain.acceptExtension(extensionOf(blocks), standardLimits);
}

/** The next block of a node, built here, with some other fields. */
function nextBlock(node: DevNode, change: Partial<Block> = {}, by = rootKeyPair): Block {
  const now = node.clock.now();
  const draft = node.chain.forging.draftBlock(by.publicKey, change.timestamp ?? BigInt(now), now);
  return buildBlock({ ...draft, transactions: [], features: [], feeVote: 0, ...change }, by);
}

// -------------------------------------------------------------------------------------------- extensions

test("an extension of a fork replaces the blocks after the common one, and their transactions return to the pool", async () => {
  const other = forgedElsewhere(60_000);
  const blocks = wholeBlocks(other);
  const node = forged(30_000);
  node.forger.stop();
  const sent = transfer(node);
  node.pool.add(sent);
  node.forger.start();
  node.clock.advance(200);
  node.forger.stop();
  node.clock.advance(60_000);
  const id = transactionId(sent);
  expect(node.pool.has(id)).toBe(false);

  const result = await extend(node.chain, blocks);
  const { height, score } = node.chain.tip;
  expect(result).toEqual({ kind: "applied", height, score, blocks: blocks.length });
  expect(node.chain.tip.id).toEqual(blocks.at(-1)?.signature);
  expect(node.chain.tip.liquid).toBe(true);
  expect(node.pool.has(id)).toBe(true);
  expect(node.chain.read((reader) => findTransaction(reader, id))).toBeUndefined();
});

test("a failed extension changes nothing, not even the micro blocks", async () => {
  const other = forgedElsewhere(60_000);
  const blocks = wholeBlocks(other);
  const node = forged(30_000);
  node.pool.add(transfer(node));
  node.clock.advance(200);
  node.forger.stop();
  node.clock.advance(60_000);
  const { tip } = node.chain;
  expect(tip.microBlocks).toHaveLength(1);

  const bad = blocks[blocks.length - 1];
  const wrong = buildBlock({ ...bad, baseTarget: bad.baseTarget + 1n }, rootKeyPair);
  const result = await extend(node.chain, [...blocks.slice(0, -1), wrong]);
  expect(result).toMatchObject({ kind: "bad block", id: wrong.signature, remember: true });
  expect(refusalOf(result)).toContain("does not match calculated baseTarget");
  expect(node.chain.tip).toEqual(tip);
  // The ids in memory are those of the remaining chain.
  const again = node.pool.add(transfer(node, 2n * LTO));
  expect(again).toEqual({ ok: true, value: { added: true } });
});

test("knows the ids of the remaining blocks after a deep extension was abandoned", async () => {
  const node = forged(30_000);
  const sent = transfer(node);
  node.pool.add(sent);
  node.clock.advance(10_000);
  node.forger.stop();
  const { tip } = node.chain;
  // A fork from the genesis block whose first block is valid and whose second is not.
  const other = forgedElsewhere(30_000);
  const blocks = wholeBlocks(other);
  const wrong = buildBlock({ ...blocks[1], baseTarget: 1n }, rootKeyPair);
  expect((await extend(node.chain, [blocks[0], wrong])).kind).toBe("bad block");
  expect(node.chain.tip).toEqual(tip);
  const block = nextBlock(node, { transactions: [sent], timestamp: tip.keyBlock.timestamp + 20_000n });
  expect(refusalOf(node.chain.process(block))).toContain("AlreadyInTheState");
});

test("an extension starts after the known blocks, and needs one", async () => {
  const node = forged(60_000);
  const blocks = wholeBlocks(forged(60_000));
  expect(await extend(node.chain, blocks.slice(0, 3))).toEqual({ kind: "known" });
  const far = wholeBlocks(forgedElsewhere(60_000));
  expect(refusalOf(await extend(node.chain, far.slice(3)))).toBe(
    "GenericError(Fork contains no common parent)",
  );
});

test("rejects a forged signature before anything else in the block, and does not remember the id", async () => {
  const node = forged(10_000);
  node.forger.stop();
  node.clock.advance(60_000);
  const blocks = wholeBlocks(forgedElsewhere(30_000));
  const last = blocks[blocks.length - 1];
  const forgedBlock = { ...last, baseTarget: 1n, signature: last.signature.slice().reverse() };
  const result = await extend(node.chain, [...blocks.slice(0, -1), forgedBlock]);
  expect(result).toMatchObject({
    kind: "bad block",
    id: forgedBlock.signature,
    refusal: { kind: "InvalidSignature" },
    remember: false,
  });
});

// -------------------------------------------------------------------------------------- checks of a block

test("checks block headers in the protocol's order, with its texts", () => {
  const node = forged(30_000);
  node.forger.stop();
  const { tip } = node.chain;
  const { timestamp, baseTarget } = tip.keyBlock;
  const accept = (block: Block): string => {
    const text = refusalOf(atOnce(node.chain.accept(block)));
    // All of these follow from the header.
    expect(node.chain.checkHeader(blockHeader(block))).toMatchObject({ ok: false, error: { printed: text } });
    return text;
  };

  node.clock.jump(Number(timestamp) + 30_000);
  expect(accept(nextBlock(node, {}, alice))).toMatch(
    /^GenericError\(Block Block\(\w+ -> \w{7}\.\.\., txs=0, features=Set\(\)\) is invalid: generator's effective balance 0 is less that required for generation\)$/,
  );
  const ahead = BigInt(node.clock.now()) + 100n;
  expect(accept(nextBlock(node, { timestamp: ahead }))).toBe(`BlockFromFuture(${ahead})`);
  expect(accept(nextBlock(node, { baseTarget: 7n }))).toContain(
    "is invalid: declared baseTarget 7 does not match calculated baseTarget ",
  );
  expect(accept(nextBlock(node, { generationSignature: new Uint8Array(32) }))).toContain(
    "is invalid: Generation signatures does not match: Expected = ",
  );
  const early = timestamp + 1n;
  const target = node.chain.forging.draftBlock(rootKeyPair.publicKey, early, 0).baseTarget;
  expect(accept(nextBlock(node, { timestamp: early, baseTarget: target }))).toContain(
    `is invalid: Block time ${early} less than expected`,
  );
  const stranger = { reference: new Uint8Array(64) };
  expect(accept(nextBlock(node, stranger))).toMatch(
    /^BlockAppendError\(Block is not a child of the last block,Block\(/,
  );
  expect(node.chain.tip).toEqual(tip);
  expect(baseTarget > 0n).toBe(true);

  const just = BigInt(node.clock.now()) + 99n;
  const fits = nextBlock(node, { timestamp: just });
  expect(node.chain.checkHeader(blockHeader({ ...fits, signature: new Uint8Array(64) }))).toEqual({
    ok: true,
    value: "fits",
  });
  expect(atOnce(node.chain.accept(fits)).ok).toBe(true);
  expect(node.chain.checkHeader(blockHeader(fits))).toEqual({ ok: true, value: "known" });
});

test("a known block changes nothing", () => {
  const node = forged(30_000);
  const [, second] = node.blocks;
  expect(atOnce(node.chain.accept(second))).toMatchObject({ ok: true, value: "known" });
});

test("a scripted account must not forge, not even right after its script was removed", () => {
  const node = forged(10_000);
  const script = buildTransaction({
    type: 13,
    sender: rootKeyPair,
    fee: 5n * LTO,
    timestamp: node.clock.now(),
    chainId,
    members: { script: undefined },
  });
  expect(node.pool.add(script)).toEqual({ ok: true, value: { added: true } });
  node.clock.advance(200);
  node.forger.stop();
  expect(node.microBlocks).toHaveLength(1);
  node.clock.jump(node.clock.now() + 30_000);
  const text = encodeBase58(addressOfKey(rootKeyPair));
  expect(refusalOf(atOnce(node.chain.accept(nextBlock(node))))).toContain(
    `BlockAppendError(Account(${text}) is scripted are therefore not allowed to forge blocks,Block(`,
  );
  // On top of the key block alone the script change is gone, but the tip decides.
  const base = nextBlock(node, { reference: node.chain.tip.keyBlock.id });
  expect(refusalOf(atOnce(node.chain.accept(base)))).toContain("is scripted");
  expect(node.chain.checkHeader(blockHeader(base))).toMatchObject({ ok: false });
});

test("checks a child of an earlier micro block with the state as of that micro block", () => {
  const node = forged(10_000);
  const balance = node.chain.forging.generatingBalance(addressOfKey(rootKeyPair));
  node.clock.advance(100);
  node.pool.add(transfer(node));
  node.clock.advance(100);
  const lease = buildTransaction({
    type: 8,
    sender: rootKeyPair,
    fee: LTO,
    timestamp: node.clock.now(),
    chainId,
    members: { recipient: addressOfKey(alice), amount: balance - 100n * LTO },
  });
  expect(node.pool.add(lease)).toEqual({ ok: true, value: { added: true } });
  node.clock.advance(100);
  node.forger.stop();
  const { tip } = node.chain;
  expect(tip.microBlocks).toHaveLength(2);
  node.clock.jump(node.clock.now() + 30_000);
  expect(refusalOf(atOnce(node.chain.accept(nextBlock(node))))).toContain(
    "is less that required for generation",
  );
  const changes = recordChanges(node.chain);
  const child = nextBlock(node, { reference: tip.microBlocks[0].id });
  expect(node.chain.checkHeader(blockHeader(child))).toEqual({ ok: true, value: "fits" });
  const poor = nextBlock(node, { reference: tip.microBlocks[0].id }, alice);
  expect(node.chain.checkHeader(blockHeader(poor))).toMatchObject({ ok: false });
  const result = atOnce(node.chain.accept(child));
  if (!result.ok) throw new Error(result.error.printed);
  expect(changes.map((change) => revertedTransactions(change).map(transactionId))).toEqual([
    [transactionId(lease)],
  ]);
  expect(node.pool.has(transactionId(lease))).toBe(true);
});

test("rejects a micro block that is not the next one by its announcement", () => {
  const node = forged(10_000);
  node.clock.advance(100);
  node.pool.add(transfer(node));
  node.clock.advance(100);
  node.forger.stop();
  const { id, keyBlock } = node.chain.tip;
  const next = { generator: rootKeyPair.publicKey, reference: id, totalSignature: new Uint8Array(64) };
  const { chain } = node;
  expect(chain.checkMicroBlock(next)).toEqual({ ok: true });
  expect(chain.checkMicroBlock({ ...next, generator: alice.publicKey })).toMatchObject({
    error: { text: "Base block has been generated by another account" },
  });
  expect(chain.checkMicroBlock({ ...next, reference: keyBlock.id })).toMatchObject({
    error: { text: "It doesn't reference last known microBlock(which exists)" },
  });
});

// -------------------------------------------------------------------------------------------- checkpoints

const authority = keyPairOf("authority");

function chainWithCheckpoints(node: DevNode, items: { height: number; id: Uint8Array }[] = []): Chain {
  return Chain.open({
    store: node.store,
    profile: dev,
    indexes: [],
    clock: node.clock,
    log: node.log,
    options: {
      stopOnUnsupportedFeature: true,
      checkpointKey: authority.publicKey,
      checkpoints: items,
    },
  });
}

test("accepts a checkpoint once, from its authority only, and keeps it after a restart", () => {
  const node = forged(60_000);
  node.forger.stop();
  const chain = chainWithCheckpoints(node);
  const items = [{ height: 3, id: idAt(node, 3) }];
  const wrong = signCheckpoint(items, alice);
  expect(chain.acceptCheckpoint(wrong)).toEqual({ ok: false, error: "Invalid checkpoint signature" });
  const right = signCheckpoint(items, authority);
  expect(chain.acceptCheckpoint(right)).toEqual({ ok: true });
  expect(chain.acceptCheckpoint(right)).toEqual({ ok: false, error: "Checkpoint already applied" });
  expect(chainWithCheckpoints(node).acceptCheckpoint(right)).toEqual({
    ok: false,
    error: "Checkpoint already applied",
  });
  expect(node.chain.acceptCheckpoint(right)).toEqual({ ok: false, error: "Invalid checkpoint signature" });
});

test("a checkpoint that contradicts the chain removes blocks down to the next matching item", () => {
  const node = forged(60_000);
  node.forger.stop();
  const chain = chainWithCheckpoints(node);
  const { height } = chain.tip;
  const other = new Uint8Array(64).fill(7);
  const items = [
    { height: height + 50, id: other },
    { height: height - 1, id: other },
    { height: height - 3, id: idAt(node, height - 3) },
  ];
  expect(chain.acceptCheckpoint(signCheckpoint(items, authority))).toEqual({ ok: true });
  expect(chain.tip).toMatchObject({ height: height - 3, liquid: false });
  expect(chain.acceptCheckpoint(signCheckpoint([{ height: 2, id: other }], authority))).toEqual({ ok: true });
  expect(chain.tip.height).toBe(1);
});

test("rejects blocks, micro blocks and forks that contradict a checkpoint", async () => {
  const node = forged(30_000);
  node.forger.stop();
  const { height } = node.chain.tip;
  const items = [{ height: height + 1, id: new Uint8Array(64).fill(7) }];
  const chain = chainWithCheckpoints(node, items);
  node.clock.jump(node.clock.now() + 30_000);
  const block = nextBlock(node);
  expect(refusalOf(atOnce(chain.accept(block)))).toMatch(
    new RegExp(
      `^BlockAppendError\\(Block Block\\(.*\\) at height ${height + 1} is not valid w\\.r\\.t\\. checkpoint,`,
    ),
  );
  expect(refusalOf(await extend(chain, [block]))).toBe(
    "GenericError(Fork contains block that doesn't match checkpoint, declining fork)",
  );
});

// ------------------------------------------------------------------------------------------------ removing

test("rejects a rollback deeper than the journal, without changing anything", () => {
  const node = forged(90_000, { store: memoryStore({ rollbackDepth: 5 }) });
  const { tip } = node.chain;
  const deep = idAt(node, 2);
  expect(() => node.chain.removeAfter(deep, { returnTransactions: true })).toThrow(JournalPrunedError);
  expect(node.chain.tip).toEqual(tip);
  node.clock.advance(20_000);
  expect(node.chain.tip.height).toBeGreaterThan(tip.height);
  const near = idAt(node, node.chain.tip.height - 4);
  const changes = recordChanges(node.chain);
  node.chain.removeAfter(near, { returnTransactions: true });
  expect(changes.map((change) => revertedBlocks(change).length)).toEqual([4]);
});

test("a lookup in the chain, the pool and the chain again finds a transaction that moves between them", () => {
  const node = forged(10_000);
  const sent = transfer(node);
  const id = transactionId(sent);
  const inChain = (): boolean => node.chain.read((reader) => findTransaction(reader, id)) !== undefined;
  const seen: boolean[] = [];
  node.chain.onChange(() => seen.push(inChain() || node.pool.has(id)));
  node.pool.add(sent);
  node.clock.advance(100);
  expect(inChain()).toBe(true);
  expect(node.pool.has(id)).toBe(false);
  node.clock.advance(20_000);
  const height = node.chain.read((reader) => findTransaction(reader, id))?.height ?? 0;
  node.chain.removeAfter(idAt(node, height - 1), { returnTransactions: true });
  expect(inChain()).toBe(false);
  expect(node.pool.has(id)).toBe(true);
  expect(seen.length).toBeGreaterThan(3);
  expect(seen.every((found) => found)).toBe(true);
});

test("rejects the store of another network", () => {
  const node = forged(10_000);
  const genesis = { ...dev.genesis, timestamp: 1n, signature: undefined };
  const profile: NetworkProfile = { ...dev, genesis };
  expect(() => new DevNode({ profile, store: node.store })).toThrow(ChainError);
});

// ------------------------------------------------------------------------------------ unknown features

/** Every block votes for an unknown feature; windows of four blocks. */
function unknownFeature(stop: boolean): { node: DevNode; chain: Chain; told: number[][] } {
  const functionality = {
    ...dev.functionality,
    featureCheckBlocksPeriod: 4,
    blocksForFeatureActivation: 3,
  };
  const profile: NetworkProfile = { ...dev, functionality };
  const node = new DevNode({ profile });
  const told: number[][] = [];
  const chain = Chain.open({
    store: node.store,
    profile,
    indexes: [],
    clock: node.clock,
    log: node.log,
    options: { stopOnUnsupportedFeature: stop },
    onUnsupportedFeature: ({ ids }) => told.push([...ids]),
  });
  return { node, chain, told };
}

function vote(chain: Chain): AppendResult {
  const { tip } = chain;
  const template = {
    version: 4,
    timestamp: tip.keyBlock.timestamp + 10_000n,
    reference: tip.id,
    baseTarget: tip.keyBlock.baseTarget,
    generationSignature: new Uint8Array(32),
    transactions: [],
    features: [99],
    feeVote: 0,
  };
  return chain.process(buildBlock(template, rootKeyPair));
}

test("warns of an unknown feature, then stops the node and rejects further blocks", () => {
  const { node, chain, told } = unknownFeature(true);
  while (chain.tip.height < 4) expect(vote(chain).ok).toBe(true);
  expect(node.log.lines.map(({ message }) => message)).toContain(
    "An unknown feature was approved: update the node before it activates",
  );
  while (chain.tip.height < 8) expect(vote(chain).ok).toBe(true);
  expect(told).toEqual([[99]]);
  // Persisting height 8 needs its child: only then is the feature active below the new block.
  expect(vote(chain).ok).toBe(true);
  expect(refusalOf(vote(chain))).toBe(
    "GenericError(UNIMPLEMENTED FEATURE 99 has been ACTIVATED ON BLOCKCHAIN, UPDATE THE NODE IMMEDIATELY)",
  );
});

test("a node that continues with an unknown feature logs the consequence", () => {
  const { node, chain, told } = unknownFeature(false);
  while (chain.tip.height < 12) expect(vote(chain).ok).toBe(true);
  expect(told).toEqual([]);
  expect(node.log.lines.map(({ message }) => message)).toContain(
    "The node continues and will end up on a fork",
  );
});

// --------------------------------------------------------------------------------------------- in groups

test("groups of blocks give the same chain as single blocks, and a bad block keeps the ones before it", () => {
  const forging = forgedElsewhere(30_000);
  for (const ms of [30_000, 20_000, 10_000]) {
    forging.pool.add(transfer(forging));
    forging.clock.advance(ms);
  }
  const blocks = wholeBlocks(forging);
  const clock = new VirtualClock(START + 1_000_000);
  const single = new DevNode({ clock, accounts: [] });
  for (const block of blocks) expect(atOnce(single.chain.accept(block)).ok).toBe(true);
  const grouped = new DevNode({ clock, accounts: [] });
  const changes = recordChanges(grouped.chain);
  const first = grouped.chain.beginGroup();
  for (const block of blocks.slice(0, 5)) expect(first.append(block).ok).toBe(true);
  expect(first.append(blocks[6])).toMatchObject({
    error: { text: "Block is not a child of the last block" },
  });
  const bad = buildBlock({ ...blocks[5], baseTarget: 1n }, rootKeyPair);
  expect(first.append(bad)).toMatchObject({
    error: { text: expect.stringContaining("does not match calculated baseTarget") },
  });
  expect(grouped.chain.tip.height).toBe(1);
  first.commit();
  expect(grouped.chain.tip.height).toBe(6);
  const second = grouped.chain.beginGroup();
  for (const block of blocks.slice(5)) expect(second.append(block).ok).toBe(true);
  second.commit();
  expect(grouped.chain.tip).toEqual(single.chain.tip);
  expect(changes.map(({ committed }) => committed.map(({ id }) => id))).toEqual([
    blocks.slice(0, 5).map(({ signature }) => signature),
    blocks.slice(5).map(({ signature }) => signature),
  ]);
  // Older units of a commit keep their transactions only as bytes.
  expect(blocks.some(({ transactions }) => transactions.length > 0)).toBe(true);
  for (const [i, unit] of changes.flatMap(({ committed }) => committed).entries()) {
    const { transactions } = blocks[i];
    expect(unit.transactionCount).toBe(transactions.length);
    expect(unit.transactionIds()).toEqual(transactions.map(transactionId));
    expect(unit.transactions.map(({ transaction }) => transactionBytes(transaction))).toEqual(
      transactions.map(transactionBytes),
    );
  }
  grouped.chain.persistTip();
  expect(grouped.chain.tip.liquid).toBe(false);
  expect(bytesEqual(grouped.chain.tip.id, single.chain.tip.id)).toBe(true);
});

test("an unknown id removes the liquid block, but never the genesis block", () => {
  const { chain } = new DevNode();
  const unknown = new Uint8Array(64).fill(1);
  chain.removeAfter(unknown, { returnTransactions: false });
  expect(chain.tip.height).toBe(1);
  const node = forged(20_000);
  const { height } = node.chain.tip;
  node.chain.removeAfter(unknown, { returnTransactions: false });
  expect(node.chain.tip.height).toBe(height - 1);
});
