/** Sync with `--assume-valid`, and the check of the blocks that it leaves unchecked. */
import { setImmediate } from "node:timers/promises";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Block, blockBytes, buildBlock } from "../../blocks/block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { verifySignatures } from "../../chain/jobs/verify-signatures.ts";
import { readBlock } from "../../chain/reading/rows.ts";
import {
  addUncheckedHeight,
  uncheckedBlocks,
  uncheckedRecord,
  writeUnchecked,
} from "../../chain/reading/unchecked.ts";
import { atOnce } from "../../chain/testing/at-once.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { Branch } from "../../peers/testing/branch.ts";
import { live, SyncNode, Wire } from "../../peers/testing/paired-networks.ts";
import type { ScriptedPeer } from "../../peers/testing/scripted-network.ts";
import type { Message } from "../../peers/wire/messages.ts";
import { dev } from "../../profiles/index.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { rootKeyPair } from "../../testing/dev-node.ts";
import { copyTransaction } from "../../transactions/index.ts";
import { inlineVerifier } from "../../verification/testing/inline-verifier.ts";
import { InvalidBlockError } from "./invalid-block-error.ts";
import type { SignatureChecker } from "./signature-check-runner.ts";
import { UncheckedMonitor } from "./unchecked-monitor.ts";

const BAD_HEIGHT = 6;
const HEIGHT = 16;
const ASSUMED_HEIGHT = 12;

/** A chain whose block 6 has a transfer with a wrong signature. */
let bad: Branch;
/** A chain without faults, which differs from block 6 on. */
let good: Branch;

const blockOf = (branch: Branch, height: number): Block => {
  const block = branch.node.chain.read((reader) => readBlock(reader, height, dev));
  if (block === undefined) throw new RangeError(`there is no block ${height}`);
  return block;
};
const idOf = (branch: Branch, height: number): Uint8Array => blockOf(branch, height).signature;
/** Returns the height of the last block of a chain that another chain's newest block is younger than. */
const passedHeight = (one: Branch, other: Branch): number => {
  let { height } = one;
  while (blockOf(one, height).timestamp >= other.node.chain.tip.keyBlock.timestamp) height--;
  return height;
};
const recordOf = ({ node }: Branch) => node.chain.read(uncheckedRecord);
const rangeOf = ({ node }: Branch) => node.chain.read(uncheckedBlocks);

function badTransfer(timestamp: bigint) {
  const transfer = buildTransaction({
    type: 4,
    sender: rootKeyPair,
    fee: 100_000_000n,
    timestamp: Number(timestamp),
    chainId: dev.chainId,
    members: {
      recipient: addressOf(rootKeyPair.publicKey, dev.chainId),
      amount: 1n,
      attachment: new Uint8Array(0),
    },
  });
  const proof = Uint8Array.from(transfer.proofs[0]);
  proof[7] ^= 1;
  return copyTransaction(transfer, { proofs: [proof] });
}

beforeAll(() => {
  bad = new Branch().forge(BAD_HEIGHT - 2);
  good = Branch.from(bad, BAD_HEIGHT - 1, "INCREASE");
  const template = blockOf(Branch.from(bad, BAD_HEIGHT - 1, "DECREASE").forge(1), BAD_HEIGHT);
  const block = buildBlock({ ...template, transactions: [badTransfer(template.timestamp)] }, rootKeyPair);
  const taken = atOnce(bad.node.chain.accept(block, { verdicts: () => true }));
  if (!taken.ok) throw new Error(taken.error.printed);
  bad.forge(HEIGHT - BAD_HEIGHT);
  // Each has younger blocks than the other one.
  good.forge(HEIGHT - good.height);
  bad.forge(2);
  good.forge(2);
});

interface Running {
  readonly branch: Branch;
  readonly monitor: UncheckedMonitor;
  readonly failures: InvalidBlockError[];
  readonly checks: { readonly from: number; readonly to: number }[];
  settled: number;
  /** Resolves when no check is running. */
  readonly end: () => Promise<void>;
}

/** Checks in the caller's thread. */
function inlineChecker(
  branch: Branch,
  checks: Running["checks"],
  results: Promise<unknown>[],
): SignatureChecker {
  return {
    start(range, rules, onProgress) {
      checks.push(range);
      let isStopped = false;
      const { chain } = branch.node;
      const result = verifySignatures((read) => chain.read(read), rules, dev, range, {
        verifier: inlineVerifier(dev),
        isStopped: () => isStopped,
        progress: ({ height }) => onProgress(height),
      });
      results.push(result);
      return {
        result,
        stop: () => {
          isStopped = true;
        },
      };
    },
  };
}

function watch(
  branch: Branch,
  assumeValid?: Uint8Array,
  verify = false,
  checker?: SignatureChecker,
): Running {
  const { chain, clock, log } = branch.node;
  const failures: InvalidBlockError[] = [];
  const checks: Running["checks"] = [];
  const results: Promise<unknown>[] = [];
  const running: Running = {
    branch,
    failures,
    checks,
    settled: 0,
    end: async () => {
      for (let count = 0; count < results.length; ) {
        count = results.length;
        await Promise.all(results);
        // The monitor writes the record, and may begin another check.
        await setImmediate();
      }
    },
    monitor: new UncheckedMonitor(
      {
        chain,
        clock,
        log,
        checker: checker ?? inlineChecker(branch, checks, results),
        giveUp: (error) => failures.push(error),
        onSettled: () => running.settled++,
      },
      { assumeValid, verifySignatures: verify },
    ),
  };
  onTestFinished(() => running.monitor.stop());
  return running;
}

/** Lets a new node sync with a server that assumes a block. */
async function sync(
  server: Branch,
  assumeValid: Uint8Array,
  options: {
    readonly verify?: boolean;
    readonly shown?: Block;
    readonly cut?: (message: Message) => boolean;
  } = {},
) {
  const branch = new Branch("MAINTAIN", server.node.clock);
  const running = watch(branch, assumeValid, options.verify);
  running.monitor.start();
  const client = new SyncNode(branch, { assumeValid });
  const serving = new SyncNode(server);
  const { shown } = options;
  const wire = new Wire(serving, client, (message) => {
    // The server pretends to have a block of another chain.
    if (shown !== undefined && message.type === "GetBlock" && bytesEqual(message.id, shown.signature))
      void ([...client.network.peers][0] as ScriptedPeer).says({ type: "Block", bytes: blockBytes(shown) });
    return options.cut?.(message) ?? false;
  });
  await live(server.node.clock, [wire], 5_000);
  await running.end();
  return { ...running, branch, wire, running };
}

describe("a sync that assumes a block", () => {
  test("accepts wrong signatures of transactions before the block by name, and records the blocks", async () => {
    const { branch, monitor, failures } = await sync(bad, idOf(bad, ASSUMED_HEIGHT));
    expect(branch.ids).toEqual(bad.ids);
    expect(recordOf(branch)).toEqual({ from: 2, to: ASSUMED_HEIGHT });
    expect(monitor.isProvisional).toBe(false);
    expect(failures).toEqual([]);
  });

  test("gives the same chain as a sync with all checks", async () => {
    const { branch } = await sync(good, idOf(good, ASSUMED_HEIGHT));
    const checked = await sync(good, new Uint8Array(64).fill(1));
    expect(branch.ids).toEqual(good.ids);
    expect(checked.branch.ids).toEqual(good.ids);
    expect(recordOf(checked.branch)).toBeUndefined();
  });

  test("checks the blocks after it", async () => {
    const { branch, wire } = await sync(bad, idOf(bad, BAD_HEIGHT - 1));
    expect(branch.height).toBeLessThan(BAD_HEIGHT);
    expect(wire.isOpen).toBe(false);
  });

  test.each([
    ["that no chain contains", () => new Uint8Array(64).fill(7)],
    ["above the tip of the peer", () => idOf(good, HEIGHT + 2)],
    ["on a fork", () => idOf(good, ASSUMED_HEIGHT)],
  ])("checks everything for a block %s", async (_, id) => {
    const { branch, wire, monitor } = await sync(bad, id());
    expect(branch.height).toBeLessThan(BAD_HEIGHT);
    expect(wire.isOpen).toBe(false);
    expect(recordOf(branch)).toBeUndefined();
    expect(monitor.isProvisional).toBe(false);
  });

  test("refuses a block below it whose own signature is wrong", async () => {
    const forged = new Branch("MAINTAIN", good.node.clock);
    for (let height = 2; height < 8; height++) forged.take(good, height);
    const signature = Uint8Array.from(idOf(good, 8));
    signature[40] ^= 1;
    expect(atOnce(forged.node.chain.accept({ ...blockOf(good, 8), signature }, { signature: true })).ok).toBe(
      true,
    );
    const { branch, wire } = await sync(forged, idOf(good, ASSUMED_HEIGHT), {
      shown: blockOf(good, ASSUMED_HEIGHT),
    });
    expect(branch.height).toBeLessThan(8);
    expect(wire.isOpen).toBe(false);
  });
});

describe("a peer that shows the block and has another chain", () => {
  test("cannot make the node rely on an invalid chain", async () => {
    const shown = blockOf(good, passedHeight(good, bad));
    const { branch, monitor, failures, checks } = await sync(bad, shown.signature, { shown });
    // The chain has passed the time of the block without it.
    expect(Number(branch.node.chain.tip.keyBlock.timestamp)).toBeGreaterThanOrEqual(Number(shown.timestamp));
    expect(checks).toHaveLength(1);
    expect(failures).toEqual([expect.any(InvalidBlockError)]);
    expect(failures[0].message).toMatch(
      /^Block 6 is invalid, and was accepted because of --assume-valid: .*Remove it .*`holdfast rollback 5`/s,
    );
    expect(monitor.isProvisional).toBe(true);
    // A restart does not run with it either.
    expect(() => watch(branch).monitor.start()).toThrow(InvalidBlockError);
    branch.node.chain.removeAfter(idOf(bad, BAD_HEIGHT - 1), { returnTransactions: false });
    const again = watch(branch);
    again.monitor.start();
    await again.monitor.stop();
    expect(recordOf(branch)).toBeUndefined();
  });

  test("delays a node with a valid chain until its blocks are checked", async () => {
    const shown = blockOf(bad, passedHeight(bad, good));
    const { branch, monitor, failures, running } = await sync(good, shown.signature, { shown });
    expect(branch.ids).toEqual(good.ids);
    expect(failures).toEqual([]);
    expect(monitor.isProvisional).toBe(false);
    expect(running.settled).toBe(1);
    expect(recordOf(branch)).toBeUndefined();
  });

  test("leaves the node provisional while its chain does not reach the block's time", async () => {
    const shown = blockOf(good, good.height);
    const { branch, monitor, checks } = await sync(bad, shown.signature, { shown });
    expect(branch.ids).toEqual(bad.ids);
    expect(rangeOf(branch)).toEqual({ from: 2, to: bad.height, expectedId: shown.signature });
    expect(monitor.isProvisional).toBe(true);
    expect(checks).toEqual([]);
    await monitor.stop();
    // Without the assumption, the next start checks the blocks.
    const again = watch(branch);
    again.monitor.start();
    expect(again.monitor.isProvisional).toBe(true);
    await again.end();
    expect(again.failures).toHaveLength(1);
  });
});

describe("the check in the background", () => {
  async function unchecked(server: Branch): Promise<Branch> {
    const { branch, monitor } = await sync(server, idOf(server, ASSUMED_HEIGHT));
    await monitor.stop();
    return branch;
  }

  test("finds nothing wrong, and the blocks then count as checked", async () => {
    const branch = await unchecked(good);
    const { monitor, failures, checks, end } = watch(branch, undefined, true);
    monitor.start();
    await end();
    expect(checks).toEqual([{ from: 2, to: ASSUMED_HEIGHT }]);
    expect(failures).toEqual([]);
    expect(recordOf(branch)).toBeUndefined();
  });

  test("is off by default", async () => {
    const branch = await unchecked(bad);
    const { monitor, checks } = watch(branch);
    monitor.start();
    await live(branch.node.clock, [], 100);
    expect(checks).toEqual([]);
    expect(rangeOf(branch)).toEqual({ from: 2, to: ASSUMED_HEIGHT });
  });

  test("stops the node at a wrong signature", async () => {
    const branch = await unchecked(bad);
    const { monitor, failures, end } = watch(branch, undefined, true);
    monitor.start();
    await end();
    expect(failures.map(({ height }) => height)).toEqual([BAD_HEIGHT]);
    expect(recordOf(branch)).toMatchObject({ from: BAD_HEIGHT, isFirstInvalid: true });
  });

  test("stores its progress, and a node that was killed continues there", async () => {
    const branch = await unchecked(good);
    let report = (_: number): void => {};
    const slow: SignatureChecker = {
      start(_, __, onProgress) {
        report = onProgress;
        return { result: new Promise(() => {}), stop: () => {} };
      },
    };
    const killed = new UncheckedMonitor(
      {
        chain: branch.node.chain,
        clock: branch.node.clock,
        log: branch.node.log,
        checker: slow,
        giveUp: () => {},
        onSettled: () => {},
      },
      { assumeValid: undefined, verifySignatures: true },
    );
    killed.start();
    report(4);
    await live(branch.node.clock, [], 11_000);
    report(7);
    report(9);
    await live(branch.node.clock, [], 100);
    expect(recordOf(branch)).toEqual({ from: 8, to: ASSUMED_HEIGHT });
    const { monitor, checks, end } = watch(branch, undefined, true);
    monitor.start();
    await end();
    expect(checks).toEqual([{ from: 8, to: ASSUMED_HEIGHT }]);
    expect(recordOf(branch)).toBeUndefined();
  });

  test("stores its progress when the node stops", async () => {
    const branch = await unchecked(good);
    let end = (): void => {};
    const { monitor } = watch(branch, undefined, true, {
      start(_, __, onProgress) {
        queueMicrotask(() => onProgress(5));
        const stopped = {
          outcome: "stopped",
          checkedTo: 5,
          blocks: 4,
          transactions: 0,
          wrong: undefined,
        } as const;
        const result = new Promise<typeof stopped>((resolve) => {
          end = () => resolve(stopped);
        });
        return { result, stop: () => end() };
      },
    });
    monitor.start();
    await setImmediate();
    await monitor.stop();
    expect(recordOf(branch)).toEqual({ from: 6, to: ASSUMED_HEIGHT });
  });

  test("begins again when blocks that it checks leave the chain", async () => {
    const branch = await unchecked(good);
    const { monitor, checks, end } = watch(branch, undefined, true);
    monitor.start();
    branch.node.chain.removeAfter(idOf(good, 9), { returnTransactions: false });
    await end();
    expect(checks).toEqual([
      { from: 2, to: ASSUMED_HEIGHT },
      { from: 2, to: 9 },
    ]);
  });

  test("is repeated after a failure of its thread", async () => {
    const branch = await unchecked(good);
    let count = 0;
    const { monitor } = watch(branch, undefined, true, {
      start: () => {
        count++;
        return { result: Promise.reject(new Error("no memory")), stop: () => {} };
      },
    });
    monitor.start();
    await live(branch.node.clock, [], 50_000);
    expect(count).toBe(1);
    await live(branch.node.clock, [], 20_000);
    expect(count).toBe(2);
  });
});

test("the record keeps heights, the expected block and a fault", () => {
  const { chain } = new Branch().node;
  const expected = { id: new Uint8Array(64).fill(9), timestamp: 1_700_000_000_000n };
  return chain
    .writeNonChainRows((batch) => {
      addUncheckedHeight(batch, 7, undefined);
      expect(uncheckedRecord(batch)).toEqual({ from: 7, to: 7 });
      addUncheckedHeight(batch, 5, expected);
      expect(uncheckedRecord(batch)).toEqual({ from: 5, to: 7, expected, isFirstInvalid: false });
      addUncheckedHeight(batch, 9, undefined);
      expect(uncheckedRecord(batch)).toEqual({ from: 5, to: 9, expected, isFirstInvalid: false });
      // The invalid block was removed before another one took its height.
      writeUnchecked(batch, { from: 5, to: 9, isFirstInvalid: true });
      addUncheckedHeight(batch, 6, undefined);
      expect(uncheckedRecord(batch)).toMatchObject({ from: 5, isFirstInvalid: true });
      addUncheckedHeight(batch, 5, undefined);
      expect(uncheckedRecord(batch)).toEqual({ from: 5, to: 9 });
    })
    .then(() => expect(chain.read(uncheckedBlocks)).toBeUndefined());
});
