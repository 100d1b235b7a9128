/** A machine with an anchor store, on which a node is restarted. */

import { leafProofsOf } from "../../anchoring/leaves.ts";
import { chainReader } from "../../chain/snapshot.ts";
import { isPathValid } from "../../chainpoint/proof.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { sha256 } from "../../crypto/hashes.ts";
import type { ChainReader, ChainSnapshot } from "../../interfaces.ts";
import { type Node, startNode } from "../../node.ts";
import { dev } from "../../profiles/index.ts";
import { MetricsRegistry } from "../../runtime/metrics.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { FailingStore } from "../../storage/testing/failing-store.ts";
import { keyPairOf, RecordingLog, rootKeyPair } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { type SettingsChanges, settingsOf } from "../../testing/settings.ts";
import { simulatedEnvironment } from "../../testing/simulated-environment.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { fixedWallet } from "../../wallet/fixed-wallet.ts";
import { readerContext } from "../composition.ts";

export const MINUTE = 60_000;
const BEGIN = Number(dev.genesis.blockTimestamp);

/** Pays for anchors; it owns only what it is given. */
export const payer = keyPairOf("payer");
export const payerAddress = addressOf(payer.publicKey, dev.chainId);

/** A network whose payer has this many tokens. */
function profileWith(tokens: number) {
  const [{ recipient, amount }] = dev.genesis.transactions;
  const share = BigInt(tokens) * 10n ** 8n;
  return {
    ...dev,
    name: "custom" as const,
    rollbackDepth: 5,
    genesis: {
      ...dev.genesis,
      averageBlockDelaySeconds: 60,
      initialBaseTarget: 500n,
      signature: undefined,
      transactions: [
        { recipient, amount: amount - share },
        { recipient: payerAddress, amount: share },
      ],
    },
  };
}

export class Machine {
  readonly clock = new VirtualClock(BEGIN + MINUTE);
  readonly log = new RecordingLog();
  readonly metrics = new MetricsRegistry();
  readonly store: Store = memoryStore({ rollbackDepth: 5 });
  readonly anchors = new FailingStore(memoryStore(), new SeededRandom(1));
  readonly profile;
  readonly #settings: readonly SettingsChanges[];
  #node: Node | undefined;

  constructor(settings: SettingsChanges | readonly SettingsChanges[], tokens = 1_000_000) {
    this.profile = profileWith(tokens);
    this.#settings = [
      {
        chain: { rollbackDepth: 5 },
        anchoring: { hashAccount: payerAddress },
        forging: { microBlockIntervalMs: 5_000 },
      },
      ...[settings].flat(),
    ];
  }

  get node(): Node {
    if (this.#node === undefined) throw new Error("The node is not running");
    return this.#node;
  }

  async start(changes: SettingsChanges = {}): Promise<void> {
    const environment = simulatedEnvironment({
      clock: this.clock,
      log: this.log,
      metrics: this.metrics,
      store: this.store,
      anchors: this.anchors,
      wallet: fixedWallet([rootKeyPair, payer], dev.chainId),
    });
    this.#node = await startNode(environment, settingsOf(this.profile, ...this.#settings, changes));
    await this.settle();
  }

  async stop(): Promise<void> {
    await this.node.stop();
    this.#node = undefined;
  }

  /** Waits until the node is idle. */
  async settle(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.node.sender?.whenIdle();
    }
  }

  async pass(minutes: number): Promise<void> {
    for (let i = 0; i < 4 * minutes; i++) {
      this.clock.advance(MINUTE / 4);
      await this.settle();
    }
  }

  /** @returns true if the hash was queued */
  async take(hash: Uint8Array): Promise<boolean> {
    const outcome = await this.node.control.anchoring.add(hash);
    return outcome.ok;
  }

  /** Reads the chain. */
  reader(): ChainReader {
    const { chain, trust, settings } = this.node;
    return chainReader(chain, readerContext(settings, chain.rules, trust));
  }

  read<T>(reading: (chain: ChainSnapshot) => T): T {
    return this.reader().read(reading);
  }

  /** Returns true if the chain proves a hash, directly or through a tree. */
  proves(hash: Uint8Array): boolean {
    return this.read((chain) => {
      if (chain.anchors.first(hash) !== undefined) return true;
      const tree = leafProofsOf(this.anchors)(hash);
      if (tree === undefined || chain.anchors.first(tree.root) === undefined) return false;
      return isPathValid({ hash, tree: { root: tree.root, path: tree.path } }, sha256);
    });
  }

  async waiting(): Promise<number> {
    return (await this.node.control.anchoring.info(0))?.waiting ?? 0;
  }

  async sent(): Promise<number> {
    return (await this.node.control.anchoring.info(0))?.sentCount ?? 0;
  }
}
