/** Whole nodes in simulated environments, on a virtual clock. */
import { describe, expect, test } from "vitest";
import type { Checkpoint } from "./blocks/checkpoint.ts";
import { signCheckpoint } from "./blocks/testing/sign-checkpoint.ts";
import { encodeBase58 } from "./bytes/base58.ts";
import { UnsupportedFeatureError } from "./chain/deciding/unsupported-feature.ts";
import { addressOf } from "./crypto/addresses.ts";
import type { KeyPair } from "./crypto/signatures.ts";
import { startApiInline } from "./node/testing/api-inline.ts";
import { createNode, type Node, startNode } from "./node.ts";
import { dev, type NetworkProfile } from "./profiles/index.ts";
import { noTransport } from "./runtime/no-transport.ts";
import { memoryStore } from "./storage/memory-store.ts";
import { tables } from "./storage/tables.ts";
import { keyPairOf, RecordingLog, rootKeyPair } from "./testing/dev-node.ts";
import { RandomTransactions, spenders, trustOfSpenders } from "./testing/random-transactions.ts";
import { SeededRandom } from "./testing/seeded-random.ts";
import { settingsOf } from "./testing/settings.ts";
import { simulatedEnvironment } from "./testing/simulated-environment.ts";
import { VirtualClock } from "./testing/virtual-clock.ts";
import { fixedWallet } from "./wallet/fixed-wallet.ts";

const SUPPLY = 10_000_000n * 100_000_000n;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const forgers = Array.from({ length: 20 }, (_, i) => keyPairOf(`forger ${i}`));

/** A network in which twenty forgers have equal stakes, and some accounts spend a little. */
const profile: NetworkProfile = {
  ...dev,
  name: "custom",
  functionality: { ...dev.functionality, feeVoteBlocksPeriod: 5, leaseUnbondingPeriod: 3 },
  genesis: {
    ...dev.genesis,
    averageBlockDelaySeconds: 60,
    initialBaseTarget: 500n,
    signature: undefined,
    transactions: [...forgers, ...spenders].map(({ publicKey }) => ({
      recipient: addressOf(publicKey, dev.chainId),
      amount: SUPPLY,
    })),
  },
};
const BEGIN = Number(profile.genesis.blockTimestamp);
const trust = trustOfSpenders(profile.chainId);

const idAt = ({ chain }: Node, height: number): Uint8Array =>
  chain.read((reader) => reader.get(tables.headers, height)?.signature) ?? new Uint8Array(0);

/** Starts a node that receives transactions of all kinds. */
async function forgerNode(clock: VirtualClock, keyPair: KeyPair, seed: number): Promise<Node> {
  const wallet = fixedWallet([keyPair], profile.chainId);
  const environment = simulatedEnvironment({ clock, wallet, store: memoryStore(), seed });
  const settings = settingsOf(profile, {
    forging: {
      microBlockIntervalMs: 5_000,
    },
    index: {
      trustNetwork: trust.network,
    },
    anchoring: {
      hashAccount: trust.root,
    },
  });
  const node = await startNode(environment, settings);
  const transactions = new RandomTransactions(new SeededRandom(seed), profile.chainId);
  const send = (): void => {
    // Transactions that do not fit the state are refused.
    node.pool.add(transactions.next(clock.now()));
    cancel = clock.after(MINUTE, send);
  };
  let cancel = clock.after(MINUTE, send);
  node.finished.then(() => cancel());
  return node;
}

/** Returns the block ids of each forger after some hours on one clock, oldest first. */
async function run(keyPairs: readonly KeyPair[], seed: number, hours: number): Promise<string[][]> {
  const clock = new VirtualClock(BEGIN + MINUTE);
  const nodes: Node[] = [];
  for (const keyPair of keyPairs)
    nodes.push(await forgerNode(clock, keyPair, seed + forgers.indexOf(keyPair)));
  clock.advance(hours * HOUR);
  const ids = nodes.map((node) =>
    Array.from({ length: node.chain.tip.height }, (_, i) => encodeBase58(idAt(node, i + 1))),
  );
  for (const node of nodes) await node.stop();
  expect(clock.pending).toBe(0);
  return ids;
}

describe("twenty nodes in one process", () => {
  test("forge for an hour on one clock, and the same seed gives the same run", async () => {
    const first = await run(forgers, 7, 1);
    for (const ids of first) expect(ids.length).toBeGreaterThan(50);
    expect(new Set(first.map((ids) => ids.at(-1))).size).toBe(forgers.length);
    // Each runs as if it were with fewer nodes, or alone.
    expect(await run(forgers.slice(0, 4), 7, 1)).toEqual(first.slice(0, 4));
    const [, second] = first;
    expect(await run([forgers[1]], 7, 1)).toEqual([second]);
    // Another seed sends other transactions.
    const [other] = await run([forgers[1]], 8, 1);
    expect(other).not.toEqual(second.slice(0, other.length));
  }, 240_000);
});

test("a node does nothing before its start", async () => {
  const clock = new VirtualClock(BEGIN + MINUTE);
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const node = createNode(simulatedEnvironment({ clock, wallet, store: memoryStore() }), settingsOf(dev));
  expect(clock.pending).toBe(0);
  expect(node.chain.tip.height).toBe(1);
  expect(await node.control.forging.state()).toBe("disabled");
  expect(node.url).toBeUndefined();
  await node.stop();
  await node.finished;
});

test("a stop over the API is logged once", async () => {
  const log = new RecordingLog();
  const clock = new VirtualClock(BEGIN + MINUTE);
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const node = createNode(
    simulatedEnvironment({ clock, wallet, store: memoryStore(), log }),
    settingsOf(dev),
  );
  await node.control.node.stop();
  await node.control.node.stop();
  await node.finished;
  expect(log.lines.map(({ message }) => message)).toEqual(["Stopping (API request)"]);
});

test("a node ends when an unknown feature is active", async () => {
  const clock = new VirtualClock(BEGIN + MINUTE);
  const preActivatedFeatures = new Map([...dev.functionality.preActivatedFeatures, [99, 4]]);
  const functionality = { ...dev.functionality, featureCheckBlocksPeriod: 2, preActivatedFeatures };
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const log = new RecordingLog();
  const environment = simulatedEnvironment({ clock, wallet, store: memoryStore(), log });
  const node = await startNode(environment, settingsOf({ ...dev, functionality }));
  clock.advance(10 * MINUTE);
  await expect(node.finished).rejects.toThrow(UnsupportedFeatureError);
  expect(log.lines).toContainEqual({
    level: "error",
    message: "Stopping after a fault",
    facts: { reason: expect.stringContaining("99") },
  });
  expect(clock.pending).toBe(0);
});

test("reports busy to a rollback if the queue of chain changes is full", async () => {
  const clock = new VirtualClock(BEGIN + MINUTE);
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const { chain, control } = createNode(
    simulatedEnvironment({ clock, wallet, store: memoryStore() }),
    settingsOf(dev),
  );
  const change = chain.beginGroup();
  const waiting = Array.from({ length: 100 }, () => control.chain.rollback(1, true));
  expect(await control.chain.rollback(1, true)).toEqual({ ok: false, error: { kind: "busy" } });
  expect(await control.chain.rollbackTo(chain.tip.id)).toEqual({ ok: false, error: { kind: "busy" } });
  change.abandon();
  for (const outcome of await Promise.all(waiting)) expect(outcome.ok).toBe(true);
});

test("a change of the chain is dropped after its deadline", async () => {
  const clock = new VirtualClock(BEGIN + MINUTE);
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const authority = keyPairOf("authority");
  const settings = settingsOf(dev, { chain: { checkpointKey: authority.publicKey } });
  const node = await startNode(simulatedEnvironment({ clock, wallet, store: memoryStore() }), settings);
  clock.advance(MINUTE);
  const { chain, control } = node;
  const { tip } = chain;
  const checkpoint = signCheckpoint([{ height: 2, id: new Uint8Array(64) }], authority);
  const change = chain.beginGroup();
  const deadline = clock.now() + 20_000;
  const waiting = [
    control.chain.rollback(1, true, deadline),
    control.chain.rollbackTo(tip.id, deadline),
    control.chain.applyCheckpoint(checkpoint, deadline),
  ];
  clock.advance(20_000);
  change.abandon();
  for (const outcome of waiting) expect(await outcome).toEqual({ ok: false, error: { kind: "late" } });
  expect(chain.read((reader) => reader.get(tables.headers, tip.height)?.signature)).toEqual(tip.keyBlock.id);
  await node.stop();
});

test("an offline transport neither accepts nor connects", async () => {
  expect(await noTransport.listen("127.0.0.1", 0, () => {})).toBeUndefined();
  await expect(noTransport.dial("127.0.0.1", 6868, 1_000)).rejects.toThrow(/127\.0\.0\.1:6868/);
});

describe("POST /blocks/checkpoint", () => {
  const authority = keyPairOf("authority");

  /** Starts a node that has forged for a minute, and returns its answer to a checkpoint. */
  async function served(checkpointKey: Uint8Array | undefined) {
    const clock = new VirtualClock(BEGIN + MINUTE);
    const wallet = fixedWallet([rootKeyPair], dev.chainId);
    const http = startApiInline();
    const environment = simulatedEnvironment({ clock, wallet, store: memoryStore(), http });
    const node = await startNode(
      environment,
      settingsOf(dev, { api: { port: 0 }, chain: { checkpointKey } }),
    );
    clock.advance(MINUTE);
    const post = async ({ items, signature }: Checkpoint): Promise<[status: number, json: unknown]> => {
      const body = JSON.stringify({
        items: items.map(({ height, id }) => ({ height, signature: encodeBase58(id) })),
        signature: encodeBase58(signature),
      });
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(`${node.url}/blocks/checkpoint`, { method: "POST", headers, body });
      return [response.status, await response.json()];
    };
    return { node, post };
  }

  test("accepts a checkpoint of the configured key, and removes blocks that contradict it", async () => {
    const { node, post } = await served(authority.publicKey);
    const { height } = node.chain.tip;
    expect(height).toBeGreaterThan(5);
    const items = [
      { height: 5, id: new Uint8Array(64).fill(1) },
      { height: 3, id: idAt(node, 3) },
    ];
    expect(await post(signCheckpoint(items, keyPairOf("somebody")))).toMatchObject([
      400,
      { message: "Invalid checkpoint signature" },
    ]);
    expect(node.chain.tip.height).toBe(height);
    const right = signCheckpoint(items, authority);
    expect((await post(right))[0]).toBe(200);
    expect(node.chain.tip.height).toBe(3);
    expect(await post(right)).toMatchObject([400, { message: "Checkpoint already applied" }]);
    await node.stop();
  });

  test("refuses a wrong signature without waiting for the current change", async () => {
    const { node, post } = await served(authority.publicKey);
    const change = node.chain.beginGroup();
    const forged = signCheckpoint([{ height: 2, id: new Uint8Array(64) }], keyPairOf("somebody"));
    expect(await post(forged)).toMatchObject([400, { message: "Invalid checkpoint signature" }]);
    change.abandon();
    await node.stop();
  });

  test("accepts no checkpoint without a key", async () => {
    const { node, post } = await served(undefined);
    const items = [{ height: 3, id: idAt(node, 3) }];
    expect((await post(signCheckpoint(items, authority)))[0]).toBe(400);
    await node.stop();
  });
});
