/**
 * Runs a whole forging node and clients that send requests over real connections: requests that the routes describe,
 * with valid and invalid values, and bytes that are hardly HTTP. The seed decides the requests; their timing depends on
 * the machine.
 */
import { setImmediate as turn } from "node:timers/promises";
import { encodeBase58 } from "../../../src/bytes/base58.ts";
import { JsonError, parseJson } from "../../../src/bytes/json.ts";
import { encodeUtf8 } from "../../../src/bytes/utf8.ts";
import { checkAnswer } from "../../../src/client/testing/check-answer.ts";
import { addressOf, addressText } from "../../../src/crypto/addresses.ts";
import { secureHash } from "../../../src/crypto/hashes.ts";
import type { Log } from "../../../src/interfaces.ts";
import { startApiInline } from "../../../src/node/testing/api-inline.ts";
import { type Node, startNode } from "../../../src/node.ts";
import { dev, type NetworkProfile } from "../../../src/profiles/index.ts";
import { memoryStore } from "../../../src/storage/memory-store.ts";
import { rootKeyPair } from "../../../src/testing/dev-node.ts";
import { elapse } from "../../../src/testing/elapse.ts";
import { RandomTransactions, spenders } from "../../../src/testing/random-transactions.ts";
import { SeededRandom } from "../../../src/testing/seeded-random.ts";
import { settingsOf } from "../../../src/testing/settings.ts";
import { silentLog } from "../../../src/testing/silent-log.ts";
import { simulatedEnvironment } from "../../../src/testing/simulated-environment.ts";
import { VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { type Transaction, transactionId } from "../../../src/transactions/index.ts";
import { fixedWallet } from "../../../src/wallet/fixed-wallet.ts";
import { rebuildFaults } from "../../simulation/rebuild.ts";
import { FuzzError, runGuarded } from "../fuzz-error.ts";
import { type Heard, Line, shout } from "./connection.ts";
import { bytesOf, inPieces, rawOf } from "./raw.ts";
import { type Known, type Sample, sampleOf } from "./samples.ts";

const API_KEY = "open";
const SUPPLY = 10_000_000n * 100_000_000n;
const BEGIN = Number(dev.genesis.blockTimestamp) + 60_000;
/** Number of concurrent clients. */
const CLIENTS = 6;
/** Percentage of inputs that are arbitrary bytes. */
const RAW = 25;
/** Inputs between two rollbacks to the start, so that only leaks can grow. */
const PHASE = 10_000;
/** Ids that requests refer to. */
const IDS = 40;
const REMEMBERED = 3 * CLIENTS;
/** Time for pending transactions to get into blocks, ms of the node's clock. */
const SETTLING_MS = 60_000;

/** In the units of a wallet. */
const wallet = [rootKeyPair, ...spenders.filter(({ keyType }) => keyType === "ed25519")];

/** The development network, with funds for the accounts of random transactions. */
const profile: NetworkProfile = {
  ...dev,
  genesis: {
    ...dev.genesis,
    signature: undefined,
    transactions: [rootKeyPair, ...spenders].map(({ publicKey }) => ({
      recipient: addressOf(publicKey, dev.chainId),
      amount: SUPPLY,
    })),
  },
};

export interface RequestFuzzOptions {
  readonly seed: number;
  readonly requests: number;
  /** Called at the end of each phase. */
  readonly tell?: (progress: RequestFuzzProgress) => void;
}

export interface RequestFuzzProgress {
  /** Inputs so far, and those that were not complete requests. */
  readonly requests: number;
  readonly raw: number;
  /** Answers by status. */
  readonly answers: ReadonlyMap<number, number>;
  /** Confirmed transactions, and blocks. */
  readonly included: number;
  readonly blocks: number;
}

/** @throws FuzzError */
export function fuzzRequests(options: RequestFuzzOptions): Promise<RequestFuzzProgress> {
  return runGuarded(new RequestFuzz(options));
}

class RequestFuzz implements Known {
  readonly addresses = [rootKeyPair, ...spenders].map(({ publicKey }) =>
    addressText(addressOf(publicKey, dev.chainId)),
  );
  readonly publicKeys = [rootKeyPair, ...spenders].map(({ publicKey }) => encodeBase58(publicKey));
  readonly ids: string[] = [];
  readonly #options: RequestFuzzOptions;
  readonly #random: SeededRandom;
  readonly #clock = new VirtualClock(BEGIN);
  readonly #transactions: RandomTransactions;
  readonly #answers = new Map<number, number>();
  readonly #last: string[] = [];
  readonly #lines: (Line | undefined)[] = Array.from({ length: CLIENTS }, () => undefined);
  readonly #faults: unknown[] = [];
  #node: Node | undefined;
  #requests = 0;
  #raw = 0;
  #included = 0;
  #blocks = 0;

  constructor(options: RequestFuzzOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#transactions = new RandomTransactions(this.#random, dev.chainId);
  }

  async run(): Promise<RequestFuzzProgress> {
    const { requests, seed, tell } = this.#options;
    try {
      await this.#start();
      while (this.#requests < requests) {
        await this.#together(Math.min(CLIENTS, requests - this.#requests));
        if (this.#requests % PHASE >= CLIENTS && this.#requests < requests) continue;
        await this.#look();
        tell?.(this.#progress());
      }
      for (const line of this.#lines) line?.close();
      await this.#meanwhile(this.node.stop());
      this.#throwFaults();
    } catch (error) {
      for (const line of this.#lines) line?.close();
      await this.#node?.stop();
      throw new FuzzError(seed, this.#requests, this.#last, error);
    }
    return this.#progress();
  }

  fault(error: unknown): void {
    this.#faults.push(error);
  }

  get node(): Node {
    if (this.#node === undefined) throw new Error("The node has not started");
    return this.#node;
  }

  get height(): number {
    return this.node.chain.tip.height;
  }

  transaction(): Transaction {
    const transaction = this.#transactions.next(this.#clock.now());
    this.#note(transactionId(transaction));
    return transaction;
  }

  async #start(): Promise<void> {
    const log: Log = {
      ...silentLog,
      // Requests of clients must not cause errors in the log.
      error: (message, facts) =>
        this.fault(
          `${message}: ${facts?.error instanceof Error ? facts.error.stack : JSON.stringify(facts)}`,
        ),
    };
    const environment = simulatedEnvironment({
      clock: this.#clock,
      wallet: fixedWallet(wallet, profile.chainId),
      store: memoryStore(),
      seed: this.#options.seed,
      log,
      http: startApiInline(),
    });
    const apiKeyHash = secureHash(encodeUtf8(API_KEY));
    this.#node = await startNode(environment, settingsOf(profile, { api: { port: 0, apiKeyHash } }));
    this.#note(this.node.chain.tip.id);
    this.node.chain.onChange(({ tip, committed }) => {
      this.#note(tip.id);
      for (const unit of committed) {
        if (unit.sequence === 0) this.#blocks++;
        this.#included += unit.transactions.length;
      }
    });
  }

  #note(id: Uint8Array): void {
    this.ids.push(encodeBase58(id));
    if (this.ids.length > IDS) this.ids.shift();
  }

  /** Several clients send requests concurrently while the node's time passes. */
  async #together(count: number): Promise<void> {
    const asked: Promise<void>[] = [];
    for (let i = 0; i < count; i++) {
      this.#requests++;
      asked.push(this.#random.chance(RAW) ? this.#shout() : this.#ask(i));
    }
    await this.#meanwhile(Promise.all(asked));
    this.#throwFaults();
  }

  async #meanwhile(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    // Awaited below; this avoids an unhandled rejection until then.
    done.catch(() => {});
    while (!isDone) {
      await elapse(this.#clock, 1);
      await turn();
    }
    await done;
  }

  #sample(): Sample {
    return sampleOf(this, API_KEY, this.#random);
  }

  #remember(kind: string, bytes: Uint8Array): void {
    const start = Buffer.from(bytes.subarray(0, 600)).toString("latin1");
    this.#last.push(`${this.#requests} ${kind} ${bytes.length} ${JSON.stringify(start)}`);
    if (this.#last.length > REMEMBERED) this.#last.shift();
  }

  async #ask(client: number): Promise<void> {
    const sample = this.#sample();
    const bytes = bytesOf(sample);
    this.#remember("request", bytes);
    let line = this.#lines[client];
    if (line?.isOpen !== true) {
      line = new Line(Number(new URL(String(this.node.url)).port));
      this.#lines[client] = line;
    }
    const { method, target } = sample;
    try {
      const heard = await line.ask(inPieces(bytes, this.#random), method === "HEAD");
      this.#judge(heard, sample.route.answers.failures?.[500] !== undefined);
      const { status, headers, body } = heard;
      const contentType = headers.get("content-type");
      if (!headers.has("content-encoding"))
        checkAnswer(method, target, { status, contentType, body: body.toString("utf8") });
    } catch (error) {
      throw new Error(
        `${method} ${target.slice(0, 300)}: ${error instanceof Error ? error.message : error}`,
        {
          cause: error,
        },
      );
    }
  }

  async #shout(): Promise<void> {
    this.#raw++;
    const bytes = rawOf(this.#sample(), () => this.#sample(), this.#random);
    this.#remember("bytes", bytes);
    const breaks = this.#random.chance(15);
    const port = Number(new URL(String(this.node.url)).port);
    // The request of such an answer is unknown. A failure of the node would be in its log.
    for (const heard of await shout(port, inPieces(bytes, this.#random), breaks)) this.#judge(heard, true);
  }

  /**
   * * @param fails whether the route documents status 500
   * * @throws Error if the answer is not a documented one
   */
  #judge({ status, headers, body }: Heard, fails: boolean): void {
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
    const type = headers.get("content-type");
    const text = body.toString("utf8");
    const isKnown = status === 500 ? fails : status === 503 ? headers.has("retry-after") : status === 501;
    if (status >= 500 && !isKnown) throw new Error(`${status} ${text.slice(0, 300)}`);
    if (body.length === 0) return;
    if (type === undefined) throw new Error(`${status} without a type: ${text.slice(0, 300)}`);
    if (!type.includes("json") || headers.has("content-encoding")) return;
    try {
      parseJson(text, { maxDepth: 1_000 });
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      throw new Error(`${status} with invalid JSON (${error.message}): ${text.slice(0, 300)}`);
    }
  }

  /** Checks the result: the state matches the blocks, the chain grows, and pending transactions get into blocks. */
  async #look(): Promise<void> {
    const { chain, pool, control } = this.node;
    const before = chain.tip.height;
    await this.#meanwhile(control.forging.setFeeVote("MAINTAIN"));
    await this.#meanwhile(elapse(this.#clock, SETTLING_MS));
    if (chain.tip.height <= before) throw new Error(`The chain does not grow above ${before}`);
    const faults = await rebuildFaults(this.node);
    if (faults.length > 0) throw new Error(`The state does not match the blocks: ${faults.join("; ")}`);
    if (pool.size > 0) throw new Error(`${pool.size} transactions stay in the pool`);
    await this.#meanwhile(control.chain.rollback(1, false));
    this.#throwFaults();
  }

  #throwFaults(): void {
    const [first] = this.#faults.splice(0);
    if (first !== undefined) throw first;
  }

  #progress(): RequestFuzzProgress {
    return {
      requests: this.#requests,
      raw: this.#raw,
      answers: this.#answers,
      included: this.#included,
      blocks: this.#blocks,
    };
  }
}
