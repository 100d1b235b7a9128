/** Too little disk space, or a full disk, while the chain switches to a branch of peers in several commits. */
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Block, buildBlock } from "../blocks/block.ts";
import { atOnce } from "../chain/testing/at-once.ts";
import { extensionOf, standardLimits } from "../chain/testing/extension-of.ts";
import { SplitChange } from "../chain/writing/split-change.ts";
import { addressOf } from "../crypto/addresses.ts";
import { type Node, startNode } from "../node.ts";
import { dev } from "../profiles/index.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { tables } from "../storage/tables.ts";
import { FailingStore } from "../storage/testing/failing-store.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { DevNode, keyPairOf, RecordingLog, rootKeyPair } from "../testing/dev-node.ts";
import { elapse } from "../testing/elapse.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { settingsOf } from "../testing/settings.ts";
import { SIMULATED_RESOURCES, simulatedEnvironment } from "../testing/simulated-environment.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type EncodedTransaction, encodeTransaction } from "../transactions/index.ts";
import { fixedWallet } from "../wallet/fixed-wallet.ts";
import { startApiInline } from "./testing/api-inline.ts";

const [OURS, THEIRS] = [10, 11];
const BLOCK_MS = 60_000;
const GENESIS = Number(dev.genesis.blockTimestamp);
const BEGIN = GENESIS + THEIRS * BLOCK_MS + 1_000;
const UNITS_OF_COMMIT = 3;
const MIB = 2 ** 20;
const PLENTY = 2 ** 31;
const PAUSED =
  "Less than 512 MiB of the disk are free: forging and accepting transactions and blocks are paused until 1 GiB are free";
const FAILED = "Disk write failed: forging and broadcasting are paused until writes succeed";
const RESUMED =
  "The disk has enough free space again: forging and accepting transactions and blocks continue";

let clock: VirtualClock;
let node: Node;
let store: FailingStore;
let log: RecordingLog;
let free: number;
let ours: Block[];
let theirs: Block[];

/** Blocks of another node, a minute apart. */
function forge(count: number, feeVote: number): Block[] {
  const { chain } = new DevNode({ clock: new VirtualClock(BEGIN), store: memoryStore(), accounts: [] });
  return Array.from({ length: count }, () => {
    const timestamp = chain.tip.keyBlock.timestamp + BigInt(BLOCK_MS);
    const draft = chain.forging.draftBlock(rootKeyPair.publicKey, timestamp, BEGIN);
    const block = buildBlock({ ...draft, transactions: [], features: [], feeVote }, rootKeyPair);
    const result = atOnce(chain.accept(block));
    if (!result.ok) throw new Error(result.error.printed);
    return block;
  });
}

beforeAll(() => {
  ours = forge(OURS, 0);
  theirs = forge(THEIRS, 1);
});

beforeEach(async () => {
  const asked = new WeakMap<SplitChange, number>();
  // It is called once per unit.
  vi.spyOn(SplitChange.prototype, "isFull", "get").mockImplementation(function (this: SplitChange) {
    const times = (asked.get(this) ?? 0) + 1;
    asked.set(this, times);
    return times % UNITS_OF_COMMIT === 0;
  });
  clock = new VirtualClock(BEGIN);
  store = new FailingStore(memoryStore(), new SeededRandom(1));
  log = new RecordingLog();
  free = PLENTY;
  const environment = simulatedEnvironment({
    clock,
    log,
    store,
    wallet: fixedWallet([rootKeyPair], dev.chainId),
    http: startApiInline(),
    resources: async () => ({ ...SIMULATED_RESOURCES, diskFree: free, store: MIB }),
  });
  node = await startNode(environment, settingsOf(dev, { api: { port: 0 }, forging: { enabled: true } }));
  for (const block of ours) expect((await node.chain.accept(block)).ok).toBe(true);
});

afterEach(async () => {
  vi.restoreAllMocks();
  const stopped = node.stop();
  await pass(5);
  await stopped;
});

const pass = (seconds: number): Promise<void> => elapse(clock, 1_000 * seconds);
const tipId = (): string => Buffer.from(node.chain.tip.id).toString("hex");
const idOf = (block: Block): string => Buffer.from(block.signature).toString("hex");
const isSwitchRecorded = (): boolean => store.get(tables.meta, "switch") !== undefined;

/** The tip is the same in memory and in the store. */
function expectAgreement(): void {
  expect(store.get(tables.tip, undefined)?.height).toBe(node.chain.tip.height);
  expect(store.get(tables.headers, node.chain.tip.height)).toBeDefined();
  expect(store.get(tables.headers, node.chain.tip.height + 1)).toBeUndefined();
}

async function ask(path: string): Promise<[status: number, json: unknown]> {
  const response = await fetch(`${node.url}${path}`);
  return [response.status, await response.json()];
}

function transfer(): EncodedTransaction {
  const transaction = buildTransaction({
    type: 4,
    sender: rootKeyPair,
    fee: 500_000_000n,
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

/** Switches to the other branch; `disturb` runs after the first commit. @returns the result */
async function switchDisturbed(disturb: () => void) {
  let isFirst = true;
  const stop = node.chain.onChange(() => {
    if (isFirst) disturb();
    isFirst = false;
  });
  let isDone = false;
  const switching = node.chain.acceptExtension(extensionOf(theirs), standardLimits).finally(() => {
    isDone = true;
  });
  for (let turns = 0; !isDone && turns < 1_000; turns++) {
    await turn();
    clock.step();
  }
  stop();
  return switching;
}

/** Everything that writes is paused, and the operator is told. */
async function expectPause(isTorn: boolean, facts: object): Promise<void> {
  const paused = tipId();
  for (const seconds of [0, 60]) {
    await pass(seconds);
    expect(tipId()).toBe(paused);
    expect(isSwitchRecorded()).toBe(isTorn);
    expectAgreement();
  }
  expect(await node.control.pool.broadcast(transfer())).toEqual({ ok: false, error: { kind: "disk-fault" } });
  expect(await node.control.forging.state()).toMatch(/^error: /);
  expect(await node.control.node.health()).toMatchObject(facts);
  const reasons = expect.arrayContaining([expect.objectContaining({ code: "disk" })]);
  expect(await ask("/node/health")).toMatchObject([200, { status: "unhealthy", reasons }]);
  expect(await ask("/health/ready")).toMatchObject([503, { ok: false, reasons }]);
}

/** Forging continues on `parent`. */
async function expectForgingOn(parent: Block, height: number): Promise<void> {
  await pass(80);
  expect(node.chain.tip.height).toBeGreaterThan(height);
  expect(store.get(tables.headers, height)?.signature).toEqual(parent.signature);
  expect(isSwitchRecorded()).toBe(false);
  expectAgreement();
  expect(await ask("/health/ready")).toMatchObject([200, { ok: true, reasons: [] }]);
  expect(await node.control.pool.broadcast(transfer())).toMatchObject({ ok: true });
}

const messages = (level: string) =>
  log.lines.filter((line) => line.level === level).map(({ message }) => message);

test("too little space during a switch lets it complete, then pauses the node and says so", async () => {
  let heightThen = 0;
  const result = await switchDisturbed(() => {
    heightThen = node.chain.tip.height;
    free = 100 * MIB;
    clock.advance(10_000);
  });
  expect(heightThen).toBeLessThan(OURS + 1);
  expect(result).toMatchObject({ kind: "applied", height: THEIRS + 1 });
  expect(tipId()).toBe(idOf(theirs[THEIRS - 1]));
  await expectPause(false, { hasDiskFault: false, diskSpace: { state: "paused", freeBytes: 100 * MIB } });
  expect(messages("error")).toEqual([PAUSED]);
  free = PLENTY;
  await expectForgingOn(theirs[THEIRS - 1], THEIRS + 1);
  expect(messages("info")).toContain(RESUMED);
});

test("a full disk during a switch stops it; it is undone when writes succeed, and forging continues when there is space", async () => {
  const result = await switchDisturbed(() => {
    free = 0;
    store.faults.commits = 100;
  });
  expect(result).toMatchObject({ kind: "unable", error: { message: expect.stringContaining("no space") } });
  await expectPause(true, { hasDiskFault: true, diskSpace: { state: "paused", freeBytes: 0 } });
  expect(messages("error")).toEqual([FAILED, PAUSED]);
  store.faults.commits = 0;
  await pass(70);
  expect(tipId()).toBe(idOf(ours[OURS - 1]));
  await expectPause(false, { hasDiskFault: false, diskSpace: { state: "paused", freeBytes: 0 } });
  free = PLENTY;
  await expectForgingOn(ours[OURS - 1], OURS + 1);
  expect(messages("info")).toEqual(expect.arrayContaining(["Disk writes succeed again", RESUMED]));
});
