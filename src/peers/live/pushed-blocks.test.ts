import { describe, expect, test, vi } from "vitest";
import { type Block, blockBytes } from "../../blocks/block.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { blockText } from "../../chain/deciding/block-refusal.ts";
import { atOnce } from "../../chain/testing/at-once.ts";
import { keyPairOf } from "../../testing/dev-node.ts";
import { watchSignatureChecks } from "../../testing/signature-checks.ts";
import { busyVerifier, LiveWorld, type LiveWorldOptions, settled } from "../testing/live-world.ts";
import type { Message } from "../wire/messages.ts";

const push = (block: Block): Message<"Block"> => ({ type: "Block", bytes: blockBytes(block) });
const spoilt = (block: Block): Block => ({ ...block, signature: new Uint8Array(64).fill(7) });

function open(options: LiveWorldOptions = {}) {
  const world = new LiveWorld(options);
  world.forged();
  const [a, b, c] = [1, 2, 3].map(() => world.network.connect());
  const isTip = (block: Block) => Buffer.compare(world.node.chain.tip.id, block.signature) === 0;
  return { world, a, b, c, isTip };
}

describe("a pushed block", () => {
  test("that is empty and fits is appended and passed on to all peers that have not sent it", async () => {
    const { world, a, b, c, isTip } = open();
    const block = world.block();
    const first = a.says(push(block));
    await b.says(push(block));
    await first;
    expect(isTip(block)).toBe(true);
    expect([a.take(), b.take(), c.take()]).toEqual([[], [], [push(block)]]);
    await c.says(push(block));
    expect([a.take(), b.take()]).toEqual([[], []]);
    // A peer that sends the block after other peers were told of it gets no credit.
    expect({ a: a.credits, b: b.credits, c: c.credits }).toEqual({ a: ["block"], b: ["block"], c: [] });
  });

  test("is passed on without trailing bytes", async () => {
    const { world, a, b, isTip } = open();
    const block = world.block();
    await a.says({ type: "Block", bytes: concatBytes(blockBytes(block), new Uint8Array(4)) });
    expect(isTip(block)).toBe(true);
    expect(b.take()).toEqual([push(block)]);
  });

  test("with transactions is appended and not passed on", async () => {
    const { world, a, b, isTip } = open();
    const block = world.block({ transactions: [world.transfer()] });
    await a.says(push(block));
    expect(isTip(block)).toBe(true);
    expect(b.take()).toEqual([]);
  });

  test("on a micro block of the liquid block is applied", async () => {
    const { world, a, isTip } = open();
    const { chain } = world.node;
    const one = world.micro(chain.forging.liquidBlock());
    const two = world.micro(one.total);
    for (const { micro } of [one, two]) expect(atOnce(chain.acceptMicroBlock(micro)).ok).toBe(true);
    const block = world.block({ reference: one.micro.totalSignature });
    await a.says(push(block));
    expect(isTip(block)).toBe(true);
    expect(world.node.pool.size).toBe(1);
  });

  test("that does not fit costs no signature check and no connection, and is not passed on", async () => {
    const { world, a, b, isTip } = open();
    const competitor = world.block();
    const known = world.forged();
    const now = BigInt(world.node.clock.now());
    const misfits = [
      competitor,
      known,
      spoilt(world.block({ reference: new Uint8Array(64).fill(9) })),
      world.block({ timestamp: now + 60_000n }),
      world.block({ baseTarget: 1n }),
    ];
    const checks = watchSignatureChecks();
    try {
      for (const block of misfits) await a.says(push(block));
      expect(checks).not.toHaveBeenCalled();
    } finally {
      checks.mockRestore();
    }
    expect(isTip(known)).toBe(true);
    expect(a.parting).toBeUndefined();
    expect(b.take()).toEqual([]);
  });

  test("with a bad signature gets its sender banned while the right one is applied", async () => {
    const { world, a, b, isTip } = open();
    const block = world.block({ transactions: [world.transfer()] });
    const other = { ...world.block({ transactions: [world.transfer()] }), signature: block.signature };
    await Promise.all([a.says(push(other)), b.says(push(block))]);
    const text = blockText(other);
    expect(a.parting).toEqual({
      kind: "blacklisted",
      reason: `Could not append ${text}: InvalidSignature(${text} reason: None)`,
    });
    expect(isTip(block)).toBe(true);
    expect(b.parting).toBeUndefined();
  });

  test("is checked by the writer if no thread can check it, with the same result", async () => {
    const { world, a, b, isTip } = open({
      live: { checks: busyVerifier() },
    });
    const block = world.block();
    await a.says(push(spoilt(block)));
    expect(a.parting?.kind).toBe("blacklisted");
    await b.says(push(block));
    expect(isTip(block)).toBe(true);
  });

  test("with malformed transactions gets its sender banned", async () => {
    const { world, a } = open();
    const bytes = Uint8Array.from(blockBytes(world.block({ transactions: [world.transfer()] })));
    // Offset of its transaction's type: after the header, the section's length, the count, and the transaction's
    // length.
    bytes[1 + 8 + 64 + 4 + 40 + 4 + 4 + 4] = 99;
    await a.says({ type: "Block", bytes });
    expect(a.parting?.reason).toMatch(/^Invalid message\. /);
  });

  test("that is dated a little ahead of the clock waits until it is due without blocking its peer", async () => {
    const { world, a, b, isTip } = open();
    const block = world.block();
    const now = Number(block.timestamp) - 600;
    world.node.clock.set(now);
    await a.says(push(block));
    await world.pass(500);
    expect(isTip(block)).toBe(false);
    await world.pass(1);
    expect(isTip(block)).toBe(true);
    expect(b.take()).toEqual([push(block)]);
    expect(a.parting).toBeUndefined();
  });

  test("waits with few others, and with none when the node stops", async () => {
    const { world, a } = open();
    const { clock } = world.node;
    const blocks = [0, 1, 2, 3].map((features) => world.block({ features: [features] }));
    clock.set(Number(blocks[0].timestamp) - 600);
    for (const block of blocks) await a.says(push(block));
    expect(clock.pending).toBe(2);
    world.live.stop();
    expect(clock.pending).toBe(0);
    await a.says(push(blocks[3]));
    expect(clock.pending).toBe(0);
  });

  test("whose parent comes with a change in progress is applied after it", async () => {
    const { world, a, b, isTip } = open();
    const { chain } = world.node;
    // Another chain forges the blocks: this one does not have them yet.
    const ahead = new LiveWorld({ clock: world.node.clock });
    expect(atOnce(ahead.node.chain.accept(chain.forging.liquidBlock())).ok).toBe(true);
    const parent = ahead.forged();
    const child = ahead.block();
    const change = chain.beginGroup();
    // Its peer is still read.
    await a.says(push(child));
    expect(change.append(parent).ok).toBe(true);
    await settled();
    expect(isTip(child)).toBe(false);
    change.commit();
    await settled();
    expect(isTip(child)).toBe(true);
    expect(b.take()).toEqual([push(child)]);
  });

  test("that nobody could have forged costs no signature check, and few of a peer are checked", async () => {
    const { world, a } = open();
    const blocks = Array.from({ length: 40 }, (_, i) => world.block({ baseTarget: BigInt(i + 1) }));
    const checks = watchSignatureChecks();
    const looks = vi.spyOn(world.node.chain, "checkHeader");
    try {
      for (const block of [world.block({}, keyPairOf("nobody")), ...blocks]) await a.says(push(block));
      expect(checks).not.toHaveBeenCalled();
      expect(looks).toHaveBeenCalledTimes(20);
    } finally {
      checks.mockRestore();
    }
    expect(a.parting).toBeUndefined();
    expect(world.node.chain.tip.height).toBe(2);
  });

  test("that was forged here goes to all peers, whatever it contains", () => {
    const { world, a, b } = open();
    const block = world.block({ transactions: [world.transfer()] });
    world.live.forged.block(block);
    expect([a.take(), b.take()]).toEqual([[push(block)], [push(block)]]);
  });
});
