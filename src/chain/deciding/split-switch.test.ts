/** A switch too long for one commit: a rejection, a failing disk or a kill leaves the chain as it was. */

import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Block, buildBlock } from "../../blocks/block.ts";
import { dev } from "../../profiles/index.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { tables } from "../../storage/tables.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { FailingStore } from "../../storage/testing/failing-store.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, rootKeyPair } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { type Transaction, transactionId } from "../../transactions/index.ts";
import type { ExtensionResult } from "../chain.ts";
import { IndexBuilder } from "../jobs/build-indexes.ts";
import { storedReorganisations } from "../reading/reorganisations.ts";
import { atOnce } from "../testing/at-once.ts";
import { extensionOf, standardLimits } from "../testing/extension-of.ts";
import { SplitChange } from "../writing/split-change.ts";

const LATER = Number(dev.genesis.blockTimestamp) + 7_200_000;
const [OURS, THEIRS] = [10, 11];
/** Units per commit in this test. `long-extension.test.ts` uses the real limit. */
const UNITS_OF_COMMIT = 3;

beforeEach(() => {
  const asked = new WeakMap<SplitChange, number>();
  // It is called once per unit.
  vi.spyOn(SplitChange.prototype, "isFull", "get").mockImplementation(function (this: SplitChange) {
    const times = (asked.get(this) ?? 0) + 1;
    asked.set(this, times);
    return times % UNITS_OF_COMMIT === 0;
  });
});

afterEach(() => vi.restoreAllMocks());

function data(timestamp: number): Transaction {
  const entries = [{ key: String(timestamp % 7), type: "integer" as const, value: BigInt(timestamp) }];
  const plan = { type: 12, sender: rootKeyPair, fee: 500_000_000n, timestamp, chainId: dev.chainId };
  return buildTransaction({ ...plan, members: { data: entries } });
}

/** Blocks of a node, a minute apart. */
function forge(count: number, feeVote: number): Block[] {
  const { chain } = nodeOn(memoryStore());
  return Array.from({ length: count }, (_, n) => {
    const timestamp = chain.tip.keyBlock.timestamp + 60_000n;
    const draft = chain.forging.draftBlock(rootKeyPair.publicKey, timestamp, LATER);
    const transactions = Array.from({ length: 2 }, (_, i) => data(Number(timestamp) - i - 100 * feeVote));
    const block = buildBlock({ ...draft, transactions, features: [], feeVote }, rootKeyPair);
    const result = atOnce(chain.accept(block));
    if (!result.ok) throw new Error(`${n}: ${result.error.printed}`);
    return block;
  });
}

const nodeOn = (store = memoryStore()): DevNode =>
  new DevNode({
    clock: new VirtualClock(LATER),
    store,
    accounts: [],
    settings: { pool: { maxAgeMs: 86_400_000 } },
  });

let ours: Block[];
let theirs: Block[];

beforeAll(() => {
  ours = forge(OURS, 0);
  theirs = forge(THEIRS, 1);
});

/** A node with our blocks, the newest one liquid. */
function setUp() {
  const store = new FailingStore(memoryStore(), new SeededRandom(1));
  const node = nodeOn(store);
  for (const block of ours) expect(atOnce(node.chain.accept(block)).ok).toBe(true);
  return { node, store, tip: node.chain.tip, before: journaledRows(store) };
}

/** Offers the blocks. @returns the height after each commit */
async function extend(
  node: DevNode,
  blocks: readonly Block[],
  onCommit: (commits: number) => void = () => {},
) {
  const heights: number[] = [];
  const stop = node.chain.onChange(({ tip }) => onCommit(heights.push(tip.height)));
  let result: ExtensionResult | undefined;
  let failure: unknown;
  node.chain.acceptExtension(extensionOf(blocks), standardLimits).then(
    (end) => {
      result = end;
    },
    (error: unknown) => {
      failure = error;
    },
  );
  while (result === undefined && failure === undefined) {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    node.clock.step();
  }
  stop();
  if (result === undefined) throw failure;
  return { result, heights };
}

const recorded = (node: DevNode) => node.chain.read(storedReorganisations);

const isRecorded = (node: DevNode): boolean =>
  node.chain.read((reader) => reader.get(tables.meta, "switch")) !== undefined;

test("undoes and appends in parts, and ends with the same rows as a chain that never switched", async () => {
  const { node, store, tip } = setUp();
  const { result, heights } = await extend(node, theirs);
  expect(result).toMatchObject({ kind: "applied", blocks: THEIRS, height: THEIRS + 1 });
  expect(heights.length).toBeGreaterThan(2);
  expect(Math.min(...heights)).toBeLessThan(5);
  expect(isRecorded(node)).toBe(false);
  const ids = (blocks: readonly Block[]) => blocks.map(({ signature }) => signature);
  expect(recorded(node)).toEqual([
    {
      timestamp: expect.any(Number),
      commonHeight: 1,
      oldTip: tip.id,
      newTip: node.chain.tip.id,
      revertedTransactions: 2 * OURS,
      revertedCount: OURS,
      reverted: ids(ours),
      committedCount: THEIRS,
      committed: ids(theirs),
    },
  ]);
  expect(recorded(nodeOn(store))).toEqual(recorded(node));
  const other = memoryStore();
  for (const block of theirs) expect(atOnce(nodeFor(other).chain.accept(block)).ok).toBe(true);
  expect(journaledRows(store)).toEqual(journaledRows(other));
});

const nodes = new Map<unknown, DevNode>();
function nodeFor(store: ReturnType<typeof memoryStore>): DevNode {
  const node = nodes.get(store) ?? nodeOn(store);
  nodes.set(store, node);
  return node;
}

test("our transactions return to the pool when the switch is complete, and are not kept as objects until then", async () => {
  const { node } = setUp();
  const waiting: number[] = [];
  const parts: boolean[] = [];
  node.chain.onChange(({ isPart, reverted }) => {
    parts.push(isPart);
    waiting.push(node.pool.size);
    for (const unit of reverted) {
      expect(unit.transactions).toHaveLength(unit.transactionCount);
      expect(unit.transactions[0]?.transaction).not.toBe(unit.transactions[0]?.transaction);
    }
  });
  await extend(node, theirs);
  expect(parts.length).toBeGreaterThan(2);
  expect(parts).toEqual([...parts.slice(1).map(() => true), false]);
  expect(new Set(waiting)).toEqual(new Set([0]));
  for (let turn = 0; turn < 100; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    node.clock.advance(0);
  }
  for (const transaction of ours.flatMap(({ transactions }) => transactions))
    expect(node.pool.has(transactionId(transaction))).toBe(true);
  expect(node.pool.size).toBe(2 * OURS);
});

test("a refusal during execution restores our chain", async () => {
  const { node, store, tip, before } = setUp();
  const last = theirs[THEIRS - 1];
  const transactions = theirs[THEIRS - 2].transactions.slice(0, 1);
  const wrong = buildBlock({ ...last, transactions }, rootKeyPair);
  const { result, heights } = await extend(node, [...theirs.slice(0, -1), wrong]);
  expect(result).toMatchObject({ kind: "bad block", id: wrong.signature, remember: true });
  expect(heights.length).toBeGreaterThan(3);
  expect({ tip: node.chain.tip, isRecorded: isRecorded(node) }).toEqual({ tip, isRecorded: false });
  expect(journaledRows(store)).toEqual(before);
  expect(recorded(node)).toEqual([]);
});

test("after a kill at any commit the next start restores our chain", async () => {
  for (let last = 1; ; last++) {
    const { node, store, tip, before } = setUp();
    const { result, heights } = await extend(node, theirs, (commits) => {
      if (commits === last) store.faults.commits = 100;
    });
    store.faults.commits = 0;
    if (result.kind === "applied") break;
    expect(result).toEqual({ kind: "unable", error: expect.any(DiskError) });
    expect(heights).toHaveLength(last);
    expect(isRecorded(node)).toBe(true);
    const again = nodeOn(store);
    expect({ tip: again.chain.tip, isRecorded: isRecorded(again) }).toEqual({ tip, isRecorded: false });
    expect(journaledRows(store)).toEqual(before);
    expect(recorded(again)).toEqual([]);
  }
});

test("after a disk failure the next extension restores our chain first", async () => {
  const { node, store } = setUp();
  await extend(node, theirs, () => {
    store.faults.commits = 100;
  });
  store.faults.commits = 0;
  expect((await extend(node, theirs)).result).toMatchObject({ kind: "applied", height: THEIRS + 1 });
  expect(isRecorded(node)).toBe(false);
  expect(recorded(node)).toMatchObject([{ revertedCount: OURS, committedCount: THEIRS }]);
});

test("a later change of the chain makes the record of the switch invalid", async () => {
  const { node, store } = setUp();
  await extend(node, theirs, () => {
    store.faults.commits = 100;
  });
  store.faults.commits = 0;
  const { height } = node.chain.tip;
  node.chain.persistTip();
  const next = ours[height - 1];
  expect(atOnce(node.chain.accept(next)).ok).toBe(true);
  expect(nodeOn(store).chain.tip.id).toEqual(next.signature);
});

/** A node whose disk failed after the first commit of a switch, and works again. */
async function tornSetUp() {
  const set = setUp();
  await extend(set.node, theirs, () => {
    set.store.faults.commits = 100;
  });
  set.store.faults.commits = 0;
  expect(isRecorded(set.node)).toBe(true);
  return set;
}

test("a void way back stays void when the chain returns to the same block", async () => {
  const { node, store } = await tornSetUp();
  const torn = node.chain.tip;
  node.chain.persistTip();
  expect(atOnce(node.chain.accept(ours[torn.height - 1])).ok).toBe(true);
  expect(isRecorded(node)).toBe(false);
  node.chain.removeAfter(torn.id, { returnTransactions: false });
  expect(node.chain.tip.id).toEqual(torn.id);
  expect(nodeOn(store).chain.tip.height).toBe(torn.height);
});

test("opening the chain removes a void way back", async () => {
  const { node, store } = await tornSetUp();
  const row = store.get(tables.meta, "switch");
  const { id, height } = node.chain.tip;
  node.chain.persistTip();
  expect(atOnce(node.chain.accept(ours[height - 1])).ok).toBe(true);
  // As left by versions that did not remove the row.
  store.write((batch) => batch.put(tables.meta, "switch", row));
  const again = nodeOn(store);
  expect(isRecorded(again)).toBe(false);
  again.chain.removeAfter(id, { returnTransactions: false });
  expect(nodeOn(store).chain.tip.height).toBe(height);
});

/** Lets the virtual clock run until a promise is settled. */
async function settled<T>(node: DevNode, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const end = (): void => {
    isSettled = true;
  };
  promise.then(end, end);
  for (let turns = 0; !isSettled && turns < 1_000; turns++) {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    node.clock.advance(0);
  }
  return promise;
}

test("restores our chain before any other queued change", async () => {
  const { node, tip } = await tornSetUp();
  const tips: unknown[] = [];
  const look = () => node.chain.whenFree(() => tips.push(node.chain.tip));
  await settled(node, Promise.all([look(), look(), node.chain.whenFree(() => {}, { urgent: true })]));
  expect(tips).toEqual([tip, tip]);
  expect(isRecorded(node)).toBe(false);
});

test("restores our chain before forging resumes once the disk works again", async () => {
  const { node, store, tip, before } = await tornSetUp();
  await settled(node, node.chain.probeDisk());
  expect(node.chain.tip).toEqual(tip);
  expect(isRecorded(node)).toBe(false);
  expect(journaledRows(store)).toEqual(before);
});

test("the next forged block extends our restored chain, not the torn one", async () => {
  const { node, store, tip } = await tornSetUp();
  const forging = new DevNode({
    clock: node.clock,
    store,
    settings: { forging: { intervalAfterLastBlockMs: 86_400_000 } },
  });
  expect(forging.chain.tip).toEqual(tip);
  await extend(forging, theirs, () => {
    store.faults.commits = 100;
  });
  store.faults.commits = 0;
  expect(forging.chain.tip.height).toBeLessThan(tip.height);
  forging.forger.start();
  for (let turns = 0; forging.blocks.length === 0 && turns < 1_000; turns++) {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    node.clock.step();
  }
  forging.forger.stop();
  expect(forging.blocks[0].reference).toEqual(tip.id);
  expect(forging.chain.tip.height).toBe(tip.height + 1);
});

test("while the disk fails, no queued change runs on a torn chain", async () => {
  const { node, store, tip } = await tornSetUp();
  const torn = node.chain.tip;
  store.faults.commits = 100;
  let tasks = 0;
  const change = () =>
    settled(
      node,
      node.chain.whenFree(() => ++tasks),
    );
  await expect(change()).rejects.toThrow(DiskError);
  await expect(settled(node, node.chain.probeDisk())).rejects.toThrow(DiskError);
  expect(node.chain.tip).toEqual(torn);
  expect(isRecorded(node)).toBe(true);
  store.faults.commits = 0;
  expect(await change()).toBe(1);
  expect(node.chain.tip).toEqual(tip);
});

test("a restored chain has complete indexes, even if a command with other indexes restored it", async () => {
  for (let last = 1; ; last++) {
    const { node, store, tip, before } = setUp();
    const { result } = await extend(node, theirs, (commits) => {
      if (commits === last) store.faults.commits = 100;
    });
    store.faults.commits = 0;
    if (result.kind === "applied") break;
    expect(withoutTransactionIndex(store).chain.tip).toEqual(tip);
    buildIndexes(nodeOn(store));
    expect({ last, rows: journaledRows(store) }).toEqual({ last, rows: before });
  }
});

/** As an offline command does, which builds no indexes. */
const withoutTransactionIndex = (store: FailingStore): DevNode =>
  new DevNode({
    clock: new VirtualClock(LATER),
    store,
    accounts: [],
    settings: { index: { transactions: false } },
  });

function buildIndexes({ chain, clock, log }: DevNode): void {
  const builder = new IndexBuilder({ chain, network: dev, clock, log });
  builder.begin();
  while (builder.step());
}
