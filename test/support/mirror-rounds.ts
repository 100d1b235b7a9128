/**
 * Rounds of faults for a node, its mirror, a primary and a replica of PostgreSQL, and their gateways. After each round
 * the tables and the gateways must have the node's chain.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { TcpProxy } from "../../src/testing/tcp-proxy.ts";
import {
  answerOf,
  type GatewaySources,
  isReady,
  MirroredNetwork,
  type NetworkSums,
} from "./mirrored-network.ts";
import { heightOf, until } from "./node-process.ts";
import { troubles } from "./server-troubles.ts";

const MAX_DELAY_MS = 2_500;
const ROLLBACK_PERCENTAGE = 30;
const REPLICA_KILL_PERCENTAGE = 25;
/** Percentage of rounds in which connections deliver small pieces. */
const SLOW_PERCENTAGE = 20;
const MIN_PIECE_BYTES = 50;
const MAX_MORE_PIECE_BYTES = 300;
/** Rounds of kills after which everything stops and is compared, and a new chain begins. */
const ROUNDS_OF_A_CHAIN = 25;
/** Percentage of failovers that lose commits. */
const LOSS_PERCENTAGE = 75;
/** Every so many failovers, the replica is paused before. */
const FAILOVERS_PER_PAUSE = 4;
/** How much longer than the deadline of a statement, 5 s, a connection may stay stalled. */
const MAX_MORE_STALL_MS = 2_000;

export interface RoundOptions {
  readonly folder: string;
  /** Data directory of a stopped node with the first part of the chain. */
  readonly template: string;
  readonly times: number;
  readonly random: SeededRandom;
  isOver(): boolean;
  readonly report: (rounds: number) => void;
}

export interface RoundReport extends NetworkSums {
  rounds: number;
  /** Number of rounds by what happened in them. */
  readonly cases: Record<string, number>;
}

/** Runs a round on a network, and counts its cases. */
type Round = (network: MirroredNetwork, round: number, count: (name: string) => void) => Promise<void>;

/** @throws Error that says what differs, and after which round */
async function runRounds(
  options: RoundOptions,
  gateways: readonly GatewaySources[],
  roundsOfAChain: number,
  run: Round,
): Promise<RoundReport> {
  const { folder, template, times, random, isOver, report } = options;
  const sums: RoundReport = {
    rounds: 0,
    cases: {},
    rollbacks: 0,
    blocks: 0,
    accepted: 0,
    events: 0,
    reverted: 0,
  };
  const count = (name: string): void => {
    sums.cases[name] = (sums.cases[name] ?? 0) + 1;
  };
  while (sums.rounds < times && !isOver()) {
    const network = await MirroredNetwork.start(
      join(folder, `chain-${sums.rounds}`),
      random,
      template,
      gateways,
    );
    try {
      for (let i = 0; i < roundsOfAChain && sums.rounds < times && !isOver(); i++) {
        await run(network, sums.rounds, count);
        report(++sums.rounds);
      }
      await network.finish(sums);
    } catch (error) {
      throw new Error(
        `round ${sums.rounds + 1}: ${error instanceof Error ? error.message : error}\n${network.output()}`,
        { cause: error },
      );
    } finally {
      await network.close();
    }
  }
  return sums;
}

/**
 * Kills mirror, primary, node and a gateway, each at its own time, while the mirror fills the database or is live, and
 * while the gateway fills its store or is at the tip. `mirror verify` then compares all tables, which equal freshly
 * filled ones if there is no difference, and `gateway verify` the gateway's units.
 */
export function killRounds(options: RoundOptions): Promise<RoundReport> {
  return runRounds(options, [[0], [1]], ROUNDS_OF_A_CHAIN, async (network, round, count) => {
    const { random } = network;
    const gateway = network.gateways[round % 2];
    const isMirrorFilling = round % 4 < 2;
    const isGatewayFilling = round % 8 < 4;
    await network.fed(async () => {
      if (isMirrorFilling) await network.emptyDatabase();
      if (isGatewayFilling) await network.beginGatewayFill(gateway);
      count(`mirror ${isMirrorFilling ? "filling" : "live"}`);
      count(`gateway ${isGatewayFilling ? "filling" : "live"}`);
      if (random.chance(ROLLBACK_PERCENTAGE)) await network.rollBack();
      const isSlow = random.chance(SLOW_PERCENTAGE);
      const pieceBytes = MIN_PIECE_BYTES + random.below(MAX_MORE_PIECE_BYTES);
      for (const proxy of network.proxies()) proxy.pieceBytes = isSlow ? pieceBytes : undefined;
      const after = (work: () => Promise<void>): Promise<void> =>
        delay(random.below(MAX_DELAY_MS)).then(work);
      const restarting = async (server: number): Promise<void> => {
        await network.servers[server].kill("SIGKILL");
        await network.servers[server].resume();
      };
      await Promise.all([
        after(async () => {
          await network.killMirror();
          network.startMirror();
        }),
        after(() => restarting(network.primary)),
        after(async () => {
          await network.killNode();
          await network.startNode();
        }),
        after(async () => {
          await network.killGateway(gateway);
          await network.startGateway(gateway);
        }),
        random.chance(REPLICA_KILL_PERCENTAGE) ? after(() => restarting(1 - network.primary)) : undefined,
      ]);
    });
    await network.converge();
    const [outcome] = await Promise.all([network.verifyTables(), network.verifyGateway(gateway)]);
    count(`tables ${outcome}`);
  });
}

/**
 * Promotes the replica when the primary is killed. Most times the replica lacks commits of the primary: its cursor and
 * its rows must then be those of an older commit. The former primary becomes the new replica.
 */
export function failoverRounds(options: RoundOptions): Promise<RoundReport> {
  const gateways = [[0], [1], [0, 1]];
  return runRounds(options, gateways, options.times, async (network, round, count) => {
    const { random, primary, servers, mirrorProxies, replication } = network;
    const replica = 1 - primary;
    await network.fed(async () => {
      if (round % FAILOVERS_PER_PAUSE === 0) {
        await pauseReplica(network);
        count("paused replicas");
      }
      const isLossy = random.chance(LOSS_PERCENTAGE);
      // The mirror reaches the new primary only after the check of what it has.
      const isChecked = random.chance(50);
      replication.isStalled = isLossy;
      if (random.chance(ROLLBACK_PERCENTAGE)) await network.rollBack();
      if (isLossy) await until("the replica to lack commits", async () => isBehind(network));
      else await delay(random.below(MAX_DELAY_MS));
      if (isChecked) mirrorProxies[replica].isStalled = true;
      await servers[primary].kill("SIGKILL");
      replication.cut();
      replication.isStalled = false;
      await network.withSql(replica, (sql) => sql.query("select pg_promote()", [], { deadlineMs: 60_000 }));
      network.primary = replica;
      if (isLossy) count("failovers with lost commits");
      if (isChecked) {
        count(`tables before the mirror wrote again: ${await network.verifyTables()}`);
        mirrorProxies[replica].cut();
        mirrorProxies[replica].isStalled = false;
      }
      replication.target = servers[replica].port;
      await servers[primary].becomeReplica(replication.port);
    });
    await network.converge();
    count(`tables ${await network.verifyTables()}`);
  });
}

/** True if the primary has a newer unit than the replica. */
async function isBehind(network: MirroredNetwork): Promise<true | undefined> {
  const [ours, theirs] = await Promise.all([
    network.position(network.primary),
    network.position(1 - network.primary),
  ]);
  if (ours === undefined || theirs === undefined) return undefined;
  return ours.height !== theirs.height || ours.sequence !== theirs.sequence || undefined;
}

/** The gateways of a paused replica answer, but are not ready until it continues. */
async function pauseReplica(network: MirroredNetwork): Promise<void> {
  const replica = 1 - network.primary;
  const readers = network.gateways.filter(({ sources }) => sources.length === 1 && sources[0] === replica);
  await network.withSql(replica, (sql) => sql.query("select pg_wal_replay_pause()"));
  for (const { process } of readers) {
    if (process === undefined) throw new Error("a gateway does not run");
    await until("a gateway of a paused replica not to be ready", async () => {
      const answer = await answerOf(process, "/health/ready");
      return (answer?.status === 503 && answer.text.includes("is a paused replica")) || undefined;
    });
    const { status } = await process.get("/blocks/height");
    if (status !== 200)
      throw new Error(`a gateway of a paused replica answered a read with status ${status}`);
  }
  await network.withSql(replica, (sql) => sql.query("select pg_wal_replay_resume()"));
  for (const { process } of readers)
    if (process !== undefined)
      await until("a gateway to be ready again", async () => (await isReady(process)) || undefined);
}

const disturbances = ["stalled", "cut", "slow"] as const;

/**
 * Stalls, cuts and slows the connections of the mirror and of each gateway in turn. Stalled ones must be given up after
 * the deadline of a statement, and gateways must answer meanwhile.
 */
export function connectionRounds(options: RoundOptions): Promise<RoundReport> {
  return runRounds(options, [[0], [1]], options.times, async (network, round, count) => {
    const { random } = network;
    const kind = disturbances[round % disturbances.length];
    const which = Math.floor(round / disturbances.length) % (1 + network.gateways.length);
    const gateway = which === 0 ? undefined : network.gateways[which - 1];
    const proxies = gateway?.proxies ?? network.mirrorProxies;
    const output = (): string => gateway?.process?.output() ?? network.mirrorOutput;
    count(`${kind} connections of ${gateway === undefined ? "the mirror" : `gateway ${which - 1}`}`);
    await network.fed(async () => {
      await delay(random.below(MAX_DELAY_MS));
      if (random.chance(ROLLBACK_PERCENTAGE)) await network.rollBack();
      await disturb(proxies, kind, random, output);
      const node = gateway?.process;
      if (node === undefined) return;
      const { status } = await node.get("/blocks/height");
      if (status !== 200)
        throw new Error(`a gateway with ${kind} connections answered with status ${status}`);
      if (kind !== "stalled") return;
      await until("a gateway with stalled connections not to be ready", async () => {
        return (await answerOf(node, "/health/ready"))?.status === 503 || undefined;
      });
    });
    for (const proxy of proxies) restore(proxy);
    await network.converge();
    count(`tables ${await network.verifyTables()}`);
  });
}

async function disturb(
  proxies: readonly TcpProxy[],
  kind: (typeof disturbances)[number],
  random: SeededRandom,
  output: () => string,
): Promise<void> {
  const before = output().length;
  switch (kind) {
    case "stalled":
      for (const proxy of proxies) proxy.isStalled = true;
      await until("the deadline of a statement", async () => {
        return /no answer within 5000 ms/.test(output().slice(before)) || undefined;
      });
      await delay(random.below(MAX_MORE_STALL_MS));
      break;
    case "cut":
      for (let cuts = 0; cuts < 5; cuts++) {
        for (const proxy of proxies) {
          proxy.cutAfter = 1 + random.below(5_000);
          proxy.cut();
        }
        await delay(random.below(500));
      }
      break;
    case "slow":
      for (const proxy of proxies) {
        proxy.pieceBytes = 50 + random.below(200);
        proxy.pieceDelayMs = 5 + random.below(20);
      }
      await delay(MAX_DELAY_MS);
      break;
  }
}

function restore(proxy: TcpProxy): void {
  proxy.isStalled = false;
  proxy.cutAfter = undefined;
  proxy.pieceBytes = undefined;
  proxy.pieceDelayMs = 0;
}

/**
 * Lets the primary refuse the mirror while it goes on running. The node must forge, the mirror wait and say why, and the
 * gateways answer. Afterwards all must continue without help.
 */
export function troubleRounds(options: RoundOptions): Promise<RoundReport> {
  return runRounds(options, [[0], [1]], options.times, async (network, round, count) => {
    const { name, reason, begin } = troubles[round % troubles.length];
    count(`servers that were ${name}`);
    await network.fed(async () => {
      const before = network.mirrorOutput.length;
      const end = await begin(network.servers[network.primary]);
      try {
        await until(`the mirror to say that the server is ${name}`, async () => {
          return reason.test(network.mirrorOutput.slice(before)) || undefined;
        });
        await until("the mirror not to be ready", async () => {
          const { status, text } = await network.mirrorReadiness();
          return (status === 503 && reason.test(text)) || undefined;
        });
        const height = await heightOf(network.node);
        await until("the node to forge", async () => (await heightOf(network.node)) > height || undefined);
        for (const { process } of network.gateways) {
          if (process === undefined) throw new Error("a gateway does not run");
          await until("a gateway not to be ready", async () => {
            return (await answerOf(process, "/health/ready"))?.status === 503 || undefined;
          });
          const { status } = await process.get("/blocks/height");
          if (status !== 200) throw new Error(`a gateway answered a read with status ${status}`);
        }
      } finally {
        await end();
      }
    });
    await network.converge();
    await until("the mirror to be ready", async () => {
      return (await network.mirrorReadiness()).status === 200 || undefined;
    });
    count(`tables ${await network.verifyTables()}`);
  });
}
