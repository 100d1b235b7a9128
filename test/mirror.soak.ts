import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postgresPrograms } from "../src/postgres/testing/postgres-server.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { importChain } from "./support/imported-chain.ts";
import {
  connectionRounds,
  failoverRounds,
  killRounds,
  type RoundOptions,
  type RoundReport,
  troubleRounds,
} from "./support/mirror-rounds.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";
import { troubles } from "./support/server-troubles.ts";

/**
 * `npm run soak:mirror -- --times 100` sets the number of kills of each process, half of them while it fills, and a
 * random seed. There are a fifth as many failovers, and a tenth as many rounds with disturbed connections, but at least
 * one of each kind. It ends after two hours at the latest.
 */
const times = Number(process.env.SOAK_TIMES);
const seed = Number(process.env.SOAK_SEED ?? 1);
const failovers = Math.ceil(times / 5);
/** Three kinds for the mirror and for both gateways. */
const disturbances = Math.max(9, Math.ceil(times / 10));
/** Networks with kills at the same time: most of a round waits until the lease of a killed mirror ends. */
const KILL_LANES = 4;
/** Each kind twice. */
const TROUBLES = 2 * troubles.length;
const MAX_MS = 2 * 3_600_000;
/** Blocks that a fill copies in two transactions, and those near the tip that it leaves out. */
const TRANSFERS = [...new Array<number>(40).fill(300), ...new Array<number>(100).fill(1)];
const folder = temporaryFolder("mirror");
const template = join(folder, "template");
const begun = performance.now();
let hasFailed = false;

beforeAll(() => importChain(template, TRANSFERS));
afterAll(() => removeFolder(folder));

function minutes(): string {
  return `${((performance.now() - begun) / 60_000).toFixed(1)} min`;
}

async function run(
  name: string,
  count: number,
  random: SeededRandom,
  rounds: (options: RoundOptions) => Promise<RoundReport>,
): Promise<RoundReport> {
  const report = await rounds({
    folder: join(folder, name),
    template,
    times: count,
    random,
    isOver: () => hasFailed || performance.now() - begun > MAX_MS,
    report: (done) => {
      if (done % 5 === 0 || times < 10) console.log(`${done} of ${count} ${name}, ${minutes()}`);
    },
  }).catch((error: unknown) => {
    hasFailed = true;
    console.log(`${name} failed after ${minutes()}: ${error instanceof Error ? error.message : error}`);
    throw error;
  });
  console.log(`${name}, ${minutes()}: ${JSON.stringify(report)}`);
  expect(report.rounds).toBe(count);
  expect(report.events).toBeGreaterThan(0);
  return report;
}

/** @throws the first failure, after all have ended */
async function allOf<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

async function runKills(): Promise<void> {
  const lanes = Math.min(KILL_LANES, times);
  const reports = await allOf(
    Array.from({ length: lanes }, (_, i) => {
      const count = Math.floor((times + i) / lanes);
      return run(`kills-${i + 1}`, count, new SeededRandom(seed + 2 + i), killRounds);
    }),
  );
  const sum = (name: "rounds" | "accepted"): number =>
    reports.reduce((total, report) => total + report[name], 0);
  const rounds = sum("rounds");
  console.log(`${rounds} kills of each of mirror, gateways, PostgreSQL and node, ${minutes()}`);
  expect(rounds).toBe(times);
  expect(sum("accepted")).toBeGreaterThan(0);
}

const timeout = MAX_MS + 600_000;

test.skipIf(postgresPrograms === undefined)(
  `tables and gateways have the node's chain after ${times} kills of mirror, gateways, PostgreSQL and node, ` +
    `${failovers} failovers and ${disturbances} disturbed connections`,
  { timeout },
  async () => {
    await allOf([
      runKills(),
      run("failovers", failovers, new SeededRandom(seed), failoverRounds).then(async () => {
        await run("disturbances", disturbances, new SeededRandom(seed + 1), connectionRounds);
        await run("troubles", TROUBLES, new SeededRandom(seed + 1), troubleRounds);
      }),
    ]);
  },
);
