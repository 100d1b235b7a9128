/**
 * Runs whole nodes in one process on one virtual clock: a network with faults, and the invariants that must always
 * hold. The seed decides everything: the same seed gives the same run and the same log, byte for byte.
 */
import { bytesEqual, bytesKey } from "../../src/bytes/compare.ts";
import type { KeyPair } from "../../src/crypto/signatures.ts";
import { dev, type NetworkProfile } from "../../src/profiles/index.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { type Direction, SimulatedNetwork } from "../../src/testing/simulated-network.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { habits } from "./byzantine/habits.ts";
import { Liar } from "./byzantine/liar.ts";
import { CHECK_INTERVAL_MS } from "./claim-watch.ts";
import { Machine } from "./machine.ts";
import { rebuildFaults } from "./rebuild.ts";
import { RunLog, shortId } from "./run-log.ts";
import { mixed, type Scenario } from "./scenarios.ts";
import { InvariantError, SimulatedNode } from "./simulated-node.ts";
import { addressOfNode, forgerOf, MAX_ROLLBACK, PORT, ROLLBACK_DEPTH, settingsOfNode } from "./table.ts";
import { Traffic } from "./traffic.ts";
import { shuffled, type Trouble, troubles } from "./trouble.ts";

const SECOND_MS = 1_000;
/** Phase in which the nodes find each other. */
const WARM_UP_MS = 30 * SECOND_MS;
/** Phase with faults; repeated until the scenario has enough blocks. */
const FAULTS_MS = 200 * SECOND_MS;
const MAX_PHASES = 100;
/** Maximum blocks by which the newest chain may be ahead of the common chain after recovery. */
const MAX_BLOCKS_APART = 4;
/**
 * Number of blocks during recovery from which on it counts as growth. Twelve are expected, but block times are random:
 * with dishonest forgers of much stake, one run in 2,000 has two. With fewer blocks, every node must wait for the time
 * of its next one.
 */
const USUAL_GROWTH = 3;
/** Timeout for stopping all nodes. */
const STOP_TIMEOUT_MS = 10 * SECOND_MS;
/** Maximum time before a commit is flushed. */
const MAX_FLUSH_DELAY_MS = 3 * SECOND_MS;

export interface RunOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly scenario?: Scenario | undefined;
  /** Called with each line of the log. */
  readonly write?: ((line: string) => void) | undefined;
}

/** Result of a run without violations. */
export interface RunResult {
  /** SHA-256 of its log. */
  readonly digest: string;
  /** Height of the chain at the end. */
  readonly height: number;
  /** How often a node replaced its own blocks with others, and the maximum number at once. */
  readonly switches: number;
  readonly deepest: number;
  readonly crashes: number;
}

/** Resolves when all pending promise callbacks have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Start time of every run, ms. */
const BEGIN = Number(dev.genesis.blockTimestamp) + 30 * SECOND_MS;
const traffic = new Traffic(BEGIN, dev.chainId);

/** @throws InvariantError */
export async function simulate(options: RunOptions): Promise<RunResult> {
  const simulation = new Simulation(options);
  const heard = (error: unknown): void =>
    simulation.violated(new InvariantError(`unhandled rejection: ${error}`));
  process.on("unhandledRejection", heard);
  try {
    return await simulation.run();
  } finally {
    process.off("unhandledRejection", heard);
  }
}

/** Adjacent seeds start with similar values, so the first ones are skipped. */
function randomOf(seed: number): SeededRandom {
  const random = new SeededRandom(Math.imul(seed, 0x9e3779b1));
  random.bytes(64);
  return random;
}

class Simulation {
  readonly #scenario: Scenario;
  readonly #clock: VirtualClock;
  readonly #random: SeededRandom;
  readonly #network: SimulatedNetwork;
  readonly #log: RunLog;
  readonly #profile: NetworkProfile;
  readonly #nodes: SimulatedNode[];
  readonly #liars: Liar[];
  readonly #latencies: number[][];
  readonly #slow = new Set<string>();
  /** Nodes that will crash in the middle of a change, with their downtime. */
  readonly #armed = new Map<SimulatedNode, number>();
  /** Nodes that have just switched to another branch. */
  readonly #switched = new Set<SimulatedNode>();
  readonly #away = new Set<SimulatedNode>();
  /** Ids of blocks whose forgers lack the stake for the declared score. */
  readonly #phantoms = new Set<string>();
  #violation: InvariantError | undefined;
  #isEnding = false;
  #switches = 0;
  #deepest = 0;
  #crashes = 0;

  constructor({ seed, nodes, scenario = mixed, write }: RunOptions) {
    this.#scenario = scenario;
    const random = randomOf(seed);
    const liars = random.below(scenario.maxLiars + 1);
    const forgers = Array.from({ length: nodes + liars }, (_, i) => forgerOf(seed, i));
    this.#profile = scenario.profileOf(forgers);
    const clock = new VirtualClock(BEGIN);
    this.#clock = clock;
    this.#random = random;
    this.#log = new RunLog(clock, write);
    this.#network = new SimulatedNetwork(clock, random, (from, to) => this.#directionBetween(from, to));
    this.#latencies = forgers.map(() => forgers.map(() => 5 + random.below(random.chance(20) ? 400 : 120)));
    this.#nodes = Array.from({ length: nodes }, (_, i) => {
      const traits = {
        address: addressOfNode(i),
        // Some links are slow.
        unitMs: random.chance(40) ? 10 + random.below(60) : 1,
        rollbackDepth: ROLLBACK_DEPTH,
      };
      const machine = new Machine(traits, clock, this.#network);
      if (random.chance(50)) machine.skewMs = random.below(401) - 200;
      const known = shuffled(random, nodes)
        .filter((other) => other !== i)
        .slice(0, 3);
      return new SimulatedNode({
        name: `node-${i}`,
        machine,
        keyPair: forgers[i],
        settings: settingsOfNode(i, this.#profile, known, scenario.quorumOf(nodes)),
        log: this.#log,
        seed: seed * 100 + i,
        isPhantom: (id) => this.#phantoms.has(bytesKey(id)),
        violated: (error) => this.violated(error),
        switched: (node, depth) => {
          this.#switched.add(node);
          this.#switches++;
          this.#deepest = Math.max(this.#deepest, depth);
        },
      });
    });
    this.#liars = forgers.slice(nodes).map((keyPair, i) => this.#liar(nodes + i, keyPair));
  }

  #liar(index: number, keyPair: KeyPair): Liar {
    const traits = { address: addressOfNode(index), unitMs: 0, rollbackDepth: ROLLBACK_DEPTH };
    return new Liar({
      name: `liar-${index}`,
      machine: new Machine(traits, this.#clock, this.#network),
      keyPair,
      chainId: this.#profile.chainId,
      random: this.#random,
      log: this.#log,
      habit: this.#random.pick(habits)(),
      victims: this.#nodes.map(({ address }) => ({ host: address, port: PORT })),
      transaction: () => traffic.at(this.#clock.now()),
      spy: () => this.#random.pick(this.#nodes).node,
      phantom: (id) => this.#phantoms.add(bytesKey(id)),
    });
  }

  /** Records an invariant violation. The first one ends the run. */
  violated(error: InvariantError): void {
    this.#violation ??= error;
  }

  async run(): Promise<RunResult> {
    for (const node of this.#nodes) {
      await node.start();
      this.#scheduleFlushes(node);
    }
    for (const liar of this.#liars) await liar.start();
    this.#scheduleTransactions();
    this.#scheduleChecks();
    const healed = await this.#runFaults();
    await this.#beginRecovery();
    const before = this.#maxHeight();
    await this.#runTo(healed + this.#scenario.recoveryMs);
    this.#checkRecovered(before);
    this.#isEnding = true;
    await this.#checkRebuilt();
    const height = this.#maxHeight();
    for (const liar of this.#liars) liar.stop();
    // Peers that received a score shortly before are served for a while.
    const stopped = Promise.all(this.#nodes.map((node) => node.stop()));
    await this.#runTo(healed + this.#scenario.recoveryMs + STOP_TIMEOUT_MS);
    await stopped;
    this.#log.write("world", `ends at ${height}`);
    return {
      digest: this.#log.digest(),
      height,
      switches: this.#switches,
      deepest: this.#deepest,
      crashes: this.#crashes,
    };
  }

  /** Runs phases with faults. @returns the end of the last one */
  async #runFaults(): Promise<number> {
    let end = WARM_UP_MS;
    for (let phase = 0; phase < MAX_PHASES; phase++) {
      for (const { at, trouble } of troubles(this.#random, this.#nodes.length, end, end + FAULTS_MS))
        this.#scheduleAt(at, () => this.#applyTrouble(trouble));
      end += FAULTS_MS;
      await this.#runTo(end);
      if (this.#maxHeight() >= this.#scenario.minHeight) return end;
    }
    throw new InvariantError(`only ${this.#maxHeight()} blocks after ${end / SECOND_MS} s`);
  }

  // ------------------------------------------------------------------------------------------------- time

  #scheduleAt(ms: number, task: () => void): void {
    this.#clock.after(BEGIN + ms - this.#clock.monotonic(), task);
  }

  /** Runs all events up to a time, each with its promise callbacks. */
  async #runTo(ms: number): Promise<void> {
    const end = BEGIN + ms;
    while (this.#clock.step(end)) {
      await settled();
      for (const [node, away] of this.#armed)
        if (node.node?.chain.isBusy === true) this.#crash(node, away, "in the middle of a change");
        else if (this.#switched.has(node)) this.#crash(node, away, "right after a switch");
      this.#switched.clear();
      this.#throwViolation();
    }
  }

  #throwViolation(): void {
    if (this.#violation === undefined) return;
    this.#log.write("world", `VIOLATED ${this.#violation.message}`);
    throw this.#violation;
  }

  // ---------------------------------------------------------------------------------------------- events of the run

  #directionBetween(from: string, to: string): Direction {
    const [a, b] = [from, to].map((address) => Number(address.split(".")[3]) - 1);
    const latencyMs = this.#latencies[a]?.[b] ?? 20;
    if (this.#slow.has(from) || this.#slow.has(to))
      return { latencyMs: latencyMs + 500, jitterMs: 1_000, bytesPerMs: 2, loss: 10 };
    return { latencyMs, jitterMs: Math.ceil(latencyMs / 4), bytesPerMs: 500, loss: 2 };
  }

  /** Sends transactions to random nodes, repeatedly. */
  #scheduleTransactions(): void {
    const { transactionIntervalMs } = this.#scenario;
    this.#clock.after(transactionIntervalMs / 2 + this.#random.below(transactionIntervalMs), () => {
      if (this.#isEnding) return;
      this.#random.pick(this.#nodes).broadcast(traffic.at(this.#clock.now()));
      this.#scheduleTransactions();
    });
  }

  /** Flushes the disk at random times, as an operating system does. */
  #scheduleFlushes(node: SimulatedNode): void {
    this.#clock.after(100 + this.#random.below(MAX_FLUSH_DELAY_MS), () => {
      if (this.#isEnding) return;
      node.options.machine.disk.flush();
      this.#scheduleFlushes(node);
    });
  }

  #applyTrouble(trouble: Trouble): void {
    const node = "node" in trouble ? this.#nodes[trouble.node] : undefined;
    this.#log.write("world", JSON.stringify(trouble));
    if (trouble.kind === "partition") {
      this.#network.partition(trouble.parts.map((part) => part.map(addressOfNode)));
      this.#clock.after(trouble.ms, () => this.#endPartition());
    } else if (trouble.kind === "reset") this.#network.reset(trouble.share);
    else if (node === undefined) return;
    else if (trouble.kind === "crash") this.#crash(node, trouble.ms, "anywhere");
    else if (trouble.kind === "freeze") node.freeze(trouble.ms);
    else if (trouble.kind === "crash in a switch") this.#armed.set(node, trouble.ms);
    else if (trouble.kind === "clock") node.options.machine.skewMs = trouble.skewMs;
    else {
      this.#slow.add(node.address);
      this.#clock.after(trouble.ms, () => this.#slow.delete(node.address));
    }
  }

  #crash(node: SimulatedNode, awayMs: number, where: string): void {
    this.#armed.delete(node);
    if (this.#away.has(node)) return;
    this.#away.add(node);
    this.#crashes++;
    this.#log.write("world", `${node.name} loses power ${where}`);
    node.crash(this.#random.below(node.options.machine.disk.unflushed + 1));
    this.#clock.after(awayMs, () => this.#restart(node));
  }

  #restart(node: SimulatedNode): void {
    if (!this.#away.delete(node)) return;
    node
      .start()
      .catch((error: unknown) => this.violated(new InvariantError(`${node.name} failed to start: ${error}`)));
  }

  #endPartition(): void {
    this.#log.write("world", "the partition ends");
    this.#network.heal();
  }

  async #beginRecovery(): Promise<void> {
    this.#log.write("world", "recovery begins");
    this.#endPartition();
    this.#slow.clear();
    this.#armed.clear();
    for (const node of [...this.#away]) this.#restart(node);
    for (const { options } of this.#nodes) options.machine.skewMs = 0;
    await settled();
  }

  // --------------------------------------------------------------------------------------- invariants

  #scheduleChecks(): void {
    this.#clock.after(CHECK_INTERVAL_MS, () => {
      if (this.#isEnding) return;
      this.#checkInvariants();
      this.#scheduleChecks();
    });
  }

  /** Checks the invariants that hold at any time. */
  #checkInvariants(): void {
    const running = this.#running();
    const honest = new Set(this.#nodes.map(({ address }) => address));
    const liars = this.#liars.map(({ options }) => options.machine.address);
    let bestScore = 0n;
    for (const { node } of running)
      if (node !== undefined && node.chain.tip.score > bestScore) bestScore = node.chain.tip.score;
    for (const node of running) {
      const reachable = liars.filter((liar) => this.#network.reaches(liar, node.address));
      node.checkClaims(new Set(reachable), bestScore);
      node.checkLosses();
      node.checkBans(honest);
      node.checkMemoryLimits();
    }
    const depth = Math.min(...running.map(heightOf)) - MAX_ROLLBACK;
    if (running.length > 0 && depth > 0 && !this.#agreeAt(depth))
      this.violated(
        new InvariantError(`nodes differ at height ${depth}, more than ${MAX_ROLLBACK} blocks below the tip`),
      );
  }

  #running(): SimulatedNode[] {
    return this.#nodes.filter(({ node }) => node !== undefined);
  }

  #maxHeight(): number {
    return Math.max(...this.#running().map(heightOf));
  }

  #agreeAt(height: number): boolean {
    const [first, ...others] = this.#running().map((node) => node.idAt(height));
    return first !== undefined && others.every((id) => id !== undefined && bytesEqual(id, first));
  }

  /** The height up to which all nodes have the same blocks. */
  #commonHeight(): number {
    let height = this.#maxHeight();
    while (height > 0 && !this.#agreeAt(height)) height--;
    return height;
  }

  /** @param before height of the tallest chain when recovery began */
  #checkRecovered(before: number): void {
    const tips = this.#running().map(({ name, node }) => {
      const tip = node?.chain.tip;
      return `${name} ${tip?.height}.${tip?.sequence} ${shortId(tip?.id ?? new Uint8Array(0))}`;
    });
    const common = this.#commonHeight();
    this.#log.write("world", `common ${common}, before ${before}: ${tips.join(", ")}`);
    if (common < this.#maxHeight() - MAX_BLOCKS_APART)
      this.violated(new InvariantError(`the nodes have only ${common} blocks in common: ${tips.join(", ")}`));
    const isWaiting = this.#running().every((node) => node.nextBlockAt() > this.#clock.now());
    if (common <= before || (common < before + USUAL_GROWTH && !isWaiting))
      this.violated(new InvariantError(`the chain did not grow: ${before} blocks before, ${common} now`));
    this.#throwViolation();
  }

  /** Checks one node, since all have the same chain except for its end. */
  async #checkRebuilt(): Promise<void> {
    const { name, node } = this.#random.pick(this.#running());
    if (node === undefined) return;
    const faults = await rebuildFaults(node);
    if (faults.length > 0)
      this.violated(
        new InvariantError(`state of ${name} does not match its blocks: ${faults.slice(0, 5).join("; ")}`),
      );
  }
}

function heightOf({ node }: SimulatedNode): number {
  return node?.chain.tip.height ?? 0;
}
