/** A whole node in this process, on a virtual clock: tests make blocks and forks, and stop and restart it. */
import { decodeBase58, encodeBase58 } from "../../../src/bytes/base58.ts";
import { encodeUtf8 } from "../../../src/bytes/utf8.ts";
import { addressOf, addressText } from "../../../src/crypto/addresses.ts";
import { secureHash } from "../../../src/crypto/hashes.ts";
import { startApiInline } from "../../../src/node/testing/api-inline.ts";
import { type Node, startNode } from "../../../src/node.ts";
import { dev, type NetworkProfile } from "../../../src/profiles/index.ts";
import { findTransaction } from "../../../src/storage/ledger/recorded-transactions.ts";
import { memoryStore } from "../../../src/storage/memory-store.ts";
import { tables } from "../../../src/storage/tables.ts";
import { type SettingsChanges, settingsOf } from "../../../src/testing/settings.ts";
import { simulatedEnvironment } from "../../../src/testing/simulated-environment.ts";
import { VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { fixedWallet } from "../../../src/wallet/fixed-wallet.ts";
import { carol, everybody, forgers, root, trustNetwork } from "./accounts.ts";
import { LTO, Teller } from "./teller.ts";

export const API_KEY = "open sesame";
/** Start of the node: 2026-03-01. */
export const START = Date.UTC(2026, 2, 1, 12);

const SHARES = [600_000n, 250_000n, 150_000n];

/** The development network, with tokens for all accounts. */
export function explorerProfile(chainId = dev.chainId): NetworkProfile {
  const holders = [
    ...forgers.map(({ publicKey }, i) => ({ publicKey, tokens: SHARES[i] })),
    ...everybody.map(({ publicKey }) => ({ publicKey, tokens: 5_000n })),
  ];
  return {
    ...dev,
    chainId,
    name: chainId === dev.chainId ? "dev" : "custom",
    accountNames: { [addressText(addressOf(carol.publicKey, chainId))]: "Carol Ltd." },
    genesis: {
      ...dev.genesis,
      signature: undefined,
      initialBalance: holders.reduce((sum, { tokens }) => sum + tokens * LTO, 0n),
      transactions: holders.map(({ publicKey, tokens }) => ({
        recipient: addressOf(publicKey, chainId),
        amount: tokens * LTO,
      })),
    },
  };
}

/** Ids of the blocks of a fork, Base58, oldest first. */
export interface Fork {
  /** Height of the last common block. */
  readonly common: number;
  readonly reverted: readonly string[];
  readonly replacedBy: readonly string[];
}

export class ExplorerNode {
  readonly clock = new VirtualClock(START);
  readonly teller: Teller;
  readonly #profile: NetworkProfile;
  readonly #store = memoryStore({ rollbackDepth: 1_000 });
  readonly #settings: SettingsChanges;
  #node: Node | undefined;
  #port = 0;

  constructor(settings: SettingsChanges = {}, chainId = dev.chainId) {
    this.#profile = explorerProfile(chainId);
    this.#settings = settings;
    this.teller = new Teller(() => this.node, this.clock, chainId);
  }

  get node(): Node {
    if (this.#node === undefined) throw new Error("The node is down");
    return this.#node;
  }

  /** `http://127.0.0.1:<port>` with the prefix, if any. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.#settings.api?.prefix ?? ""}`;
  }

  /** URL of the explorer, with a trailing slash. */
  get explorer(): string {
    return `${this.url}/explorer/`;
  }

  /** Starts the node, on the former port after a stop. */
  async start(): Promise<void> {
    const { chainId } = this.#profile;
    const environment = simulatedEnvironment({
      clock: this.clock,
      store: this.#store,
      wallet: fixedWallet(forgers, chainId),
      http: startApiInline(),
    });
    const settings = settingsOf(
      this.#profile,
      {
        api: {
          host: "127.0.0.1",
          port: this.#port,
          apiKeyHash: secureHash(encodeUtf8(API_KEY)),
          // The tests together send more requests than a user.
          rateLimit: 0,
        },
        index: {
          trustNetwork,
        },
        anchoring: {
          hashAccount: addressOf(root.publicKey, chainId),
        },
      },
      this.#settings,
    );
    this.#node = await startNode(environment, settings);
    this.#port = Number(new URL(this.#node.url ?? "").port);
  }

  /** Stops the node and closes its connections. */
  async stop(): Promise<void> {
    await this.#node?.stop();
    this.#node = undefined;
  }

  /** Id of a block, Base58. */
  idAt(height: number): string {
    const header = this.node.chain.read((reader) => reader.get(tables.headers, height));
    if (header === undefined) throw new Error(`There is no block ${height}`);
    return encodeBase58(header.signature);
  }

  /** Height of the block with a transaction of the story. */
  heightOf(name: string): number {
    const id = this.teller.ids.get(name);
    const height =
      id === undefined
        ? undefined
        : this.node.chain.read((reader) => findTransaction(reader, decodeBase58(id, 44)))?.height;
    if (height === undefined) throw new Error(`${name} is in no block`);
    return height;
  }

  /** Replaces the newest `depth` blocks by one more; their transactions return to the pool. */
  async fork(depth: number): Promise<Fork> {
    const { height } = this.teller;
    const common = height - depth;
    const ids = (to: number) => Array.from({ length: to - common }, (_, i) => this.idAt(common + 1 + i));
    const reverted = ids(height);
    const outcome = await this.node.control.chain.rollback(common, true);
    if (!outcome.ok) throw new Error(`The rollback was refused: ${outcome.error.kind}`);
    this.teller.blocks(depth + 1);
    return { common, reverted, replacedBy: ids(this.teller.height) };
  }
}
