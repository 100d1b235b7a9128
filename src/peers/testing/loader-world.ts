/** A loader between scripted peers and a model chain. */

import { scanBlock } from "../../blocks/block.ts";
import { rangeOf } from "../../bytes/ip.ts";
import { dev } from "../../profiles/index.ts";
import { RecordingLog } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { Preverifier, type RequestVerifier } from "../../verification/ahead.ts";
import type { Peer } from "../connections/peer.ts";
import type { SyncOptions } from "../options.ts";
import { ScoreObserver } from "../scores/score-observer.ts";
import { BehindWatch } from "../sync/behind-watch.ts";
import { ExtensionLoader } from "../sync/extension-loader.ts";
import { InvalidBlocks } from "../sync/invalid-blocks.ts";
import { defaultSyncOptions } from "./branch.ts";
import { ModelChain, modelBlock, modelId, modelNumber } from "./model-chain.ts";
import { ScriptedNetwork, type ScriptedPeer } from "./scripted-network.ts";

/** Mean delay between blocks, ms. */
const BLOCK_DELAY_MS = 60_000;

export interface LoaderWorldOptions {
  /** Number of our blocks, which are numbered from 0. */
  readonly own?: number;
  readonly debounceMs?: number;
  /** Local time at the start, ms. Block n is dated n minutes. */
  readonly start?: number;
  readonly sync?: Partial<SyncOptions>;
}

export class LoaderWorld {
  readonly clock: VirtualClock;
  readonly log = new RecordingLog();
  readonly network = new ScriptedNetwork();
  readonly chain: ModelChain;
  readonly invalid: InvalidBlocks;
  readonly observer: ScoreObserver<Peer>;
  readonly loader: ExtensionLoader;
  readonly behind: BehindWatch;
  /** Numbers of blocks that were not requested. */
  readonly unclaimed: number[] = [];
  /** Numbers of blocks without a valid signature. */
  readonly unsigned = new Set<number>();
  /** Delays each signature check. */
  checking: Promise<void> = Promise.resolve();
  /** Numbers of the blocks whose signatures were checked, in order. */
  readonly checked: number[] = [];

  constructor({ own = 100, debounceMs = 0, start = 0, sync = {} }: LoaderWorldOptions = {}) {
    const clock = new VirtualClock(start);
    this.clock = clock;
    this.behind = new BehindWatch(clock, BLOCK_DELAY_MS);
    const { log, network } = this;
    const options = { ...defaultSyncOptions, ...sync };
    this.chain = new ModelChain(
      Array.from({ length: own }, (_, i) => modelId(i)),
      options.maxRollback,
    );
    this.invalid = new InvalidBlocks(clock, options.invalidBlocksMs);
    const observer = new ScoreObserver<Peer>({
      clock,
      random: new SeededRandom(1),
      debounceMs,
      localScore: this.chain.score,
      groupOf: ({ host }) => rangeOf(host),
      onEvent: () => this.loader.advance(),
      onScoreInEffect: () => this.loader.scoresChanged(),
    });
    this.observer = observer;
    this.chain.onScore = (score) => {
      observer.localChanged(score);
      this.loader.chainChanged(score);
    };
    this.loader = new ExtensionLoader({
      clock,
      log,
      options,
      extensions: this.chain,
      checks: new Preverifier(this.#checks, log),
      rules: dev,
      invalidBlocks: this.invalid,
      candidates: observer,
      behindWatch: this.behind,
      deepSearch: { start: () => {}, isSearching: () => false },
      assumedSearch: { ask: () => {}, receivedFrom: () => undefined },
      ownIds: (count) => this.chain.newestIds(count),
    });
    network.onClosed((peer) => {
      this.loader.forget(peer);
      observer.closed(peer);
    });
    network.on("Score", (peer, { score }) => observer.received(peer, score));
    network.on("Signatures", (peer, { ids }) => this.loader.receiveIds(peer, ids));
    network.on("Block", (peer, { bytes, scan }) => {
      if (!this.loader.takeRequestedBlock(peer, { bytes, scan }))
        this.unclaimed.push(modelNumber(scan.header.signature));
    });
  }

  readonly #checks: RequestVerifier = {
    verifyTransactions: () => Promise.reject(new Error("unexpected call")),
    verifyMessages: () => Promise.reject(new Error("unexpected call")),
    runScripts: () => Promise.reject(new Error("unexpected call")),
    verifySignatures: async (_, blocks) => {
      const numbers = blocks.map((bytes) => modelNumber(scanBlock(bytes).header.signature));
      this.checked.push(...numbers);
      await this.checking;
      return numbers.map((number) => !this.unsigned.has(number));
    },
  };

  get isBehind(): boolean {
    const own = { score: this.chain.score, timestamp: BigInt((this.chain.ids.length - 1) * BLOCK_DELAY_MS) };
    return this.behind.better(own, this.observer.syncWith !== undefined) !== undefined;
  }

  /** A peer sends a score, which counts at once. */
  async leads(peer: ScriptedPeer, score: number | bigint): Promise<void> {
    await peer.says({ type: "Score", score: BigInt(score) });
    this.clock.advance(0);
    await this.settle();
  }

  /** A peer answers with the ids of these numbers. */
  async lists(peer: ScriptedPeer, numbers: readonly number[]): Promise<void> {
    await peer.says({ type: "Signatures", ids: numbers.map(modelId) });
    await this.settle();
  }

  /** A peer sends a block. @param parent number of the referenced block: one less by default */
  async sends(peer: ScriptedPeer, number: number, parent = number - 1, padding = 0): Promise<void> {
    await peer.says({ type: "Block", bytes: modelBlock(modelId(number), modelId(parent), padding) });
    await this.settle();
  }

  /** Settles promises. */
  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await Promise.resolve();
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.settle();
  }
}

/** Returns what a peer was asked since the last call: `GetSignatures 99..90`, `GetBlock 100`. */
export function askedOf(peer: ScriptedPeer): string[] {
  return peer.take().map((message) => {
    if (message.type === "GetBlock") return `GetBlock ${modelNumber(message.id)}`;
    if (message.type !== "GetSignatures") return message.type;
    const numbers = message.ids.map(modelNumber);
    return `GetSignatures ${numbers[0]}..${numbers.at(-1)}`;
  });
}
