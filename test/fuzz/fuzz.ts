/**
 * Runs a whole node with honest peers, which it must always serve, and many strangers that send mutated messages. The
 * same seed gives the same run.
 */

import { setImmediate as turn } from "node:timers/promises";
import { bytesEqual } from "../../src/bytes/compare.ts";
import { encodeHex } from "../../src/bytes/hex.ts";
import { atOnce } from "../../src/chain/testing/at-once.ts";
import { addressOf } from "../../src/crypto/addresses.ts";
import type { Log } from "../../src/interfaces.ts";
import { createNode, type Node } from "../../src/node.ts";
import { peersOptions } from "../../src/peers/testing/peer-table.ts";
import type { MessageType } from "../../src/peers/wire/messages.ts";
import type { Reader } from "../../src/storage/kv.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import type { Store } from "../../src/storage/store.ts";
import { tables } from "../../src/storage/tables.ts";
import { journaledRows } from "../../src/storage/testing/dump.ts";
import { buildTransaction, typeOf } from "../../src/testing/build-transaction.ts";
import { keyPairOf } from "../../src/testing/dev-node.ts";
import { elapse } from "../../src/testing/elapse.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { settingsOf } from "../../src/testing/settings.ts";
import { silentLog } from "../../src/testing/silent-log.ts";
import { noHosts, simulatedEnvironment } from "../../src/testing/simulated-environment.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { transactionBytes, transactionId } from "../../src/transactions/index.ts";
import { fixedWallet } from "../../src/wallet/fixed-wallet.ts";
import type { Corpus } from "./corpus.ts";
import { FuzzError, runGuarded } from "./fuzz-error.ts";
import { HonestPeer } from "./honest-peer.ts";
import { LooseTransport } from "./loose-transport.ts";
import { type ServedChain, servedChains } from "./served-chain.ts";
import { type Crowd, Stranger } from "./stranger.ts";

/** Strangers that connect to the node, and strangers that the node dials. */
const STRANGERS = 24;
const DIALLED = 6;
const HONEST = 3;
/** Inputs between two full checks, and between two rollbacks. */
const CHECK = 250;
const PHASE = 10_000;
/** Maximum time between two inputs, ms. */
const MAX_INPUT_INTERVAL_MS = 8;
/**
 * Time for a chain to arrive once the strangers are gone, ms: each false claim that the node believed costs a timeout.
 */
const HEALING_MS = 120_000;
/** Interval between an honest node's requests for peers, ms. */
const PEERS_MS = 60_000;
const LTO = 100_000_000n;
/** Higher than any recorded chain. */
const ROLLBACK_DEPTH = 2_000;
const MAX_POOL = 1_000;
/** Age at which the pool drops transactions, since no node forges, ms. */
const POOL_AGE_MS = 600_000;
/** Number of recent inputs in a failure report. */
const REMEMBERED = 5;

export interface FuzzOptions {
  readonly corpus: Corpus;
  readonly seed: number;
  readonly inputs: number;
  /** Called after each batch of inputs and at the end. */
  readonly report?: { readonly every: number; readonly tell: (progress: FuzzProgress) => void };
}

export interface FuzzProgress {
  /** Inputs so far, by kind. */
  readonly inputs: number;
  readonly byKind: ReadonlyMap<MessageType | "Handshake", number>;
  readonly connections: number;
  /** Connections among these that the node closed. */
  readonly turnedAway: number;
  /** Blocks and micro blocks that the node accepted. */
  readonly taken: number;
  readonly rollbacks: number;
  /** Answers that honest peers received, and the slowest one by the virtual clock, ms. */
  readonly answers: number;
  readonly slowest: number;
}

/** @throws FuzzError */
export function fuzz(options: FuzzOptions): Promise<FuzzProgress> {
  return runGuarded(new FuzzRun(options));
}

/** Facts that follow from the chain. Arrival times of micro blocks are different on each node. */
function rowsOf(reader: Reader): string[] {
  return journaledRows(reader).filter((row) => !row.startsWith(`${tables.microBlocks.name} `));
}

class FuzzRun implements Crowd {
  readonly corpus: Corpus;
  readonly chains: readonly ServedChain[];
  readonly random: SeededRandom;
  readonly clock: VirtualClock;
  readonly #options: FuzzOptions;
  readonly #node: Node;
  readonly #store: Store;
  readonly #transport: LooseTransport;
  readonly #strangers: readonly Stranger[];
  readonly #dialled: readonly Stranger[];
  readonly #honest: HonestPeer[] = [];
  readonly #last: string[] = [];
  readonly #sender = keyPairOf("alice");
  readonly #byKind = new Map<MessageType | "Handshake", number>();
  #inputs = 0;
  #connections = 0;
  #turnedAway = 0;
  #taken = 0;
  #rollbacks = 0;
  #serial = 0;
  #askedForPeers = Number.NEGATIVE_INFINITY;
  #faults: unknown[] = [];

  constructor(options: FuzzOptions) {
    const { corpus, seed } = options;
    const { profile } = corpus;
    this.#options = options;
    this.corpus = corpus;
    this.chains = servedChains(corpus.pool);
    this.random = new SeededRandom(seed);
    this.clock = new VirtualClock(corpus.end + 60_000);
    this.#strangers = Array.from({ length: STRANGERS }, () => new Stranger(this));
    this.#dialled = Array.from({ length: DIALLED }, () => new Stranger(this));
    this.#transport = new LooseTransport(
      (host, port) => this.#answer(host, port),
      (error) => this.fault(error),
    );
    this.#store = memoryStore({ rollbackDepth: ROLLBACK_DEPTH });
    const log: Log = {
      ...silentLog,
      // Messages of peers must not cause errors in the log.
      error: (message, facts) => this.fault(facts?.error ?? message),
    };
    this.#node = createNode(
      simulatedEnvironment({
        clock: this.clock,
        wallet: fixedWallet([], profile.chainId),
        store: this.#store,
        seed,
        log,
        transport: this.#transport,
        hosts: { ...noHosts, own: () => ["198.51.100.1"] },
      }),
      settingsOf(profile, {
        forging: {
          enabled: false,
          intervalAfterLastBlockMs: undefined,
        },
        pool: {
          maxTransactions: MAX_POOL,
          maxAgeMs: POOL_AGE_MS,
        },
        peers: peersOptions({ maxInbound: STRANGERS + HONEST + 3, maxOutbound: DIALLED }),
      }),
    );
    this.#node.chain.onChange(() => {
      this.#taken++;
    });
  }

  async run(): Promise<FuzzProgress> {
    const { report, inputs } = this.#options;
    try {
      await this.#node.start();
      await this.#settle(0);
      for (let i = 0; i < HONEST; i++) await this.#welcome(i);
      while (this.#inputs < inputs) {
        if (!(await this.#disturb())) continue;
        if (this.#inputs % CHECK === 0) this.#check();
        if (this.#inputs % PHASE === 0 || this.#inputs === inputs) await this.#heal();
        if (report !== undefined && this.#inputs % report.every === 0) report.tell(this.#progress());
      }
      this.#compare();
      for (const stranger of this.#all()) stranger.hangUp();
      for (const peer of this.#honest) peer.end.hangUp();
      const stopped = this.#node.stop();
      await this.#settle(HEALING_MS);
      await stopped;
      this.#throwFaults();
    } catch (error) {
      throw new FuzzError(this.#options.seed, this.#inputs, this.#last, error);
    }
    return this.#progress();
  }

  // ------------------------------------------------------------------------------------------------ of the crowd

  connect(end: Parameters<Crowd["connect"]>[0]): void {
    this.#connections++;
    this.#transport.connect(end);
  }

  fault(error: unknown): void {
    this.#faults.push(error);
  }

  turnedAway(): void {
    this.#turnedAway++;
  }

  input(kind: MessageType | "Handshake", bytes: Uint8Array): void {
    this.#inputs++;
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + 1);
    const hex = encodeHex(bytes.subarray(0, 300));
    this.#last.push(`${this.#inputs} ${kind} ${bytes.length} ${hex}`);
    if (this.#last.length > REMEMBERED) this.#last.shift();
  }

  // ------------------------------------------------------------------------------------------------ what happens

  #all(): Stranger[] {
    return [...this.#strangers, ...this.#dialled];
  }

  /** The node dials an address. Not every dial is answered. */
  #answer(host: string, port: number): ReturnType<Stranger["answer"]> | undefined {
    const free = this.#dialled.find(({ isConnected }) => !isConnected);
    if (free === undefined || this.random.chance(50)) return undefined;
    this.#connections++;
    return free.answer(host, port);
  }

  async #welcome(i: number): Promise<void> {
    const { profile } = this.corpus;
    const peer = new HonestPeer({
      host: `203.0.${113 + i}.1`,
      applicationName: `lto${String.fromCharCode(profile.chainId)}`,
      chain: this.random.pick(this.chains),
      clock: this.clock,
      fault: (error) => this.fault(error),
    });
    this.#honest.push(peer);
    this.#transport.connect(peer.end);
    peer.introduce();
    await this.#settle(5);
  }

  /** Sends one input if the chosen stranger can send. */
  async #disturb(): Promise<boolean> {
    const connected = this.#dialled.filter(({ isConnected }) => isConnected);
    const stranger =
      connected.length > 0 && this.random.chance(10)
        ? this.random.pick(connected)
        : this.random.pick(this.#strangers);
    const isSent = stranger.step();
    await this.#settle(this.random.below(MAX_INPUT_INTERVAL_MS + 1));
    this.#throwFaults();
    return isSent;
  }

  async #settle(ms: number): Promise<void> {
    await elapse(this.clock, ms);
    await turn();
  }

  #throwFaults(): void {
    if (this.#faults.length === 0) return;
    const [first] = this.#faults;
    this.#faults = [];
    throw first;
  }

  /** Checks everything, and sends honest requests whose answers the next check expects. */
  #check(): void {
    for (const peer of this.#honest) peer.check();
    const { chain, pool, peers } = this.#node;
    const { tip } = chain;
    if (this.corpus.pool.get(tip.id) === undefined)
      throw new Error(`The chain ends with ${encodeHex(tip.id)}, which no peer forged`);
    if (peers === undefined) throw new Error("The node has no peers");
    const { database } = peers;
    const sizes = {
      banned: [database.blacklisted().length, 10_000],
      suspended: [database.suspended().length, 10_000],
      known: [database.knownPeers().length, 2_000],
      connected: [peers.count, STRANGERS + HONEST + 3 + DIALLED],
      pool: [pool.size, MAX_POOL],
      blocks: [peers.history.cacheSizes.blocks, 20],
      microBlocks: [peers.history.cacheSizes.microBlocks, 50],
    };
    for (const [what, [size, bound]] of Object.entries(sizes))
      if (size > bound) throw new Error(`${what}: ${size} exceeds ${bound}`);
    this.#ask();
  }

  #ask(): void {
    const { chain, pool } = this.#node;
    const peer = this.random.pick(this.#honest);
    peer.askIds(this.corpus.pool.genesis.signature);
    const height = 1 + this.random.below(chain.tip.height);
    const id = chain.read((reader) => reader.get(tables.headers, height)?.signature);
    if (id !== undefined) peer.askBlock(id, () => chain.heightOf(id) !== undefined);
    if (this.clock.monotonic() - this.#askedForPeers >= PEERS_MS) {
      this.#askedForPeers = this.clock.monotonic();
      for (const one of this.#honest) one.askPeers();
    }
    for (const one of this.#honest) one.tellScore();
    if (this.random.chance(70)) return;
    const sent = this.#transfer();
    const other = this.random.pick(this.#honest.filter((one) => one !== peer));
    other.awaitTransaction(transactionBytes(sent), () => pool.has(transactionId(sent)));
    peer.say({ type: "Transaction", bytes: transactionBytes(sent) });
  }

  /** Returns a new valid transaction. */
  #transfer() {
    const { chainId } = this.corpus.profile;
    return buildTransaction({
      type: typeOf("transfer"),
      sender: this.#sender,
      fee: LTO,
      timestamp: this.clock.now(),
      chainId,
      members: {
        recipient: addressOf(keyPairOf("bob").publicKey, chainId),
        amount: BigInt(++this.#serial),
        attachment: new Uint8Array(0),
      },
    });
  }

  /**
   * Disconnects the strangers and waits until the node has the best chain of honest peers. Then rolls the node back.
   */
  async #heal(): Promise<void> {
    const { chain, control } = this.#node;
    for (const stranger of this.#all()) stranger.hangUp();
    const wanted = Math.max(...this.#honest.map((peer) => Number(peer.chain.score)));
    const scoreNow = (): number => Number(this.corpus.pool.get(chain.tip.id)?.score ?? 0n);
    for (const end = this.clock.monotonic() + HEALING_MS; scoreNow() < wanted; ) {
      for (const peer of this.#honest) peer.tellScore();
      await this.#settle(1_000);
      this.#throwFaults();
      if (this.clock.monotonic() > end)
        throw new Error(
          `The chain did not come to the score ${wanted}: it is at ${scoreNow()}, height ${chain.tip.height}`,
        );
    }
    this.#check();
    if (this.#inputs >= this.#options.inputs) return;
    this.#rollbacks++;
    const outcome = control.chain.rollback(1 + this.random.below(chain.tip.height), true);
    const target = this.random.pick(this.chains);
    for (const peer of this.#honest) peer.chain = target;
    await this.#settle(100);
    await outcome;
    for (const peer of this.#honest) peer.tellScore();
  }

  /** Checks that the state is the same as without strangers. */
  #compare(): void {
    const { profile, pool } = this.corpus;
    // Whether the last block may still grow depends on how it arrived.
    this.#node.chain.persistTip();
    const store = memoryStore({ rollbackDepth: ROLLBACK_DEPTH });
    const { clock } = this;
    const { chain } = createNode(
      simulatedEnvironment({ clock, wallet: fixedWallet([], profile.chainId), store }),
      settingsOf(profile),
    );
    for (const unit of pool.pathTo(this.#node.chain.tip.id)) {
      const result =
        unit.kind === "block" ? chain.process(unit.block) : atOnce(chain.acceptMicroBlock(unit.micro));
      if (!result.ok) throw new Error(`The recorded chain is rejected: ${result.error.printed}`);
    }
    chain.persistTip();
    if (!bytesEqual(chain.tip.id, this.#node.chain.tip.id)) throw new Error("The chains end differently");
    const [ours, theirs] = [this.#node.chain, chain].map((one) => one.read(rowsOf));
    const at = ours.findIndex((row, i) => row !== theirs[i]);
    if (at >= 0 || ours.length !== theirs.length)
      throw new Error(`The state differs from that of the chain alone: ${ours[at]}, ${theirs[at]}`);
  }

  #progress(): FuzzProgress {
    return {
      inputs: this.#inputs,
      byKind: this.#byKind,
      connections: this.#connections,
      turnedAway: this.#turnedAway,
      taken: this.#taken,
      rollbacks: this.#rollbacks,
      answers: this.#honest.reduce((sum, { answers }) => sum + answers, 0),
      slowest: Math.max(...this.#honest.map(({ slowest }) => slowest)),
    };
  }
}
