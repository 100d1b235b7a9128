/** Chain, pool and forging of the dev network on a virtual clock, without sockets and disk. */
import type { Block } from "../blocks/block.ts";
import type { MicroBlock } from "../blocks/micro-block.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import type { Chain } from "../chain/chain.ts";
import { accountSeed, keyPairFromAccountSeed } from "../crypto/seeds.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import { Forger } from "../forging/forger.ts";
import type { Log } from "../interfaces.ts";
import type { Mempool } from "../mempool/mempool.ts";
import { createNode } from "../node.ts";
import { dev } from "../profiles/index.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import { memoryStore } from "../storage/memory-store.ts";
import type { Store } from "../storage/store.ts";
import { fixedWallet } from "../wallet/fixed-wallet.ts";
import { type SettingsChanges, settingsOf } from "./settings.ts";
import { simulatedEnvironment } from "./simulated-environment.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** Returns the key pair of a seed text with nonce 0. */
export function keyPairOf(seedText: string): KeyPair {
  return keyPairFromAccountSeed(accountSeed(encodeUtf8(seedText), 0));
}

/** The account with the whole supply of the dev network. */
export const rootKeyPair = keyPairOf("root");

export class RecordingLog implements Log {
  readonly lines: { level: keyof Log; message: string; facts: Record<string, unknown> }[] = [];
  debug(message: string, facts: Record<string, unknown> = {}): void {
    this.lines.push({ level: "debug", message, facts });
  }
  info(message: string, facts: Record<string, unknown> = {}): void {
    this.lines.push({ level: "info", message, facts });
  }
  warn(message: string, facts: Record<string, unknown> = {}): void {
    this.lines.push({ level: "warn", message, facts });
  }
  error(message: string, facts: Record<string, unknown> = {}): void {
    this.lines.push({ level: "error", message, facts });
  }
}

export interface DevNodeOptions {
  readonly profile?: NetworkProfile | undefined;
  readonly store?: Store | undefined;
  readonly clock?: VirtualClock | undefined;
  /** Accounts that forge; the root account by default. */
  readonly accounts?: readonly KeyPair[] | undefined;
  /** Changes to the network's default settings. */
  readonly settings?: SettingsChanges | undefined;
  readonly connections?: (() => number) | undefined;
}

/** A node in a simulated environment, whose parts tests start themselves. The store outlives it, like a disk. */
export class DevNode {
  readonly profile: NetworkProfile;
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly log = new RecordingLog();
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly forger: Forger;
  readonly blocks: Block[] = [];
  readonly microBlocks: MicroBlock[] = [];

  constructor(options: DevNodeOptions = {}) {
    this.profile = options.profile ?? dev;
    this.store = options.store ?? memoryStore();
    this.clock = options.clock ?? new VirtualClock(Number(this.profile.genesis.blockTimestamp) + 60_000);
    const { clock, log, profile, store } = this;
    const wallet = fixedWallet(options.accounts ?? [rootKeyPair], profile.chainId);
    const settings = settingsOf(profile, options.settings ?? {});
    const node = createNode(simulatedEnvironment({ clock, log, store, wallet }), settings);
    node.follow();
    this.chain = node.chain;
    this.pool = node.pool;
    // The node's own forger has no peers to tell.
    this.forger = new Forger({
      chain: node.chain,
      pool: node.pool,
      accounts: wallet,
      clock,
      log,
      network: profile,
      options: settings.forging,
      connections: options.connections ?? (() => 0),
      isProvisional: () => false,
      forged: {
        block: (block) => this.blocks.push(block),
        microBlock: (micro) => this.microBlocks.push(micro),
      },
    });
    this.forger.feeVote = node.forger.feeVote;
  }
}
