/** A running node on a disk that refuses writes for a while. */
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { explainError } from "../cli/exit-codes.ts";
import { addressOf } from "../crypto/addresses.ts";
import { type Node, startNode } from "../node.ts";
import { dev } from "../profiles/index.ts";
import { DiskError } from "../storage/disk/disk-error.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { FailingStore } from "../storage/testing/failing-store.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { keyPairOf, RecordingLog, rootKeyPair } from "../testing/dev-node.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { settingsOf } from "../testing/settings.ts";
import { simulatedEnvironment } from "../testing/simulated-environment.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type EncodedTransaction, encodeTransaction } from "../transactions/index.ts";
import { fixedWallet } from "../wallet/fixed-wallet.ts";

const BEGIN = Number(dev.genesis.blockTimestamp) + 60_000;
const FULL = "The data directory cannot be written: no space is left on the disk";

let clock: VirtualClock;
let store: FailingStore;
let log: RecordingLog;
let node: Node;

async function start(enabled = true): Promise<void> {
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  node = await startNode(
    simulatedEnvironment({ clock, wallet, store, log }),
    settingsOf(dev, { forging: { enabled } }),
  );
}

beforeEach(() => {
  clock = new VirtualClock(BEGIN);
  store = new FailingStore(memoryStore(), new SeededRandom(1));
  log = new RecordingLog();
});
afterEach(async () => {
  await node.stop();
  expect(clock.pending).toBe(0);
});

/** Advances the clock, with a turn of the event loop for each second. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    clock.advance(1_000);
    await turn();
  }
}

function transfer(): EncodedTransaction {
  const transaction = buildTransaction({
    type: 4,
    sender: rootKeyPair,
    fee: 100_000_000n,
    timestamp: clock.now(),
    chainId: dev.chainId,
    members: {
      recipient: addressOf(keyPairOf("alice").publicKey, dev.chainId),
      amount: 1n,
      attachment: new Uint8Array(0),
    },
  });
  return encodeTransaction(transaction);
}

const messages = (level: string): string[] =>
  log.lines.filter((line) => line.level === level).map(({ message }) => message);
const refused = { ok: false, error: { kind: "disk-fault" } };

describe("while the disk is full", () => {
  test("nothing is forged, broadcast or rolled back, until there is space again", async () => {
    await start();
    await pass(30);
    const { height } = node.chain.tip;
    expect(height).toBeGreaterThan(2);
    store.faults.commits = 100;
    await pass(300);
    expect(node.chain.tip.height).toBe(height);
    expect(messages("error")).toEqual([
      "Disk write failed: forging and broadcasting are paused until writes succeed",
    ]);
    expect(await node.control.forging.state()).toBe(`error: ${FULL}`);
    expect(await node.control.pool.broadcast(transfer())).toEqual(refused);
    expect(await node.control.chain.rollback(1, true)).toEqual(refused);
    // The delay doubles each time, up to a minute.
    expect(store.failures).toBeLessThan(16);

    store.faults.commits = 0;
    await pass(70);
    expect(messages("error")).toHaveLength(1);
    expect(messages("info").filter((message) => message.startsWith("Disk writes succeed"))).toHaveLength(1);
    expect(node.chain.tip.height).toBeGreaterThan(height);
    expect(await node.control.forging.state()).toMatch(/^mining/);
    expect(await node.control.pool.broadcast(transfer())).toMatchObject({ ok: true, value: { added: true } });
    await pass(5);
    expect(node.pool.size).toBe(0);
  });

  test("the delay keeps growing if the fault returns soon, whatever the clock shows", async () => {
    await start();
    await pass(30);
    store.faults.commits = 100;
    await pass(300);
    store.faults.commits = 0;
    await pass(70);
    // The clock is set a day ahead: the fault returns within a minute all the same.
    clock.set(clock.now() + 86_400_000);
    const { failures } = store;
    store.faults.commits = 100;
    await pass(60);
    expect(store.failures - failures).toBeLessThan(4);
  });

  test("a node that does not forge detects free space too", async () => {
    await start();
    await pass(30);
    await node.stop();
    await start(false);
    const { height } = node.chain.tip;
    store.faults.commits = 100;
    expect(await node.control.pool.broadcast(transfer())).toMatchObject({ ok: true });
    // Nothing is written before a request.
    expect(await node.control.chain.rollback(height - 1, true)).toEqual(refused);
    expect(await node.control.pool.broadcast(transfer())).toEqual(refused);
    await pass(20);
    expect(await node.control.pool.broadcast(transfer())).toEqual(refused);
    store.faults.commits = 0;
    await pass(20);
    expect(await node.control.pool.broadcast(transfer())).toMatchObject({ ok: true });
    expect(await node.control.chain.rollback(height - 1, true)).toMatchObject({ ok: true });
    expect(node.chain.tip.height).toBe(height - 1);
  });
});

test("a disk that fails for good ends the node with the data directory's exit code", async () => {
  await start();
  await pass(30);
  const fault = new DiskError("the disk did not confirm a commit", { lasting: true });
  store.begin = () => {
    throw fault;
  };
  await pass(30);
  await expect(node.finished).rejects.toBe(fault);
  expect(explainError(fault)).toEqual({ code: 4, text: fault.message });
});

test("a full disk without a chain ends the start at once", async () => {
  store.faults.commits = 100;
  await expect(start()).rejects.toThrow(FULL);
  expect(clock.pending).toBe(0);
  store.faults.commits = 0;
  await start();
});
