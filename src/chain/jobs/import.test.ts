import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { bytesSource } from "../../../test/support/bytes-source.ts";
import { type Block, blockBytes, buildBlock } from "../../blocks/block.ts";
import { parseBlock } from "../../blocks/testing/parse-block.ts";
import { bytesEqual, concatBytes } from "../../bytes/compare.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { forgeBlocks, forgedProfile, forgerKeyPair } from "../../testing/forged-chain.ts";
import { spenders } from "../../testing/random-transactions.ts";
import type { BatchChecker } from "../../verification/batch-checker.ts";
import { checkPiece } from "../../verification/check-proofs.ts";
import { inlineChecker } from "../../verification/testing/inline-checker.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { QueueVerifier, type Verifier } from "../../verification/verifier.ts";
import type { Chain } from "../chain.ts";
import { openForgedChain } from "../testing/open-forged-chain.ts";
import { BlockFile } from "./block-file.ts";
import { exportedBlocks } from "./export.ts";
import { importBlocks } from "./import.ts";
import { lowestRollbackHeight, rebuild, rebuildCost, rollBack } from "./rollback.ts";
import { storedBlockSource } from "./stored-block-source.ts";

const HEIGHT = 16;

function entryOf(block: Uint8Array): Uint8Array {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setInt32(0, block.length);
  return concatBytes(length, block);
}

/** The recorded file, and its blocks. */
let file: Uint8Array;
let blocks: Block[];
let forged: Store;
/** The result of a complete import. */
let complete: string[];

const verifier = inlineVerifier(forgedProfile);

async function importInto(chain: Chain, bytes: Uint8Array, commitEvery = 20) {
  return importBlocks(chain, forgedProfile, bytesSource(bytes), { verifier, commitEvery });
}

async function exported(store: Store): Promise<Uint8Array[]> {
  const entries: Uint8Array[] = [];
  for await (const { entry } of exportedBlocks(store)) entries.push(entry);
  return entries;
}

beforeAll(async () => {
  forged = memoryStore();
  forgeBlocks(forged, HEIGHT);
  const entries = await exported(forged);
  file = concatBytes(...entries);
  blocks = entries.map((entry) => parseBlock(entry.subarray(4), forgedProfile));
  const store = memoryStore();
  await importInto(openForgedChain(store), file);
  complete = journaledRows(store);
});

describe("a complete import", () => {
  test("imports every block, the exporter's liquid one included, and persists the last", async () => {
    const store = memoryStore();
    const chain = openForgedChain(store);
    const result = await importInto(chain, file);
    expect(result).toMatchObject({ outcome: "complete", known: 0, blocks: HEIGHT - 1, refused: undefined });
    expect(result.transactions).toBe(blocks.reduce((sum, block) => sum + block.transactions.length, 0));
    expect(chain.tip).toMatchObject({ height: HEIGHT, persistedHeight: HEIGHT, liquid: false });
    expect(chain.tip.id).toEqual(blocks.at(-1)?.signature);
    expect(concatBytes(...(await exported(store)))).toEqual(file);
  });

  test.each([1, 7, 100, 1_000_000])(
    "gives the same store for commits of %i transactions",
    async (commitEvery) => {
      const store = memoryStore();
      await importInto(openForgedChain(store), file, commitEvery);
      expect(journaledRows(store)).toEqual(complete);
    },
  );

  test("gives the same store as single blocks", async () => {
    const store = memoryStore();
    const chain = openForgedChain(store);
    for (const block of blocks) expect(chain.process(block).ok).toBe(true);
    chain.persistTip();
    expect(journaledRows(store)).toEqual(complete);
  });

  test("reports its progress", async () => {
    const heights: number[] = [];
    const result = await importBlocks(openForgedChain(memoryStore()), forgedProfile, bytesSource(file), {
      verifier,
      progress: ({ height, done, total }) => {
        heights.push(height);
        expect(total).toBe(file.length);
        expect(done).toBeLessThanOrEqual(total);
      },
    });
    expect(result.outcome).toBe("complete");
    expect(heights.at(-1)).toBe(HEIGHT);
  });
});

describe("an import that continues", () => {
  test("skips known blocks after a stop, and ends as if it had not stopped", async () => {
    const store = memoryStore();
    const chain = openForgedChain(store);
    let asked = 0;
    const first = await importBlocks(chain, forgedProfile, bytesSource(file), {
      verifier,
      isStopped: () => ++asked > 6,
    });
    expect(first).toMatchObject({ outcome: "stopped", blocks: 6 });
    expect(chain.tip.height).toBe(7);
    const second = await importInto(chain, file);
    expect(second).toMatchObject({ outcome: "complete", known: 6, blocks: HEIGHT - 7 });
    expect(journaledRows(store)).toEqual(complete);
  });

  test("can be stopped while it skips known blocks, and changes nothing", async () => {
    const store = memoryStore();
    const chain = openForgedChain(store);
    await importInto(chain, file);
    const options = { verifier, isStopped: () => true };
    for (const bytes of [file, concatBytes(...blocks.slice(0, 5).map((block) => entryOf(blockBytes(block))))])
      expect(await importBlocks(chain, forgedProfile, bytesSource(bytes), options)).toMatchObject({
        outcome: "stopped",
        known: 0,
        blocks: 0,
      });
    expect(journaledRows(store)).toEqual(complete);
  });

  test("changes nothing on a chain that has all blocks", async () => {
    const store = memoryStore();
    const chain = openForgedChain(store);
    await importInto(chain, file);
    expect(await importInto(chain, file)).toMatchObject({
      outcome: "complete",
      known: HEIGHT - 1,
      blocks: 0,
      transactions: 0,
    });
    expect(journaledRows(store)).toEqual(complete);
  });

  test("changes nothing with a file of fewer blocks than the chain", async () => {
    const store = memoryStore();
    const chain = openForgedChain(store);
    await importInto(chain, file);
    const short = concatBytes(...blocks.slice(0, 5).map((block) => entryOf(blockBytes(block))));
    expect(await importInto(chain, short)).toMatchObject({ outcome: "complete", known: 5, blocks: 0 });
    expect(chain.tip.height).toBe(HEIGHT);
  });

  test("removes a liquid block that differs from the file", async () => {
    const store = memoryStore();
    const chain = openForgedChain(store);
    for (const block of blocks.slice(0, 8)) chain.process(block);
    const [parent, block] = blocks.slice(7, 9) as [Block, Block];
    const other = buildBlock({ ...block, transactions: [] }, forgerKeyPair);
    expect(other.reference).toEqual(parent.signature);
    expect(chain.process(other)).toMatchObject({ value: "appended" });
    expect(chain.tip).toMatchObject({ height: 10, liquid: true });
    expect(await importInto(chain, file)).toMatchObject({ outcome: "complete", known: 8 });
    expect(chain.tip.id).toEqual(blocks.at(-1)?.signature);
  });
});

describe("an import ends at", () => {
  /** Imports a file with another block at a height. */
  async function withBlock(height: number, bytes: Uint8Array) {
    const chain = openForgedChain(memoryStore());
    const entries = blocks.map((block, i) => entryOf(i + 2 === height ? bytes : blockBytes(block)));
    const result = await importInto(chain, concatBytes(...entries));
    return { chain, result };
  }

  function expectEnd(
    { chain, result }: Awaited<ReturnType<typeof withBlock>>,
    height: number,
    reason: RegExp,
  ): void {
    expect(result).toMatchObject({ outcome: "refused", blocks: height - 2, refused: { height } });
    expect(result.refused?.reason).toMatch(reason);
    // Everything before is stored and persisted.
    expect(chain.tip).toMatchObject({ height: height - 1, persistedHeight: height - 1 });
    expect(chain.tip.id).toEqual(blocks[height - 3]?.signature);
  }

  function blockAt(height: number): Block {
    const block = blocks[height - 2];
    if (block === undefined) throw new Error(`no block ${height}`);
    return block;
  }

  const busy = (): number => 2 + blocks.findIndex(({ transactions }, i) => i > 2 && transactions.length > 3);

  test("a flipped bit in a transaction", async () => {
    const height = busy();
    const bytes = Uint8Array.from(blockBytes(blockAt(height)));
    bytes[bytes.length - 110] ^= 1;
    expectEnd(await withBlock(height, bytes), height, /./);
  });

  test("a flipped bit in the signature of a block", async () => {
    const bytes = Uint8Array.from(blockBytes(blockAt(9)));
    bytes[bytes.length - 1] ^= 1;
    expectEnd(await withBlock(9, bytes), 9, /InvalidSignature/);
  });

  test("an invalid transaction signature in a signed block", async () => {
    const height = busy();
    const block = blockAt(height);
    const unsigned = blockBytes(block);
    // The block with one proof changed in its bytes, signed again by its generator. The last account may have a
    // script that accepts everything.
    const scripted = spenders.at(-1)?.publicKey ?? new Uint8Array(0);
    const proof = block.transactions.find(
      ({ proofs, sponsor, sender }) =>
        proofs.length === 1 && sponsor === undefined && !bytesEqual(sender.bytes, scripted),
    )?.proofs[0];
    if (proof === undefined) throw new Error("no proof");
    const at = Buffer.from(unsigned).indexOf(Buffer.from(proof));
    const bytes = Uint8Array.from(unsigned);
    bytes[at + 40] = (bytes[at + 40] ?? 0) ^ 1;
    const signed = buildBlock(parseBlock(bytes, forgedProfile), forgerKeyPair);
    expectEnd(
      await withBlock(height, blockBytes(signed)),
      height,
      /TransactionValidationError.*Proof doesn't validate/,
    );
  });

  test("a block that was forged too early", async () => {
    const block = blockAt(6);
    const early = buildBlock({ ...block, timestamp: blockAt(5).timestamp + 1n }, forgerKeyPair);
    expectEnd(await withBlock(6, blockBytes(early)), 6, /less than expected|baseTarget/);
  });

  test("a wrong generation signature", async () => {
    const generationSignature = new Uint8Array(32).fill(1);
    const other = buildBlock({ ...blockAt(6), generationSignature }, forgerKeyPair);
    expectEnd(await withBlock(6, blockBytes(other)), 6, /Generation signatures does not match/);
  });

  test("bytes that are not a block", async () => {
    expectEnd(await withBlock(4, new Uint8Array(300)), 4, /Invalid block bytes/);
  });

  test("a missing block", async () => {
    const chain = openForgedChain(memoryStore());
    const entries = blocks.filter((_, i) => i !== 5).map((block) => entryOf(blockBytes(block)));
    const result = await importInto(chain, concatBytes(...entries));
    expectEnd({ chain, result }, 7, /not a child of the last block/);
  });

  test("a truncated file", async () => {
    const chain = openForgedChain(memoryStore());
    const result = await importInto(chain, file.subarray(0, file.length - 10));
    expectEnd({ chain, result }, HEIGHT, /truncated within block 16/);
    // The whole file completes it.
    expect(await importInto(chain, file)).toMatchObject({ outcome: "complete", blocks: 1 });
  });

  test("a file that is not a block file", async () => {
    const chain = openForgedChain(memoryStore());
    const result = await importInto(chain, new TextEncoder().encode("PK these are not the blocks"));
    expect(result).toMatchObject({ outcome: "refused", blocks: 0, refused: { height: 2 } });
    expect(result.refused?.reason).toMatch(/Not a block file/);
    expect(chain.tip.height).toBe(1);
  });

  test("a file of another chain, changing nothing", async () => {
    const other = memoryStore();
    const chain = forgeBlocks(other, 8, 5).chain;
    const before = journaledRows(other);
    await expect(importInto(chain, file)).rejects.toThrow(/contains a different chain: .* height 2/);
    expect(journaledRows(other)).toEqual(before);
  });
});

describe("checks of an import", () => {
  /** A checker that works and then hides its results, or fails. */
  function forgetful(fails: boolean): Verifier {
    return verifierOver(async (batch) => {
      if (fails) throw new Error("no thread");
      batch.publish(1, 1);
      for (let piece = batch.claim(); piece !== undefined; piece = batch.claim()) batch.finishPiece();
    });
  }

  function verifierOver(check: BatchChecker["check"]): Verifier {
    const { scriptRunner: scripts } = inlineChecker(forgedProfile);
    const checker = {
      check,
      scriptRunner: scripts,
      assist: () => true,
      schedule: queueMicrotask,
      async close() {},
    };
    return new QueueVerifier(checker, forgedProfile);
  }

  test("the writer checks what the checkers leave out", async () => {
    const store = memoryStore();
    const result = await importBlocks(openForgedChain(store), forgedProfile, bytesSource(file), {
      verifier: forgetful(false),
    });
    expect(result.outcome).toBe("complete");
    expect(journaledRows(store)).toEqual(complete);
  });

  test("a failed checker ends the import with its error, without partial changes", async () => {
    const store = memoryStore();
    const chain = openForgedChain(store);
    const before = journaledRows(store);
    await expect(
      importBlocks(chain, forgedProfile, bytesSource(file), { verifier: forgetful(true) }),
    ).rejects.toThrow("no thread");
    expect(journaledRows(store)).toEqual(before);
    expect(await importInto(chain, file)).toMatchObject({ outcome: "complete" });
  });

  test("several checkers share a batch without missing or repeating a piece", async () => {
    const claims: string[] = [];
    let serial = 0;
    const verifier = verifierOver(async (batch) => {
      batch.publish(++serial, 1);
      // In turns, as threads might.
      const turns = [0, 1, 2].map(async () => {
        for (let piece = batch.claim(); piece !== undefined; piece = batch.claim()) {
          claims.push(`${batch.serial} ${JSON.stringify(piece)}`);
          checkPiece(batch, piece, forgedProfile);
          batch.finishPiece();
          await Promise.resolve();
        }
      });
      await Promise.all(turns);
    });
    const store = memoryStore();
    await importBlocks(openForgedChain(store), forgedProfile, bytesSource(file), { verifier });
    expect(journaledRows(store)).toEqual(complete);
    expect(new Set(claims).size).toBe(claims.length);
    expect(claims.filter((claim) => claim.includes("block"))).toHaveLength(HEIGHT - 1);
  });
});

describe("files of blocks", () => {
  test("are read whatever the window holds", () => {
    const walk = new BlockFile(bytesSource(file));
    for (const [i, block] of blocks.entries()) {
      const read = walk.next();
      expect(read?.height).toBe(i + 2);
      expect(Buffer.compare(read?.bytes ?? new Uint8Array(0), blockBytes(block))).toBe(0);
    }
    expect(walk.next()).toBeUndefined();
  });

  test("are read from a system that gives less than it is asked for", () => {
    const whole = bytesSource(file);
    const few = {
      size: whole.size,
      read: (target: Uint8Array, position: number) => whole.read(target.subarray(0, 7), position),
    };
    const walk = new BlockFile(few);
    for (const block of blocks) expect(walk.next()?.bytes).toEqual(blockBytes(block));
    expect(walk.next()).toBeUndefined();
  });

  test("can be passed over, and gone back in", () => {
    const walk = new BlockFile(bytesSource(file));
    expect(walk.skip()).toBe(true);
    const second = walk.next();
    if (second === undefined) throw new Error("no block");
    walk.stepBack(second);
    expect(walk.next()).toEqual(second);
    expect(second.bytes).toEqual(blockBytes(blocks[1] as Block));
    while (walk.skip());
    expect(walk.height).toBe(HEIGHT);
  });

  test("an empty one holds nothing", async () => {
    const chain = openForgedChain(memoryStore());
    expect(await importInto(chain, new Uint8Array(0))).toMatchObject({ outcome: "complete", blocks: 0 });
    expect(chain.tip.height).toBe(1);
  });
});

describe("rolling back", () => {
  test("within the journal leaves the block persisted, as an import up to there does", async () => {
    const store = memoryStore();
    const chain = openForgedChain(store);
    await importInto(chain, file);
    const seen: number[] = [];
    expect(await rollBack(chain, 9, { progress: (height) => seen.push(height) })).toBe(true);
    expect(chain.tip).toMatchObject({ height: 9, persistedHeight: 9 });
    expect(seen.at(-1)).toBe(9);
    const other = memoryStore();
    const part = blocks.slice(0, 8).map((block) => entryOf(blockBytes(block)));
    await importInto(openForgedChain(other), concatBytes(...part));
    expect(journaledRows(store)).toEqual(journaledRows(other));
  });

  test("ends where it is when it is told to, and goes on from there", async () => {
    const store = memoryStore();
    const chain = openForgedChain(store);
    await importInto(chain, file);
    expect(await rollBack(chain, 9, { isStopped: () => true })).toBe(false);
    expect(journaledRows(store)).toEqual(complete);
    expect(await rollBack(chain, 9, { isStopped: () => false })).toBe(true);
    expect(chain.tip.height).toBe(9);
  });

  test("says how deep the journal reaches", async () => {
    const store = memoryStore({ rollbackDepth: 4 });
    const chain = openForgedChain(store);
    await importInto(chain, file, 1);
    const lowest = store.read(lowestRollbackHeight);
    expect(lowest).toBeGreaterThan(1);
    expect(lowest).toBeLessThanOrEqual(HEIGHT - 4);
    await expect(rollBack(chain, lowest - 1)).rejects.toThrow(/the undo journal no longer has it/);
    await rollBack(chain, lowest);
    expect(chain.tip.height).toBe(lowest);
  });

  test("deeper, by building the chain anew from its blocks", async () => {
    const store = memoryStore({ rollbackDepth: 4 });
    await importInto(openForgedChain(store), file, 1);
    const cost = store.read((reader) => rebuildCost(reader, 6));
    expect(cost).toEqual({
      blocks: 5,
      transactions: blocks.slice(0, 5).reduce((sum, { transactions }) => sum + transactions.length, 0),
      bytes: blocks.slice(0, 5).reduce((sum, block) => sum + blockBytes(block).length, 0),
    });
    const fresh = memoryStore();
    const chain = openForgedChain(fresh);
    const followed = await rebuild(chain, forgedProfile, store, 6, { verifier });
    expect(followed).toMatchObject({ outcome: "complete", blocks: 5 });
    expect(chain.tip).toMatchObject({ height: 6, persistedHeight: 6 });
    expect(chain.tip.id).toEqual(blocks[4]?.signature);
  });

  test("stored blocks come with their micro blocks", () => {
    const stored = storedBlockSource(forged, HEIGHT);
    for (const block of blocks) expect(stored.next()?.bytes).toEqual(blockBytes(block));
    expect(stored.next()).toBeUndefined();
    expect([...forged.range(tables.microBlocks)].length).toBeGreaterThan(0);
  });
});

afterEach(() => {
  // The forged store is shared and must not have changed.
  expect(forged.get(tables.heights, undefined)).toEqual({ height: HEIGHT, persisted: HEIGHT - 1 });
  expect(forged.get(tables.journal, { height: HEIGHT, sequence: PERSIST_SEQUENCE })).toBeUndefined();
});
