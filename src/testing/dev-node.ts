/** A node's heart without sockets and disk: chain, pool and forging of the dev network on a virtual clock. */
import type { Block } from "../blocks/block.ts";
import type { MicroBlock } from "../blocks/micro-block.ts";
import { encodeUtf8 } from "../bytes/utf8.ts";
import { Chain } from "../chain/chain.ts";
import { addressOf } from "../crypto/addresses.ts";
import { accountSeed, keyPairFromAccountSeed } from "../crypto/seeds.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import { Forger } from "../forging/forger.ts";
import type { ForgingOptions } from "../forging/settings.ts";
import type { ChainIndex } from "../indexes/chain-index.ts";
import type { Log } from "../interfaces.ts";
import { Mempool } from "../mempool/mempool.ts";
import { dev } from "../profiles/index.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import { memoryStore } from "../storage/memory-store.ts";
import type { Store } from "../storage/store.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** The key pair of a seed text, nonce 0. */
export function keyPairOf(seedText: string): KeyPair {
  return keyPairFromAccountSeed(accountSeed(encodeUtf8(seedText), 0));
}

/** The account that holds the whole supply of the dev network. */
export const rootKeyPair = keyPairOf("root");

/** Messages that were logged, with their facts. */
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
  readonly indexes?: readonly ChainIndex[] | undefined;
  /** Accounts that forge; the root account by default. */
  readonly accounts?: readonly KeyPair[] | undefined;
  readonly forging?: Partial<ForgingOptions> | undefined;
  readonly connections?: (() => number) | undefined;
}

/** One node. Several may share a clock; a store outlives the node, as a disk does. */
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
    const { clock, log, profile } = this;
    this.chain = Chain.open({
      store: this.store,
      profile,
      indexes: options.indexes ?? [],
      clock,
      log,
      options: {
        maxTransactionsInMicroBlock: profile.forging.maxTransactionsInMicroBlock,
        stopOnUnsupportedFeature: true,
      },
    });
    this.pool = new Mempool(this.chain, clock, {
      maxTransactions: 100_000,
      maxBytes: 128 * 2 ** 20,
      maxAgeMs: 5_400_000,
      blacklist: [],
      allowTransfersTo: [],
    });
    this.chain.attachPool(this.pool);
    const keyPairs = options.accounts ?? [rootKeyPair];
    const accounts = keyPairs.map((keyPair) => ({
      keyPair,
      account: {
        keyType: keyPair.keyType,
        publicKey: keyPair.publicKey,
        address: addressOf(keyPair.publicKey, profile.chainId),
      },
    }));
    this.forger = new Forger({
      chain: this.chain,
      pool: this.pool,
      clock,
      log,
      accounts: {
        accounts: () => accounts.map(({ account }) => account),
        keyPair: (address) => {
          const found = accounts.find(({ account }) => Buffer.compare(account.address, address) === 0);
          if (found === undefined) throw new RangeError("not an account of this node");
          return found.keyPair;
        },
      },
      connections: options.connections ?? (() => 0),
      forged: {
        block: (block) => this.blocks.push(block),
        microBlock: (micro) => this.microBlocks.push(micro),
      },
      options: {
        enabled: true,
        quorum: 0,
        microBlockIntervalMs: profile.forging.microBlockIntervalMs,
        minMicroBlockAgeMs: profile.forging.minMicroBlockAgeMs,
        intervalAfterLastBlockMs: profile.forging.intervalAfterLastBlockMs,
        minimalBlockGenerationOffsetMs: 0,
        maxTransactionsInMicroBlock: profile.forging.maxTransactionsInMicroBlock,
        features: [],
        ...options.forging,
      },
    });
  }
}
