/** A revocation that cuts off a large tree is applied in slices, as one commit, however it arrives. */

import { beforeAll, expect, test } from "vitest";
import { type Block, buildBlock } from "../../blocks/block.ts";
import { buildMicroBlock, type MicroBlock } from "../../blocks/micro-block.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { KeyPair } from "../../crypto/signatures.ts";
import { AssociatedAddressQuery } from "../../indexes/associations/query.ts";
import { sourceOf } from "../../indexes/testing/query-source.ts";
import { dev } from "../../profiles/index.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Transaction } from "../../transactions/index.ts";
import { extensionOf, standardLimits } from "../testing/extension-of.ts";
import { ChainBusyError, ChainClosedError } from "./write-queue.ts";

const START = Number(dev.genesis.blockTimestamp) + 3_600_000;
const CHILDREN = 700;
const middle = keyPairOf("middle");
const [root, owner] = [rootKeyPair, middle].map(({ publicKey }) => addressOf(publicKey, dev.chainId));
const checked = { signature: true, verdicts: () => true };

/** A clock that can be made slow: then each reading takes 60 ms. */
class SlowClock extends VirtualClock {
  isSlow = false;
  override monotonic(): number {
    if (this.isSlow) this.jump(super.now() + 60);
    return super.monotonic();
  }
}

let made = 0;
function send(sender: KeyPair, type: number, members: Readonly<Record<string, unknown>>): Transaction {
  const timestamp = START - 600_000 + made++;
  return buildTransaction({ type, sender, fee: 200_000_000n, timestamp, chainId: dev.chainId, members });
}

const link = (sender: KeyPair, recipient: Uint8Array, type = 16): Transaction =>
  send(sender, type, { associationType: 1n, recipient, data: [] });

/** The chain up to the revocation, and the revocation as micro block. */
const blocks: Block[] = [];
let micro: MicroBlock;
let total: Block;

function next(node: DevNode, transactions: readonly Transaction[]): Block {
  const timestamp = node.chain.tip.keyBlock.timestamp + 120_000n;
  const draft = node.chain.forging.draftBlock(rootKeyPair.publicKey, timestamp, Number(timestamp));
  return buildBlock({ ...draft, transactions, features: [], feeVote: 0 }, rootKeyPair);
}

beforeAll(() => {
  const node = new DevNode({ clock: new VirtualClock(START), accounts: [] });
  const add = (transactions: readonly Transaction[]): void => {
    const block = next(node, transactions);
    expect(node.chain.process(block, checked)).toMatchObject({ value: "appended" });
    blocks.push(block);
  };
  add([send(rootKeyPair, 4, { recipient: owner, amount: 10n ** 12n * 4n, attachment: new Uint8Array(0) })]);
  add(
    Array.from({ length: CHILDREN }, (_, n) => {
      const key = new Uint8Array(32);
      new DataView(key.buffer).setUint32(0, n);
      return link(middle, addressOf(key, dev.chainId));
    }),
  );
  add([link(rootKeyPair, owner)]);
  ({ micro, total } = buildMicroBlock(
    node.chain.forging.liquidBlock(),
    [link(rootKeyPair, owner, 17)],
    rootKeyPair,
  ));
});

function grown(upTo = blocks.length): { node: DevNode; clock: SlowClock } {
  const clock = new SlowClock(START);
  const node = new DevNode({ clock, accounts: [] });
  for (const block of blocks.slice(0, upTo))
    expect(node.chain.process(block, checked)).toMatchObject({ value: "appended" });
  clock.isSlow = true;
  return { node, clock };
}

const childrenIn = (node: DevNode): number =>
  new AssociatedAddressQuery(sourceOf(node.store)).of(owner).children.length;

/** Runs a change to its end. @returns the number of pauses for other work */
async function drive(result: Promise<unknown>, clock: VirtualClock, inTurn = () => {}): Promise<number> {
  let turns = 0;
  let isSettled = false;
  const settled = () => {
    isSettled = true;
  };
  result.then(settled, settled);
  for (;;) {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    if (isSettled) return turns;
    inTurn();
    clock.step();
    turns++;
  }
}

/** The rows after the revocation, applied in one turn. */
function wanted(): string[] {
  const { node, clock } = grown();
  const group = node.chain.beginGroup();
  expect(group.appendMicroBlock(micro, clock.now(), checked)).toMatchObject({ value: "appended" });
  group.commit();
  expect(childrenIn(node)).toBe(0);
  return journaledRows(node.store);
}

/** One pause per step of 256 pairs or addresses, and one before the commit. */
const MIN_TURNS = Math.floor((2 * CHILDREN) / 256);

test("a micro block: readers see the old chain, writers wait, and there is one commit and one undo", async () => {
  const { node, clock } = grown();
  const { chain, store } = node;
  const [before, tip] = [journaledRows(store), chain.tip];
  const changes: number[] = [];
  chain.onChange(({ committed }) => changes.push(committed.length));
  const result = chain.acceptMicroBlock(micro, checked);
  expect(result).toBeInstanceOf(Promise);
  const waiting = chain.whenFree(() => chain.tip.id);
  const turns = await drive(Promise.resolve(result), clock, () => {
    expect(childrenIn(node)).toBe(CHILDREN);
    expect(chain.tip).toEqual(tip);
    expect(changes).toEqual([]);
    expect(() => chain.process(total, checked)).toThrow(ChainBusyError);
  });
  expect(turns).toBeGreaterThanOrEqual(MIN_TURNS);
  expect(await result).toMatchObject({ value: "appended" });
  expect(await waiting).toEqual(micro.totalSignature);
  expect(changes).toEqual([1]);
  expect(journaledRows(store)).toEqual(wanted());
  store.write((batch) => batch.undoUnit({ height: tip.height, sequence: 1 }));
  expect(journaledRows(store)).toEqual(before);
});

test("a block of a peer, an extension or a group, even with another block after it in the same change", async () => {
  const { node, clock } = grown(blocks.length - 1);
  const pushed = node.chain.accept(total, checked);
  expect(pushed).toBeInstanceOf(Promise);
  expect(await drive(Promise.resolve(pushed), clock)).toBeGreaterThanOrEqual(MIN_TURNS);
  expect(await pushed).toMatchObject({ value: "appended" });
  const child = next(node, [link(middle, root)]);
  const other = grown(blocks.length - 1);
  const taken = other.node.chain.acceptExtension(extensionOf([total, child]), standardLimits);
  expect(await drive(taken, other.clock)).toBeGreaterThanOrEqual(MIN_TURNS);
  expect(await taken).toMatchObject({ kind: "applied" });
  expect(node.chain.process(child, checked)).toMatchObject({ value: "appended" });
  expect(childrenIn(node)).toBe(1);
  expect(journaledRows(other.node.store)).toEqual(journaledRows(node.store));
  const grouped = grown(blocks.length - 1).node;
  const group = grouped.chain.beginGroup();
  for (const block of [total, child])
    expect(group.append(block, { ...checked, header: true })).toMatchObject({ value: "appended" });
  group.commit();
  expect(journaledRows(grouped.store)).toEqual(journaledRows(node.store));
});

test("closing the chain abandons the change", async () => {
  const { node, clock } = grown();
  const before = journaledRows(node.store);
  const result = node.chain.acceptMicroBlock(micro, checked);
  const closed = node.chain.close();
  await drive(Promise.resolve(result), clock);
  await expect(result).rejects.toThrow(ChainClosedError);
  await closed;
  expect(journaledRows(node.store)).toEqual(before);
});
