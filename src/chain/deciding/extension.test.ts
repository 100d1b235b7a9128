/** An extension is all or nothing, and pauses for other work. */

import { beforeAll, expect, test } from "vitest";
import { type Block, buildBlock } from "../../blocks/block.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { dev } from "../../profiles/index.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, rootKeyPair } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Transaction } from "../../transactions/index.ts";
import type { Chain, ExtensionResult } from "../chain.ts";
import { headerRow, readBlock } from "../reading/rows.ts";
import { atOnce } from "../testing/at-once.ts";
import { extensionOf, standardLimits } from "../testing/extension-of.ts";
import { ChainBusyError, ChainClosedError } from "../writing/write-queue.ts";

const START = Number(dev.genesis.blockTimestamp) + 60_000;

/** The clock of a slow machine: each reading takes 30 ms. */
class SlowClock extends VirtualClock {
  override monotonic(): number {
    this.jump(super.now() + 30);
    return super.monotonic();
  }
}

/** Blocks of another branch, from height 2 on. */
let fork: Block[];

beforeAll(() => {
  const other = new DevNode({ clock: new VirtualClock(START) });
  other.forger.feeVote = "INCREASE";
  other.forger.start();
  other.clock.advance(60_000);
  const { height } = other.chain.tip;
  fork = other.chain.read((reader) =>
    Array.from({ length: height - 1 }, (_, i) => readBlock(reader, i + 2, other.profile)).filter(
      (block) => block !== undefined,
    ),
  );
});

/** A node with a branch of its own, whose clock is slow from now on. */
function forged(): { node: DevNode; chain: Chain; clock: VirtualClock } {
  const clock = new SlowClock(START);
  const node = new DevNode({ clock });
  node.forger.start();
  clock.advance(30_000);
  node.forger.stop();
  clock.jump(START + 120_000);
  return { node, chain: node.chain, clock };
}

/** Starts an extension, and steps through it: one turn of the event loop per call. */
function extend(chain: Chain, clock: VirtualClock, blocks: readonly Block[]) {
  let settled = false;
  const result = chain.acceptExtension(extensionOf(blocks), standardLimits);
  result
    .catch(() => {})
    .finally(() => {
      settled = true;
    });
  const turn = async (): Promise<boolean> => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    if (!settled) clock.step();
    return !settled;
  };
  const end = async (): Promise<ExtensionResult> => {
    while (await turn());
    return result;
  };
  return { turn, end, result };
}

/** Steps until the extension has begun to change the chain. */
async function untilBusy(chain: Chain, turn: () => Promise<boolean>): Promise<void> {
  while (!chain.isBusy) if (!(await turn())) throw new Error("It was over at once");
}

test("during an extension readers see the old chain, and writers wait in order", async () => {
  const { chain, clock } = forged();
  const { tip } = chain;
  const changes: number[] = [];
  chain.onChange((change) => changes.push(change.tip.height));
  const { turn, end } = extend(chain, clock, fork);
  await untilBusy(chain, turn);
  await turn();
  expect(chain.tip).toEqual(tip);
  expect(chain.read((reader) => headerRow(reader, tip.height).signature)).toEqual(tip.id);
  expect(chain.forging.miningBalance(tip.keyBlock.generator) > 0n).toBe(true);
  expect(() => atOnce(chain.accept(fork[0]))).toThrow(ChainBusyError);
  const second = chain.whenFree(() => chain.tip.id);
  expect(await end()).toMatchObject({ kind: "applied", blocks: fork.length });
  expect(chain.tip.id).toEqual(fork.at(-1)?.signature);
  expect(await second).toEqual(chain.tip.id);
  expect(changes).toEqual([chain.tip.height]);
  expect(chain.isBusy).toBe(false);
});

test("a block rejected late changes nothing", async () => {
  const { chain, clock } = forged();
  const { tip } = chain;
  const last = fork[fork.length - 1];
  const wrong = buildBlock({ ...last, baseTarget: last.baseTarget + 1n }, rootKeyPair);
  const result = await extend(chain, clock, [...fork.slice(0, -1), wrong]).end();
  expect(result).toMatchObject({ kind: "bad block", id: wrong.signature, remember: true });
  expect(chain.tip).toEqual(tip);
  expect(await extend(chain, clock, fork).end()).toMatchObject({ kind: "applied" });
});

test("an extension that only adds is one commit, unless it is long", async () => {
  const { chain, clock } = forged();
  chain.removeAfter(fork[0].reference, { returnTransactions: false });
  expect(await extend(chain, clock, fork.slice(0, 4)).end()).toMatchObject({ kind: "applied" });
  const { height } = chain.tip;
  let changes = 0;
  chain.onChange(({ reverted, committed }) => {
    changes++;
    expect(reverted).toHaveLength(0);
    expect(committed).toHaveLength(fork.length - 4);
  });
  expect(await extend(chain, clock, fork).end()).toMatchObject({ kind: "applied" });
  expect(changes).toBe(1);
  expect(chain.tip.height).toBe(height + fork.length - 4);
});

/** The same blocks with other transactions in one: later blocks refer to the changed one. */
function withTransactions(
  blocks: readonly Block[],
  at: number,
  transactions: readonly Transaction[],
): Block[] {
  let reference = blocks[0].reference;
  return blocks.map((block, i) => {
    const other = buildBlock(
      { ...block, reference, transactions: i === at ? transactions : block.transactions },
      rootKeyPair,
    );
    reference = other.signature;
    return other;
  });
}

let withDuplicate: readonly Block[] | undefined;

/** A node, and an extension that goes back for hours and has a transaction twice. */
function extensionWithDuplicate(clock: VirtualClock): { node: DevNode; blocks: readonly Block[] } {
  const apart = 20n * 60_000n;
  /** A block on the tip of a node, twenty minutes after it. */
  const next = (node: DevNode, feeVote: number, transactions: readonly Transaction[]): Block => {
    const { keyBlock } = node.chain.tip;
    const timestamp = keyBlock.timestamp + apart;
    const draft = node.chain.forging.draftBlock(rootKeyPair.publicKey, timestamp, Number(timestamp));
    return buildBlock({ ...draft, transactions, features: [], feeVote }, rootKeyPair);
  };
  const node = new DevNode({ clock, accounts: [] });
  for (let i = 0; i < 30; i++) expect(atOnce(node.chain.accept(next(node, 0, []))).ok).toBe(true);
  if (withDuplicate !== undefined) return { node, blocks: withDuplicate };
  const other = new DevNode({ clock: new VirtualClock(clock.now()), accounts: [] });
  const blocks: Block[] = [];
  const add = (transactions: readonly Transaction[]): void => {
    const block = next(other, 1, transactions);
    blocks.push(block);
    expect(atOnce(other.chain.accept(block)).ok).toBe(true);
  };
  const recipient = addressOf(rootKeyPair.publicKey, dev.chainId);
  const sent = buildTransaction({
    type: 4,
    sender: rootKeyPair,
    fee: 1_000_000_000n,
    timestamp: other.chain.tip.keyBlock.timestamp,
    chainId: dev.chainId,
    members: { recipient, amount: 1n, attachment: new Uint8Array(0) },
  });
  add([sent]);
  while (blocks.length <= 30) add([]);
  withDuplicate = withTransactions(blocks, 4, [sent]);
  return { node, blocks: withDuplicate };
}

test("queries meanwhile do not evict the transaction ids of the extension", async () => {
  const clock = new SlowClock(START + 100 * 3_600_000);
  const { node, blocks } = extensionWithDuplicate(clock);
  const { turn, end } = extend(node.chain, clock, blocks);
  await untilBusy(node.chain, turn);
  for (let i = 0; i < 2; i++) await turn();
  node.chain.ledger((ledger) => ledger.knownTransaction(new Uint8Array(32)));
  const result = await end();
  expect(result).toMatchObject({
    kind: "bad block",
    refusal: { printed: expect.stringContaining("AlreadyInTheState") },
  });
});

test("queries between two steps of a quick extension do not evict them either", async () => {
  for (let steps = 1; steps < 16; steps++) {
    const { node, blocks } = extensionWithDuplicate(new VirtualClock(START + 100 * 3_600_000));
    const result = node.chain.acceptExtension(extensionOf(blocks), standardLimits);
    for (let i = 0; i < steps; i++) await Promise.resolve();
    node.chain.ledger((ledger) => ledger.knownTransaction(new Uint8Array(32)));
    const end = await result;
    expect(end).toMatchObject({
      kind: "bad block",
      refusal: { printed: expect.stringContaining("AlreadyInTheState") },
    });
  }
});

test("closing the chain ends a running extension", async () => {
  const { chain, clock } = forged();
  const { tip } = chain;
  const { turn, end } = extend(chain, clock, fork);
  await untilBusy(chain, turn);
  const closed = chain.close();
  expect(await end()).toEqual({ kind: "unable", error: new ChainClosedError() });
  await closed;
  expect(chain.tip).toEqual(tip);
  expect(() => chain.process(fork[0])).toThrow(ChainClosedError);
});

test("forges a due block of ours before a running fork", async () => {
  const { node, chain, clock } = forged();
  const changes: { readonly reverted: number; readonly ids: readonly Uint8Array[] }[] = [];
  chain.onChange(({ reverted, committed }) => {
    changes.push({ reverted: reverted.length, ids: committed.map(({ id }) => id) });
  });
  const forgedBefore = node.blocks.length;
  const { turn, end } = extend(chain, clock, fork);
  await untilBusy(chain, turn);
  await turn();
  // Its next block is due at once.
  node.forger.start();
  clock.jump(clock.now() + 10_000);
  const result = await end();
  node.forger.stop();
  expect(node.blocks.length).toBeGreaterThan(forgedBefore);
  expect(changes[0]).toEqual({ reverted: 0, ids: [node.blocks[forgedBefore].signature] });
  // The fork is judged again, and is still the better one.
  expect(result).toMatchObject({ kind: "applied", blocks: fork.length });
  expect(changes.some(({ reverted }) => reverted > 0)).toBe(true);
  expect(node.forger.state).not.toContain("error");
});

test("a fork is interrupted at most twice, and finished at the third attempt", async () => {
  const { chain, clock } = forged();
  let attempts = 0;
  let urgent = 0;
  const inner = extensionOf(fork);
  const taken = chain.acceptExtension(
    {
      ...inner,
      block(number, slice) {
        if (number === 0) attempts++;
        // Another change is always queued while it runs.
        if (chain.isBusy && number === 0) chain.whenFree(() => urgent++, { urgent: true }).catch(() => {});
        return inner.block(number, slice);
      },
    },
    standardLimits,
  );
  let result: ExtensionResult | undefined;
  taken.then((end) => {
    result = end;
  });
  while (result === undefined) {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    clock.step();
  }
  expect(result).toMatchObject({ kind: "applied", blocks: fork.length });
  expect({ attempts, urgent }).toEqual({ attempts: 3, urgent: 3 });
});
