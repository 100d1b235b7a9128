/** A whole node of the simulation, on a machine that may fail. */
import { bytesEqual } from "../../src/bytes/compare.ts";
import type { Chain, ChainChange } from "../../src/chain/chain.ts";
import { storedReorganisations } from "../../src/chain/reading/reorganisations.ts";
import type { Settings } from "../../src/config/settings.ts";
import type { KeyPair } from "../../src/crypto/signatures.ts";
import type { Reorganisation } from "../../src/interfaces.ts";
import { createNode, type Node } from "../../src/node.ts";
import { MAX_PENDING, MAX_TOTAL_PENDING } from "../../src/peers/connections/limits.ts";
import { tables } from "../../src/storage/tables.ts";
import { simulatedEnvironment } from "../../src/testing/simulated-environment.ts";
import { encodeTransaction, type Transaction } from "../../src/transactions/index.ts";
import { fixedWallet } from "../../src/wallet/fixed-wallet.ts";
import { ClaimWatch } from "./claim-watch.ts";
import type { Machine, MachineProcess } from "./machine.ts";
import { type RunLog, shortId } from "./run-log.ts";
import { TransactionWatch } from "./transaction-watch.ts";

/**
 * Allowed reasons for a ban between honest nodes: the network was cut during a handshake, or a slow download exceeded
 * its total time. Silence is not one of them.
 */
const EXCUSES = /^Timeout (expired while waiting for handshake$|loading one of requested blocks)/;

/** An invariant was violated. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

export interface SimulatedNodeOptions {
  readonly name: string;
  readonly machine: Machine;
  readonly keyPair: KeyPair;
  readonly settings: Settings;
  readonly log: RunLog;
  /** Seed of its randomness. */
  readonly seed: number;
  /** Called on each switch to another branch with the number of undone blocks. */
  readonly switched: (node: SimulatedNode, depth: number) => void;
  /** Returns true if a liar without the stake for its declared score forged the block with this id. */
  readonly isPhantom: (id: Uint8Array) => boolean;
  /** Called with violations. */
  readonly violated: (error: InvariantError) => void;
}

/** A running node. */
interface Running {
  readonly node: Node;
  readonly process: MachineProcess;
  readonly watch: TransactionWatch;
  readonly claims: ClaimWatch;
}

export class SimulatedNode {
  #running: Running | undefined;
  #starts = 0;

  constructor(readonly options: SimulatedNodeOptions) {}

  get name(): string {
    return this.options.name;
  }

  get address(): string {
    return this.options.machine.address;
  }

  /** The node, while it is running. */
  get node(): Node | undefined {
    return this.#running?.node;
  }

  /** Starts the node on the current disk. */
  async start(): Promise<void> {
    const { machine, keyPair, settings, log, seed } = this.options;
    const process = machine.start();
    const environment = simulatedEnvironment({
      clock: process,
      wallet: fixedWallet([keyPair], settings.profile.chainId),
      store: process.store,
      seed: seed + 1_000 * this.#starts++,
      log: log.loggerFor(this.name, (text) => {
        if (process.isAlive) this.#violate(`an error was logged: ${text}`);
      }),
      transport: process.transport,
    });
    const node = createNode(environment, settings);
    this.#watchForPhantoms(node.chain, process);
    const watch = new TransactionWatch(node, (text) => this.#violate(text));
    node.finished.catch((error: unknown) => {
      if (process.isAlive) this.#violate(`the node has ended: ${error}`);
    });
    const claims = new ClaimWatch(node, (text) => this.#violate(text));
    this.#running = { node, process, watch, claims };
    await node.start();
    let { score } = node.chain.tip;
    node.chain.onChange((change) => {
      this.#logChange(change, score);
      score = change.tip.score;
      watch.follow(change);
      this.#checkReorganisations(node.chain, change.reorganisation);
    });
    this.#checkReorganisations(node.chain);
    const { height, id } = node.chain.tip;
    log.write(this.name, `started at ${height} ${shortId(id)}`);
  }

  /** The store has each reorganisation, and none that did not happen, also after a crash. */
  #checkReorganisations(chain: Chain, added?: Reorganisation): void {
    const [newest] = chain.read(storedReorganisations);
    if (added !== undefined && (newest === undefined || !bytesEqual(newest.newTip, chain.tip.id)))
      this.#violate("the store lacks the last reorganisation");
    if (newest !== undefined && chain.heightOf(newest.oldTip) !== undefined)
      this.#violate(`block ${shortId(newest.oldTip)} was recorded as reverted, and is on the chain`);
  }

  /** Cuts the power. @param kept number of unflushed commits that nevertheless reached the disk */
  async crash(kept: number): Promise<void> {
    const { machine, log } = this.options;
    if (this.#running === undefined) return;
    this.#running.process.kill();
    this.#running = undefined;
    log.write(
      this.name,
      `crashed, ${kept} of ${machine.disk.unflushed} commits that were not flushed are kept`,
    );
    await machine.disk.fail(kept);
  }

  /** Suspends its process for a while. */
  freeze(ms: number): void {
    this.#running?.process.freeze(ms);
  }

  async stop(): Promise<void> {
    await this.#running?.node.stop();
    this.#running?.process.kill();
    this.#running = undefined;
  }

  /** A user sends a transaction to this node's API. */
  broadcast(transaction: Transaction): void {
    const running = this.#running;
    if (running === undefined) return;
    running.node.control.pool.broadcast(encodeTransaction(transaction)).then(
      (outcome) => {
        if (!running.process.isAlive) return;
        this.options.log.write(
          this.name,
          outcome.ok ? "took a transaction" : `refused a transaction: ${outcome.error.kind}`,
        );
      },
      (error: unknown) => {
        // Requests in progress fail when the node crashes.
        if (running.process.isAlive) this.#violate(`a broadcast failed: ${error}`);
      },
    );
  }

  idAt(height: number): Uint8Array | undefined {
    return this.node?.chain.read((reader) => reader.get(tables.headers, height)?.signature);
  }

  /** Returns the time at which this node will forge, ms; 0 if it has no plan to. */
  nextBlockAt(): number {
    return Math.max(0, ...(this.node?.forger.minerInfo() ?? []).map(({ timestamp }) => timestamp));
  }

  /** Checks that no transaction of the chain is lost. */
  checkLosses(): void {
    this.#running?.watch.check();
  }

  /** Checks that honest nodes do not ban each other for their messages. */
  checkBans(honest: ReadonlySet<string>): void {
    for (const { host, reason } of this.node?.peers?.database.blacklisted() ?? [])
      if (honest.has(host) && !EXCUSES.test(reason)) this.#violate(`banned ${host}: ${reason}`);
  }

  /**
   * Checks that unproven claims block nothing, and that their senders are disconnected.
   * @param liars IP addresses of the liars that the node can reach
   * @param bestScore the highest score of a chain of honest nodes
   */
  checkClaims(liars: ReadonlySet<string>, bestScore: bigint): void {
    if (this.#running?.process.isBusy === false) this.#running.claims.check(liars, bestScore);
  }

  /** Checks the limits of everything that grows with the behaviour of peers. */
  checkMemoryLimits(): void {
    const { node } = this;
    if (node?.peers === undefined) return;
    let all = 0;
    for (const { label, pendingBytes } of node.peers.network.peers) {
      all += pendingBytes;
      if (pendingBytes > MAX_PENDING) this.#violate(`${pendingBytes} bytes wait for ${label}`);
    }
    if (all > MAX_TOTAL_PENDING) this.#violate(`${all} bytes wait for others`);
    const { maxTransactions, maxBytes } = this.options.settings.pool;
    if (node.pool.size > maxTransactions || node.pool.byteSize > maxBytes)
      this.#violate(`the pool holds ${node.pool.size} transactions`);
  }

  /** Checks that no block is undone for a branch with a phantom in it. The chain tries one extension at a time. */
  #watchForPhantoms(chain: Chain, process: MachineProcess): void {
    const accept = chain.acceptExtension.bind(chain);
    let phantom: Uint8Array | undefined;
    chain.acceptExtension = async (...given) => {
      phantom = given[0].headers.find(({ signature }) => this.options.isPhantom(signature))?.signature;
      try {
        return await accept(...given);
      } finally {
        phantom = undefined;
      }
    };
    process.undoneInVain = (blocks) => {
      if (phantom !== undefined)
        this.#violate(`${blocks} blocks were undone for the phantom ${shortId(phantom)}`);
    };
  }

  /** @param before score of the chain before the change */
  #logChange({ tip, reverted, committed }: ChainChange, before: bigint): void {
    const { height, sequence, id, score } = tip;
    const depth = reverted.filter(({ sequence }) => sequence === 0).length;
    if (depth > 0) this.options.switched(this, depth);
    if (depth > 0 ? score <= before : score < before)
      this.#violate(`a chain of the score ${before} was given up for one of ${score}`);
    const undone = reverted.length > 0 ? ` reverted=${reverted.length}` : "";
    this.options.log.write(
      this.name,
      `tip ${height}.${sequence} ${shortId(id)} score=${score} committed=${committed.length}${undone}`,
    );
  }

  #violate(text: string): void {
    this.options.violated(new InvariantError(`${this.name}: ${text}`));
  }
}
