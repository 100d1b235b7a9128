/** Signature checks of downloaded blocks on arrival. Page 04 §13.2. */

import { expect, test } from "vitest";
import { blockBytes, buildBlock, isBlockSigned, scanBlock } from "../../blocks/block.ts";
import { blockText, signatureRefusal } from "../../chain/deciding/block-refusal.ts";
import { dev } from "../../profiles/index.ts";
import { RecordingLog, rootKeyPair } from "../../testing/dev-node.ts";
import { watchSignatureChecks } from "../../testing/signature-checks.ts";
import { Preverifier } from "../../verification/ahead.ts";
import { CheckerError } from "../../verification/batch-checker.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { shortId } from "../short-id.ts";
import { askedOf, LoaderWorld } from "../testing/loader-world.ts";
import { modelBlock, modelId, sentModelBlock } from "../testing/model-chain.ts";
import { ArrivalChecks } from "./arrival-checks.ts";

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** Our blocks are 0 to 99; a peer has listed more. */
async function downloading(last: number) {
  const world = new LoaderWorld();
  const peer = world.network.connect("8.8.8.8");
  await world.leads(peer, last + 1);
  await world.lists(peer, [99, ...range(100, last + 1)]);
  askedOf(peer);
  return { world, peer };
}

test("the first unsigned block gets its peer banned before others come and before the chain sees any", async () => {
  const { world, peer } = await downloading(199);
  const other = world.network.connect("9.9.9.9");
  await world.leads(other, 150);
  world.unsigned.add(101);
  await world.sends(peer, 100);
  await world.sends(peer, 101);
  const { header } = sentModelBlock(modelId(101), modelId(100)).scan;
  expect(peer.parting).toEqual({
    kind: "blacklisted",
    reason: `${peer.label} Error appending extension [${shortId(modelId(101))}]: ${signatureRefusal(blockText(header)).printed}`,
  });
  expect(world.chain.offered).toEqual([]);
  // Any peer can put the id of a good block on other bytes.
  expect(world.invalid.size).toBe(0);
  // The next peer is asked at once.
  expect({ asked: askedOf(other), now: world.clock.now() }).toEqual({
    asked: ["GetSignatures 99..0"],
    now: 0,
  });
});

test("only signed blocks go to the chain, in order, whatever the order of the checks", async () => {
  const { world, peer } = await downloading(103);
  const ends: (() => void)[] = [];
  for (const number of [101, 100, 103, 102]) {
    world.checking = new Promise((resolve) => ends.push(resolve));
    await world.sends(peer, number);
  }
  expect(world.checked).toEqual([101, 100, 103, 102]);
  for (const number of [0, 2, 3]) {
    ends[number]();
    await world.settle();
    expect(world.chain.offered).toEqual([]);
  }
  ends[1]();
  await world.settle();
  expect(world.chain.applied).toEqual([[100, 101, 102, 103]]);
  expect(world.chain.signed).toEqual([[true, true, true, true]]);
});

test("a check that ends after its peer has left has no effect", async () => {
  const { world, peer } = await downloading(101);
  let end = (): void => {};
  world.checking = new Promise((resolve) => {
    end = resolve;
  });
  world.unsigned.add(100);
  await world.sends(peer, 100);
  await world.sends(peer, 101);
  peer.leaves();
  end();
  await world.settle();
  expect({ parting: peer.parting, offered: world.chain.offered, stage: world.loader.stage }).toEqual({
    parting: undefined,
    offered: [],
    stage: "idle",
  });
});

test("the threads get a bounded number of blocks and bytes at a time", async () => {
  let end = (): void => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  let [now, most, bytesNow, mostBytes] = [0, 0, 0, 0];
  const unused = () => Promise.reject(new Error("not asked for"));
  const checks = {
    verifyTransactions: unused,
    verifyMessages: unused,
    runScripts: unused,
    verifySignatures: async (_: string, blocks: readonly Uint8Array[]) => {
      now++;
      bytesNow += blocks[0].length;
      [most, mostBytes] = [Math.max(most, now), Math.max(mostBytes, bytesNow)];
      await held;
      now--;
      bytesNow -= blocks[0].length;
      return [true];
    },
  };
  const arrivals = new ArrivalChecks({
    checks: new Preverifier(checks),
    rules: dev,
    log: new RecordingLog(),
  });
  const small = Array.from({ length: 300 }, () => sentModelBlock(modelId(1), modelId(0)));
  const large = Array.from({ length: 20 }, () => sentModelBlock(modelId(2), modelId(0), 2 ** 20 - 1_000));
  const all = [...small, ...large].map((block) => arrivals.check("a peer", block));
  expect(most).toBe(64);
  end();
  expect((await Promise.all(all)).every((block) => block?.isSigned === true)).toBe(true);
  expect(most).toBe(64);
  expect(mostBytes).toBeLessThanOrEqual(4 * 2 ** 20);
});

/** Returns a real signed block without transactions. */
const real = buildBlock(
  {
    version: 3,
    timestamp: 1n,
    reference: new Uint8Array(64),
    baseTarget: 1n,
    generationSignature: new Uint8Array(32),
    features: [],
    feeVote: 0,
    transactions: [],
  },
  rootKeyPair,
);

function sent(bytes: Uint8Array) {
  return { bytes, scan: scanBlock(bytes) };
}

test("the signature is checked over the canonical bytes", async () => {
  expect(isBlockSigned(real)).toBe(true);
  const arrivals = new ArrivalChecks({
    checks: new Preverifier(inlineVerifier(dev)),
    rules: dev,
    log: new RecordingLog(),
  });
  const bytes = blockBytes(real);
  const behind = new Uint8Array([...bytes, 1, 2, 3]);
  const unsigned = Uint8Array.from(bytes);
  unsigned[5] ^= 1;
  const unreadable = modelBlock(modelId(1), modelId(0), 10);
  const results = await Promise.all(
    [bytes, behind, unsigned, unreadable].map((one) => arrivals.check("a peer", sent(one))),
  );
  expect(results.map((block) => block?.isSigned)).toEqual([true, true, undefined, undefined]);
  expect(results.map((block) => block !== undefined)).toEqual([true, true, false, false]);
});

test("a broken checker bans no peer: the chain gets the blocks with unknown signatures", async () => {
  const log = new RecordingLog();
  const broken = () => Promise.reject(new CheckerError("no threads"));
  const checks = {
    verifyTransactions: broken,
    verifySignatures: broken,
    verifyMessages: broken,
    runScripts: broken,
  };
  const here = watchSignatureChecks();
  try {
    const arrivals = new ArrivalChecks({ checks: new Preverifier(checks, log), rules: dev, log });
    const block = sent(blockBytes(real));
    expect(await arrivals.check("a peer", block)).toEqual(block);
    expect(log.lines.map(({ level }) => level)).toEqual(["error"]);
    expect(here).not.toHaveBeenCalled();
  } finally {
    here.mockRestore();
  }
});
