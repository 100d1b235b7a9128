/** A failed commit changes nothing, on disk or in memory. */
import { expect, test } from "vitest";
import { buildBlock } from "../blocks/block.ts";
import { signCheckpoint } from "../blocks/testing/sign-checkpoint.ts";
import { addressOf } from "../crypto/addresses.ts";
import { dev } from "../profiles/index.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { tables } from "../storage/tables.ts";
import { DiskFullError, FailingStore } from "../storage/testing/failing-store.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { keyPairOf, RecordingLog, rootKeyPair } from "../testing/dev-node.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { Transaction } from "../transactions/index.ts";
import { Chain } from "./chain.ts";
import type { AppendResult } from "./deciding/block-refusal.ts";
import { headerRow } from "./reading/rows.ts";

const MINUTE = 60_000n;
const START = dev.genesis.blockTimestamp + MINUTE;
const authority = keyPairOf("authority");

function setUp() {
  const store = new FailingStore(memoryStore(), new SeededRandom(1));
  const log = new RecordingLog();
  const open = (): Chain =>
    Chain.open({
      store,
      profile: dev,
      indexes: [],
      clock: new VirtualClock(Number(START)),
      log,
      options: {
        stopOnUnsupportedFeature: true,
        checkpointKey: authority.publicKey,
      },
    });
  return { store, log, open, chain: open() };
}

function append(chain: Chain, timestamp: bigint, transactions: readonly Transaction[]): AppendResult {
  const template = {
    version: 4,
    timestamp,
    reference: chain.tip.id,
    baseTarget: chain.tip.keyBlock.baseTarget,
    generationSignature: new Uint8Array(32),
    features: [],
    feeVote: 0,
    transactions,
  };
  return chain.process(buildBlock(template, rootKeyPair));
}

function transfer(timestamp: bigint): Transaction {
  return buildTransaction({
    type: 4,
    sender: rootKeyPair,
    fee: 100_000_000n,
    timestamp: Number(timestamp),
    chainId: dev.chainId,
    members: {
      recipient: addressOf(authority.publicKey, dev.chainId),
      amount: timestamp,
      attachment: new Uint8Array(0),
    },
  });
}

function idAt(chain: Chain, height: number): Uint8Array {
  return chain.read((reader) => headerRow(reader, height).signature);
}

test.each([3, 8, 20])(
  "after a rollback of %i blocks that fails the chain knows its transactions",
  (depth) => {
    const { store, chain } = setUp();
    let timestamp = START;
    const sent: Transaction[] = [];
    for (let i = 0; i < 30; i++) {
      timestamp += 20n * MINUTE;
      sent.push(transfer(timestamp));
      expect(append(chain, timestamp, [sent[i]]).ok).toBe(true);
    }
    const { tip } = chain;
    store.faults.commits = 100;
    const target = idAt(chain, tip.height - depth);
    expect(() => chain.removeAfter(target, { returnTransactions: true })).toThrow(DiskFullError);
    store.faults.commits = 0;
    expect(chain.tip).toEqual(tip);
    for (const transaction of sent.slice(-5)) {
      const again = append(chain, timestamp + 10n * MINUTE, [transaction]);
      expect(again.ok || again.error.printed).toContain("AlreadyInTheState");
    }
  },
);

test("a group of blocks whose commit fails changes nothing", () => {
  const { store, chain } = setUp();
  const sent = transfer(START);
  append(chain, START + MINUTE, []);
  const { tip } = chain;
  const template = {
    version: 4,
    timestamp: START + 2n * MINUTE,
    reference: tip.id,
    baseTarget: tip.keyBlock.baseTarget,
    generationSignature: new Uint8Array(32),
    features: [],
    feeVote: 0,
    transactions: [sent],
  };
  const draft = chain.forging.draftBlock(
    rootKeyPair.publicKey,
    template.timestamp,
    Number(template.timestamp),
  );
  const block = buildBlock({ ...template, ...draft }, rootKeyPair);
  store.faults.commits = 100;
  const group = chain.beginGroup();
  expect(group.append(block).ok).toBe(true);
  expect(() => group.commit()).toThrow(DiskFullError);
  expect(chain.tip).toEqual(tip);
  store.faults.commits = 0;
  // Once more: the store waits for no commit, and the transaction is unknown.
  const again = chain.beginGroup();
  expect(again.append(block).ok).toBe(true);
  again.commit();
  expect(chain.tip.height).toBe(tip.height + 1);
});

test("a checkpoint and its rollback are one commit, in force only if it succeeds", () => {
  const { store, chain, open } = setUp();
  for (let i = 1n; i <= 5n; i++) append(chain, START + i * MINUTE, []);
  const { tip } = chain;
  const items = [
    { height: 4, id: new Uint8Array(64).fill(7) },
    { height: 2, id: idAt(chain, 2) },
  ];
  const checkpoint = signCheckpoint(items, authority);
  store.faults.commits = 100;
  expect(() => chain.acceptCheckpoint(checkpoint)).toThrow(DiskFullError);
  store.faults.commits = 0;
  expect(chain.tip).toEqual(tip);
  expect(store.get(tables.checkpoint, undefined)).toBeUndefined();
  let commits = 0;
  const commit = store.commit.bind(store);
  store.commit = (batch) => {
    commits++;
    commit(batch);
  };
  // It was not accepted before, so it is now.
  expect(chain.acceptCheckpoint(checkpoint)).toEqual({ ok: true });
  expect(commits).toBe(1);
  expect(chain.tip.height).toBe(2);
  expect(open().acceptCheckpoint(checkpoint)).toEqual({ ok: false, error: "Checkpoint already applied" });
});

test("logs a failing listener, and still calls the others", () => {
  const { chain, log } = setUp();
  const heard: string[] = [];
  chain.onChange(() => {
    heard.push("first");
    throw new Error("a fault of the listener");
  });
  chain.onChange(() => heard.push("second"));
  expect(append(chain, START + MINUTE, [])).toMatchObject({ ok: true, value: "appended" });
  expect(heard).toEqual(["first", "second"]);
  expect(log.lines.map(({ level, message }) => [level, message])).toContainEqual([
    "error",
    "A chain listener failed",
  ]);
});
