/** Free space of the disk: injected figures, on a virtual clock. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Chain } from "../chain/chain.ts";
import { addressOf } from "../crypto/addresses.ts";
import { allIndexes } from "../indexes/all.ts";
import { type Node, startNode } from "../node.ts";
import { peersOptions } from "../peers/testing/peer-table.ts";
import { dev } from "../profiles/index.ts";
import { memoryStore } from "../storage/memory-store.ts";
import type { Store } from "../storage/store.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { keyPairOf, RecordingLog, rootKeyPair } from "../testing/dev-node.ts";
import { elapse } from "../testing/elapse.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { settingsOf } from "../testing/settings.ts";
import { SIMULATED_RESOURCES, simulatedEnvironment } from "../testing/simulated-environment.ts";
import { SimulatedNetwork } from "../testing/simulated-network.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type EncodedTransaction, encodeTransaction } from "../transactions/index.ts";
import { fixedWallet } from "../wallet/fixed-wallet.ts";
import { indexSettings } from "./composition.ts";

const BEGIN = Number(dev.genesis.blockTimestamp) + 60_000;
const MIB = 2 ** 20;
const GIB = 2 ** 30;
const PAUSED =
  "Less than 512 MiB of the disk are free: forging and accepting transactions and blocks are paused until 1 GiB are free";
const RESUMED =
  "The disk has enough free space again: forging and accepting transactions and blocks continue";
const refused = { ok: false, error: { kind: "disk-fault" } };
const ways = { latencyMs: 20, jitterMs: 10, bytesPerMs: 1_000, loss: 0 };

let clock: VirtualClock;
let network: SimulatedNetwork;
const running: TestNode[] = [];

/** A node with an adjustable disk. */
class TestNode {
  readonly log = new RecordingLog();
  readonly store: Store = memoryStore();
  free: number | undefined = 100 * GIB;
  storeBytes = MIB;
  measured = 0;
  #node: Node | undefined;

  get node(): Node {
    if (this.#node === undefined) throw new Error("The node was not started");
    return this.#node;
  }

  /** @param address joins the network of the test; by default the node has no peers */
  async start({
    address,
    known = [],
    forges = true,
    warnBelowBytes,
  }: {
    address?: string;
    known?: string[];
    forges?: boolean;
    warnBelowBytes?: number;
  } = {}): Promise<this> {
    const environment = simulatedEnvironment({
      clock,
      log: this.log,
      store: this.store,
      wallet: fixedWallet([rootKeyPair], dev.chainId),
      transport: address === undefined ? undefined : network.transportOf({ address, run: (task) => task() }),
      resources: async () => {
        this.measured++;
        return { ...SIMULATED_RESOURCES, diskFree: this.free, store: this.storeBytes };
      },
    });
    const peers =
      address === undefined
        ? undefined
        : peersOptions({ knownPeers: known.map((host) => ({ host, port: 6863 })), exchange: false });
    const settings = settingsOf(dev, { forging: { enabled: forges }, disk: { warnBelowBytes }, peers });
    this.#node = await startNode(environment, settings);
    running.push(this);
    return this;
  }

  messages(level: string): string[] {
    return this.log.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  /** Returns the tip that a node opening the same store would have. */
  storedTip(): string {
    const { trust, settings } = this.node;
    const chain = Chain.open({
      store: this.store,
      profile: dev,
      indexes: allIndexes(indexSettings(settings.index, trust)),
      clock,
      log: new RecordingLog(),
      options: settings.chain,
    });
    return tipText(chain.tip);
  }
}

const tipText = ({ height, sequence, id, score }: Chain["tip"]): string =>
  `${height} ${sequence} ${Buffer.from(id).toString("hex")} ${score}`;

beforeEach(() => {
  clock = new VirtualClock(BEGIN);
  network = new SimulatedNetwork(clock, new SeededRandom(1), () => ways);
});
afterEach(async () => {
  const stopped = Promise.all(running.splice(0).map(({ node }) => node.stop()));
  await pass(5);
  await stopped;
  expect(clock.pending).toBe(0);
});

const pass = (seconds: number): Promise<void> => elapse(clock, 1_000 * seconds);

function transfer(amount = 1n): EncodedTransaction {
  const transaction = buildTransaction({
    type: 4,
    sender: rootKeyPair,
    fee: 100_000_000n,
    timestamp: clock.now(),
    chainId: dev.chainId,
    members: {
      recipient: addressOf(keyPairOf("alice").publicKey, dev.chainId),
      amount,
      attachment: new Uint8Array(0),
    },
  });
  return encodeTransaction(transaction);
}

describe("a disk with little free space", () => {
  test("pauses forging, broadcasts and rollbacks below 512 MiB, and continues above 1 GiB", async () => {
    const disk = await new TestNode().start();
    const { node } = disk;
    await pass(20);
    const { height } = node.chain.tip;
    expect(height).toBeGreaterThan(2);

    disk.free = 512 * MIB - 1;
    await pass(11);
    const paused = tipText(node.chain.tip);
    await pass(60);
    expect(tipText(node.chain.tip)).toBe(paused);
    expect(disk.storedTip()).toBe(paused);
    expect(disk.messages("error")).toEqual([PAUSED]);
    expect(await node.control.pool.broadcast(transfer())).toEqual(refused);
    expect(await node.control.chain.rollback(1, true)).toEqual(refused);
    expect(await node.control.node.health()).toMatchObject({
      hasDiskFault: false,
      diskSpace: { state: "paused", freeBytes: 512 * MIB - 1 },
    });
    expect(await node.control.forging.state()).toBe(
      "error: only 511 MiB of the disk are free: writes continue at 1 GiB",
    );

    disk.free = GIB - 1;
    await pass(20);
    expect(tipText(node.chain.tip)).toBe(paused);

    disk.free = GIB;
    await pass(20);
    expect(node.chain.tip.height).toBeGreaterThan(height);
    expect(disk.messages("info")).toContain(RESUMED);
    expect(await node.control.pool.broadcast(transfer())).toMatchObject({ ok: true });
    await pass(8);
    expect(node.pool.size).toBe(0);
    expect(disk.storedTip()).toBe(tipText(node.chain.tip));
    expect(disk.messages("error")).toEqual([PAUSED]);
  });

  test("lets a node start, which forges once there is space", async () => {
    const disk = new TestNode();
    disk.free = 0;
    const { node } = await disk.start();
    await pass(30);
    expect(node.chain.tip.height).toBe(1);
    disk.free = 2 * GIB;
    await pass(20);
    expect(node.chain.tip.height).toBeGreaterThan(1);
  });

  test("keeps a follower from accepting blocks and transactions of peers, and it catches up later", async () => {
    const forger = await new TestNode().start({ address: "203.0.113.1" });
    const full = await new TestNode().start({
      address: "203.0.113.2",
      known: ["203.0.113.1"],
      forges: false,
    });
    await pass(30);
    expect(full.node.chain.tip.height).toBeGreaterThan(2);

    full.free = 100 * MIB;
    await pass(11);
    const paused = tipText(full.node.chain.tip);
    expect(await forger.node.control.pool.broadcast(transfer())).toMatchObject({ ok: true });
    await pass(45);
    expect(full.node.pool.size).toBe(0);
    expect(tipText(full.node.chain.tip)).toBe(paused);
    expect(full.storedTip()).toBe(paused);
    expect(forger.node.chain.tip.height).toBeGreaterThan(full.node.chain.tip.height + 3);
    expect(full.node.peers?.count).toBe(1);

    full.free = 2 * GIB;
    await pass(60);
    expect(full.node.chain.tip.height).toBeGreaterThanOrEqual(forger.node.chain.tip.height - 1);
    expect(full.storedTip()).toBe(tipText(full.node.chain.tip));
  });

  test("is warned about below 2 GiB or a tenth of the store, once, until a tenth more is free", async () => {
    const disk = await new TestNode().start();
    const warnings = () => disk.messages("warn").filter((message) => message.includes("disk"));
    disk.free = 2 * GIB;
    await pass(11);
    expect(warnings()).toEqual([]);
    disk.free = 2 * GIB - 1;
    await pass(30);
    disk.free = 2 * GIB + 1;
    await pass(11);
    disk.free = 2 * GIB - 1;
    await pass(11);
    expect(warnings()).toEqual(["Only 1.9 GiB of disk space is left: delete files or use a larger disk"]);
    expect((await disk.node.control.node.health()).diskSpace.state).toBe("low");
    const { height } = disk.node.chain.tip;
    await pass(11);
    expect(disk.node.chain.tip.height).toBeGreaterThan(height);

    disk.free = 3 * GIB;
    await pass(11);
    expect(disk.messages("info")).toContain("The disk has enough free space again");
    disk.storeBytes = 40 * GIB;
    await pass(11);
    expect(warnings()).toHaveLength(2);
  });

  test("is warned about at the configured size only", async () => {
    const disk = new TestNode();
    disk.free = GIB;
    await disk.start({ warnBelowBytes: 600 * MIB });
    await pass(11);
    expect((await disk.node.control.node.health()).diskSpace).toEqual({ state: "ok", freeBytes: GIB });
  });
});

test("a system that does not report free space changes nothing", async () => {
  const disk = new TestNode();
  disk.free = undefined;
  await disk.start();
  await pass(20);
  expect(disk.node.chain.tip.height).toBeGreaterThan(1);
  expect((await disk.node.control.node.health()).diskSpace).toEqual({ state: "ok", freeBytes: undefined });
});
