/** Blocks of a peer on their way into the chain: verified from the moment they are offered. */

import { beforeAll, expect, test } from "vitest";
import { scanBlock } from "../../blocks/block.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { DevNode } from "../../testing/dev-node.ts";
import { forgeBlocks, forgedProfile, forgedTrust } from "../../testing/forged-chain.ts";
import { watchSignatureChecks } from "../../testing/signature-checks.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { CheckerError } from "../../verification/batch-checker.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import type { Verifier } from "../../verification/verifier.ts";
import { storedBlockSource } from "../jobs/stored-block-source.ts";
import { headerRow } from "../reading/rows.ts";
import { standardLimits } from "../testing/extension-of.ts";
import { ExtensionIntake, type ReceivedBlock } from "./extension-intake.ts";

const HEIGHT = 14;
const LATER = Number(forgedProfile.genesis.blockTimestamp) + 3_600_000;

const sentBlock = (bytes: Uint8Array): ReceivedBlock => ({ bytes, scan: scanBlock(bytes) });
/** As `sentBlock`, with its signature checked on arrival. */
const signedBlock = (bytes: Uint8Array): ReceivedBlock => ({ ...sentBlock(bytes), isSigned: true });

let sent: ReceivedBlock[];

beforeAll(() => {
  const store = memoryStore();
  forgeBlocks(store, HEIGHT);
  const own = storedBlockSource(store, HEIGHT);
  sent = [];
  for (let block = own.next(); block !== undefined; block = own.next()) sent.push(signedBlock(block.bytes));
});

/** An empty node, and the numbers of blocks and transactions that were checked. */
function setUp() {
  const settings = {
    index: { trustNetwork: forgedTrust.network },
    anchoring: { hashAccount: forgedTrust.root },
  };
  const clock = new VirtualClock(LATER);
  const node = new DevNode({ profile: forgedProfile, clock, settings, accounts: [] });
  const checks = { blocks: 0, transactions: 0, fail: false };
  const inline = inlineVerifier(forgedProfile);
  const verifier: Verifier = {
    verifyTransactions: (source, transactions) => inline.verifyTransactions(source, transactions),
    verifySignatures: (source, blocks) => inline.verifySignatures(source, blocks),
    verifyMessages: (source, messages) => inline.verifyMessages(source, messages),
    runScripts: (source, runs) => inline.runScripts(source, runs),
    runNextScript: (source) => inline.runNextScript(source),
    stream() {
      const stream = inline.stream();
      return {
        check(batch) {
          checks.blocks += batch.blockCount;
          checks.transactions += batch.transactionCount;
          return checks.fail ? Promise.reject(new CheckerError("no threads")) : stream.check(batch);
        },
        assist: (batch, isEnough) => stream.assist(batch, isEnough),
      };
    },
    close: () => inline.close(),
  };
  const intake = new ExtensionIntake(node.chain, verifier, forgedProfile, standardLimits);
  return { node, checks, intake };
}

test("verifies an extension before it is applied, and the next one meanwhile", async () => {
  const { node, checks, intake } = setUp();
  const first = intake.offer(sent.slice(0, 6));
  expect(checks.blocks).toBe(6);
  const second = intake.offer(sent.slice(6));
  expect(checks.blocks).toBe(sent.length);
  expect(checks.transactions).toBeGreaterThan(10);
  expect(node.chain.tip.height).toBe(1);
  const results = await Promise.all([first.apply(), second.apply()]);
  expect(results).toMatchObject([
    { kind: "applied", blocks: 6 },
    { kind: "applied", blocks: sent.length - 6, height: sent.length + 1 },
  ]);
  expect(checks.blocks).toBe(sent.length);
  // The same chain as from a file or from a peer at the tip.
  const rows = journaledRows(node.store);
  const other = setUp();
  for (const block of sent) expect((await other.intake.offer([block]).apply()).kind).toBe("applied");
  expect(journaledRows(other.node.store)).toEqual(rows);
});

test("skips known blocks, but verifies those that the chain has lost since", async () => {
  const { node, checks, intake } = setUp();
  await intake.offer(sent.slice(0, 5)).apply();
  const { blocks } = checks;
  const next = intake.offer(sent.slice(2, 8));
  expect(checks.blocks).toBe(blocks + 3);
  const id = node.chain.read((reader) => headerRow(reader, 4).signature);
  node.chain.removeAfter(id, { returnTransactions: false });
  expect(await next.apply()).toMatchObject({ kind: "applied", blocks: 5 });
  expect(await intake.offer(sent.slice(0, 8)).apply()).toEqual({ kind: "known" });
  // Between offer and application another change may have added some.
  const [a, b] = [intake.offer(sent.slice(8, 10)), intake.offer(sent.slice(8))];
  expect(await a.apply()).toMatchObject({ blocks: 2 });
  expect(await b.apply()).toMatchObject({ kind: "applied", blocks: sent.length - 10 });
});

test("does not check again a block signature that was checked on arrival", async () => {
  const counted = watchSignatureChecks();
  const checksFor = async (blocks: readonly ReceivedBlock[]): Promise<number> => {
    counted.mockClear();
    expect((await setUp().intake.offer(blocks).apply()).kind).toBe("applied");
    return counted.mock.calls.length;
  };
  try {
    const known = await checksFor(sent);
    // Its transactions remain to be checked.
    expect(known).toBeGreaterThan(10);
    // An unchecked signature is checked before anything is undone, and again with the transactions.
    const unknown = await checksFor(sent.map(({ bytes }) => sentBlock(bytes)));
    expect(unknown - known).toBe(2 * sent.length);
  } finally {
    counted.mockRestore();
  }
});

test("checks a signature that was not checked on arrival before the block is applied", async () => {
  const { node, checks, intake } = setUp();
  const unknown = sent.map(({ bytes }) => sentBlock(bytes));
  const mixed = unknown.map((block, i) => (i % 3 === 0 ? sent[i] : block));
  const offered = intake.offer(mixed);
  expect(checks.blocks).toBe(sent.length);
  expect((await offered.apply()).kind).toBe("applied");
  expect(checks.blocks).toBe(sent.length + mixed.filter(({ isSigned }) => !isSigned).length);
  expect(node.chain.tip.height).toBe(sent.length + 1);
});

test("distinguishes unreadable transactions from rejected blocks", async () => {
  const { node, intake } = setUp();
  const at = sent.findIndex(({ scan }) => scan.offsets.length > 0);
  const { bytes, scan } = sent[at];
  const damaged = bytes.slice();
  damaged[scan.offsets[0]] = 99;
  const { tip } = node.chain;
  const result = await intake
    .offer([...sent.slice(0, at), sentBlock(damaged), ...sent.slice(at + 1)])
    .apply();
  expect(result.kind).toBe("malformed");
  const unsigned = bytes.slice();
  // The last byte of the generator's key.
  unsigned[unsigned.length - 65] ^= 1;
  const forged = await intake.offer([...sent.slice(0, at), sentBlock(unsigned)]).apply();
  expect(forged).toMatchObject({ kind: "bad block", remember: false, refusal: { kind: "InvalidSignature" } });
  expect(node.chain.tip).toEqual(tip);
});

test("blames no peer for failed checkers, and applies nothing of a dropped extension", async () => {
  const { node, checks, intake } = setUp();
  checks.fail = true;
  const offered = intake.offer(sent);
  expect(await offered.apply()).toEqual({ kind: "unable", error: new CheckerError("no threads") });
  await expect(offered.apply()).rejects.toThrow(RangeError);
  expect(node.chain.isBusy).toBe(false);
  intake.offer(sent).drop();
  checks.fail = false;
  const dropped = intake.offer(sent);
  dropped.drop();
  dropped.drop();
  await expect(dropped.apply()).rejects.toThrow(RangeError);
  expect(node.chain.tip.height).toBe(1);
  expect(await intake.offer(sent).apply()).toMatchObject({ kind: "applied", blocks: sent.length });
});
