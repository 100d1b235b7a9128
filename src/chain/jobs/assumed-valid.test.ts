import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { bytesSource } from "../../../test/support/bytes-source.ts";
import { type Block, blockBytes, buildBlock } from "../../blocks/block.ts";
import { parseBlock } from "../../blocks/testing/parse-block.ts";
import { concatBytes } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { KeyPair } from "../../crypto/signatures.ts";
import { compileScript } from "../../script/index.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { openStore, type Store } from "../../storage/store.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { buildTransaction, typeOf } from "../../testing/build-transaction.ts";
import { forgeBlocks, forgedProfile, forgerKeyPair } from "../../testing/forged-chain.ts";
import { spenders } from "../../testing/random-transactions.ts";
import { copyTransaction, type Transaction } from "../../transactions/index.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { headerRow } from "../reading/rows.ts";
import { uncheckedBlocks } from "../reading/unchecked.ts";
import { openForgedChain } from "../testing/open-forged-chain.ts";
import { exportedBlocks } from "./export.ts";
import { type ImportOptions, importBlocks, type Trust } from "./import.ts";
import { rebuild } from "./rollback.ts";
import { verifyStore } from "./verify.ts";
import { verifySignatures } from "./verify-signatures.ts";

const HEIGHT = 16;
const verifier = inlineVerifier(forgedProfile);

async function exported(store: Store): Promise<Uint8Array> {
  const entries: Uint8Array[] = [];
  for await (const { entry } of exportedBlocks(store)) entries.push(entry);
  return concatBytes(...entries);
}

/** Blocks 2 to `HEIGHT`. */
let blocks: Block[];
/** Rows of an import with all checks. */
let complete: string[];

const at = (height: number): Block => blocks[height - 2];

function fileOf(parts: readonly (Block | Uint8Array)[]): Uint8Array {
  return concatBytes(
    ...parts.map((part) => {
      const bytes = part instanceof Uint8Array ? part : blockBytes(part);
      const length = new Uint8Array(4);
      new DataView(length.buffer).setInt32(0, bytes.length);
      return concatBytes(length, bytes);
    }),
  );
}

async function importInto(store: Store, file: Uint8Array, options: Partial<ImportOptions> = {}) {
  const trusts: Trust[] = [];
  const onTrust = (trust: Trust) => trusts.push(trust);
  const given = { verifier, commitEvery: 20, onTrust, ...options };
  const result = await importBlocks(openForgedChain(store), forgedProfile, bytesSource(file), given);
  return { result, trust: trusts[0], unchecked: store.read(uncheckedBlocks) };
}

async function check(store: Store, isStopped?: () => boolean) {
  const { rules } = openForgedChain(store);
  const range = store.read(uncheckedBlocks) ?? { from: 2, to: HEIGHT };
  return verifySignatures(store, rules, forgedProfile, range, { verifier, isStopped });
}

/** The block with one bit of its signature's second half changed in all places: the next block references it. */
function badlySigned(height: number): { file: Uint8Array; id: Uint8Array } {
  const bad = Uint8Array.from(at(height).signature);
  bad[40] ^= 1;
  const parts = blocks.map((block, i) => {
    if (i + 2 === height) return { ...block, signature: bad };
    return i + 1 === height ? buildBlock({ ...block, reference: bad }, forgerKeyPair) : block;
  });
  return { file: fileOf(parts.slice(0, height)), id: parts[height - 1].signature };
}

/** The chain up to a height, whose last block has these transactions and is signed by its generator. */
function endingWith(height: number, transactions: readonly Transaction[]) {
  const last = buildBlock({ ...at(height), transactions }, forgerKeyPair);
  return { file: fileOf([...blocks.slice(0, height - 2), last]), id: last.signature };
}

function transaction(
  sender: KeyPair,
  type: string,
  height: number,
  members: Record<string, unknown>,
  fee = 500_000_000n,
): Transaction {
  const { timestamp } = at(height);
  const { chainId } = forgedProfile;
  return buildTransaction({ type: typeOf(type), sender, fee, timestamp, chainId, members });
}

function transfer(sender: KeyPair, height: number, amount = 1n, fee?: bigint): Transaction {
  const recipient = addressOf(forgerKeyPair.publicKey, forgedProfile.chainId);
  return transaction(sender, "transfer", height, { recipient, amount, attachment: new Uint8Array(0) }, fee);
}

beforeAll(async () => {
  const forged = memoryStore();
  forgeBlocks(forged, HEIGHT);
  blocks = [];
  for await (const { entry } of exportedBlocks(forged))
    blocks.push(parseBlock(entry.subarray(4), forgedProfile));
  const store = memoryStore();
  await importInto(store, fileOf(blocks));
  complete = journaledRows(store);
});

describe("a trusted import", () => {
  test.each([1, 20, 1_000_000])(
    "gives the rows and the export of a checked one, in commits of %i transactions",
    async (commitEvery) => {
      const store = memoryStore();
      const imported = await importInto(store, fileOf(blocks), {
        assumeValid: at(HEIGHT).signature,
        commitEvery,
      });
      expect(imported).toMatchObject({
        result: { outcome: "complete", blocks: HEIGHT - 1 },
        trust: { kind: "trusted", from: 2, to: HEIGHT },
        unchecked: { from: 2, to: HEIGHT },
      });
      expect(journaledRows(store)).toEqual(complete);
      expect(await exported(store)).toEqual(fileOf(blocks));
    },
  );

  test("passes `verify` and the later check of its signatures", async () => {
    // On disk: in memory lookups have another form.
    const folder = mkdtempSync(join(tmpdir(), "holdfast-assumed-"));
    const store = await openStore(folder, { network: "forged" });
    onTestFinished(async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    });
    await importInto(store, fileOf(blocks), { assumeValid: at(HEIGHT).signature });
    const filled = memoryStore();
    const verified = await verifyStore(store, openForgedChain(filled), filled, forgedProfile, { verifier });
    expect(verified).toMatchObject({ outcome: "right", faults: [] });
    const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
    expect(await check(store)).toEqual({
      outcome: "right",
      checkedTo: HEIGHT,
      blocks: HEIGHT - 1,
      transactions,
      wrong: undefined,
    });
  });

  test("accepts a wrong signature below the named block, which the later check finds", async () => {
    const { file, id } = badlySigned(5);
    const store = memoryStore();
    const imported = await importInto(store, file, { assumeValid: id });
    expect(imported).toMatchObject({ result: { outcome: "complete" }, unchecked: { from: 2, to: 6 } });
    const found = await check(store);
    expect(found).toMatchObject({ outcome: "wrong", checkedTo: 4, wrong: { height: 5 } });
    expect(found.wrong?.reason).toMatch(/^InvalidSignature\(Block\(/);
    const rebuilt = await rebuild(openForgedChain(memoryStore()), forgedProfile, store, 6, { verifier });
    expect(rebuilt).toMatchObject({ outcome: "refused", refused: { height: 5 } });
  });

  test("accepts a wrong signature of a transaction, which the later check finds", async () => {
    const good = transfer(spenders[0], 5);
    const proof = Uint8Array.from(good.proofs[0]);
    proof[40] ^= 1;
    const { file, id } = endingWith(5, [copyTransaction(good, { proofs: [proof] })]);
    expect((await importInto(memoryStore(), file)).result.refused?.reason).toMatch(/Proof doesn't validate/);
    const store = memoryStore();
    expect((await importInto(store, file, { assumeValid: id })).result.outcome).toBe("complete");
    const { wrong } = await check(store);
    expect(wrong).toMatchObject({ height: 5, reason: expect.stringMatching(/Proof doesn't validate/) });
  });

  test("does not run a script, which the later check runs as it was at that time", async () => {
    const refusing = compileScript("false");
    if (!refusing.ok) throw new Error(refusing.error);
    const sender = spenders[1];
    const set = transaction(sender, "set script", 5, { script: refusing.value.bytes });
    const { file, id } = endingWith(5, [set, transfer(sender, 5)]);
    const reason = /TransactionNotAllowedByScript/;
    expect((await importInto(memoryStore(), file)).result.refused?.reason).toMatch(reason);
    const store = memoryStore();
    expect((await importInto(store, file, { assumeValid: id })).result.outcome).toBe("complete");
    expect((await check(store)).wrong).toMatchObject({ height: 5, reason: expect.stringMatching(reason) });
    // Blocks below the range are read for their scripts, and not checked.
    const chain = openForgedChain(store);
    const range = { from: 6, to: 5 };
    const above = await verifySignatures(store, chain.rules, forgedProfile, range, { verifier });
    expect(above).toMatchObject({ outcome: "right", blocks: 0 });
  });

  test("checks all other rules: balances, fees, proof of stake", async () => {
    const unsigned = { ...at(5), timestamp: at(4).timestamp + 1n };
    const early = buildBlock(unsigned, forgerKeyPair);
    const cheap = transfer(spenders[0], 5, 1n, 1n);
    for (const [{ file, id }, reason] of [
      [endingWith(5, [transfer(spenders[0], 5, 10n ** 18n)]), /unavailable funds/],
      [endingWith(5, [cheap]), /InsufficientFee/],
      [
        { file: fileOf([...blocks.slice(0, 3), early]), id: early.signature },
        /baseTarget|less than expected/,
      ],
    ] as const) {
      const { result, trust } = await importInto(memoryStore(), file, { assumeValid: id });
      expect(trust).toMatchObject({ kind: "trusted", to: 5 });
      expect(result).toMatchObject({ outcome: "refused", refused: { height: 5 } });
      expect(result.refused?.reason).toMatch(reason);
    }
  });

  test("checks everything above the named block", async () => {
    const { file } = badlySigned(9);
    const store = memoryStore();
    const imported = await importInto(store, file, { assumeValid: at(7).signature });
    expect(imported).toMatchObject({
      result: { outcome: "refused", blocks: 7, refused: { height: 9 } },
      trust: { kind: "trusted", from: 2, to: 7 },
      unchecked: { from: 2, to: 7 },
    });
    expect(imported.result.refused?.reason).toMatch(/InvalidSignature/);
  });

  test("continues after a stop, and records exactly the blocks that it has committed", async () => {
    const store = memoryStore();
    let asked = 0;
    const stopping = { assumeValid: at(HEIGHT).signature, isStopped: () => ++asked > HEIGHT + 4 };
    const first = await importInto(store, fileOf(blocks), stopping);
    const { height } = openForgedChain(store).tip;
    expect(first).toMatchObject({ result: { outcome: "stopped" }, unchecked: { from: 2, to: height } });
    expect(height).toBeLessThan(HEIGHT);
    const second = await importInto(store, fileOf(blocks), { assumeValid: at(HEIGHT).signature });
    expect(second).toMatchObject({
      trust: { kind: "trusted", from: height + 1, to: HEIGHT },
      unchecked: { from: 2, to: HEIGHT },
    });
    expect(journaledRows(store)).toEqual(complete);
  });
});

describe("nothing is trusted", () => {
  async function expectChecked(file: Uint8Array, id: Uint8Array, height: number): Promise<void> {
    const store = memoryStore();
    const imported = await importInto(store, file, { assumeValid: id });
    expect(imported.trust).toEqual({ kind: "absent" });
    expect(imported.result).toMatchObject({ outcome: "refused", refused: { height } });
    expect(imported.unchecked).toBeUndefined();
    expect(openForgedChain(store).tip.height).toBe(height - 1);
  }

  test("if the file does not contain the named block", async () => {
    await expectChecked(badlySigned(5).file, new Uint8Array(64).fill(7), 5);
  });

  test("if the named block is above the end of the file", async () => {
    await expectChecked(badlySigned(5).file, at(12).signature, 5);
  });

  test("if the named block is in the file, but on a fork of its chain", async () => {
    const fork = buildBlock({ ...at(8), reference: at(6).signature }, forgerKeyPair);
    await expectChecked(
      fileOf([...blocks.slice(0, 5), { ...at(7), signature: badlySigned(7).id }, fork]),
      fork.signature,
      7,
    );
  });

  test("if the file ends within a block before the named one", async () => {
    const file = fileOf(blocks);
    const cut = file.subarray(0, fileOf(blocks.slice(0, 4)).length + 20);
    await expectChecked(cut, at(HEIGHT).signature, 6);
  });

  test("if the chain already has the named block", async () => {
    const store = memoryStore();
    await importInto(store, fileOf(blocks.slice(0, 3)));
    const imported = await importInto(store, badlySigned(6).file, { assumeValid: at(3).signature });
    expect(imported).toMatchObject({
      result: { outcome: "refused", refused: { height: 6 } },
      trust: { kind: "known", height: 3 },
      unchecked: undefined,
    });
  });

  test("and nothing is changed, if the import is stopped while it looks for the named block", async () => {
    const store = memoryStore();
    const stopped = { assumeValid: at(HEIGHT).signature, isStopped: () => true };
    const imported = await importInto(store, fileOf(blocks), stopped);
    expect(imported).toMatchObject({ result: { outcome: "stopped", blocks: 0 }, trust: undefined });
    expect(openForgedChain(store).tip.height).toBe(1);
  });
});

test("a rollback shortens the range of unchecked blocks", async () => {
  const store = memoryStore();
  await importInto(store, fileOf(blocks), { assumeValid: at(HEIGHT).signature });
  const chain = openForgedChain(store);
  const id = (height: number) => chain.read((reader) => headerRow(reader, height).signature);
  chain.removeAfter(id(9), { returnTransactions: false });
  expect(store.read(uncheckedBlocks)).toEqual({ from: 2, to: 9 });
  chain.removeAfter(id(1), { returnTransactions: false });
  expect(store.read(uncheckedBlocks)).toBeUndefined();
});

test("the later check can be stopped, and says up to which block all are right", async () => {
  const store = memoryStore();
  await importInto(store, fileOf(blocks), { assumeValid: at(HEIGHT).signature });
  const stopped = await check(store, () => true);
  expect(stopped).toMatchObject({ outcome: "stopped", wrong: undefined });
  expect(stopped.blocks).toBe(stopped.checkedTo - 1);
});
