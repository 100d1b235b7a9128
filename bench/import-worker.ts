/**
 * Imports one file into an empty store in its own process and prints the measurements. Arguments: see
 * `bench/import.ts`.
 */

import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { decodeBase58 } from "../src/bytes/base58.ts";
import { Chain } from "../src/chain/chain.ts";
import { importBlocks } from "../src/chain/jobs/import.ts";
import { ChangeCounter, observeChain } from "../src/chain/metrics.ts";
import { allIndexes, type IndexSettings } from "../src/indexes/all.ts";
import { allMetrics } from "../src/node/metrics/all.ts";
import { customProfile } from "../src/profiles/index.ts";
import { metricsText, noMetrics } from "../src/runtime/metrics.ts";
import { systemClock } from "../src/runtime/system.ts";
import { noCollector, ThreadCollector } from "../src/runtime/threads/thread-metrics.ts";
import { observeStore, storeMetrics } from "../src/storage/metrics.ts";
import { openStore } from "../src/storage/store.ts";
import { silentLog } from "../src/testing/silent-log.ts";
import { threadVerifier, type Verifier } from "../src/verification/verifier.ts";

/** Measurements of one import. */
export interface ImportFigures {
  readonly transactions: number;
  /** From before the threads start to after the last commit, and from the start of the process. */
  readonly ms: number;
  readonly processMs: number;
  /** Processor time of all threads in that period. */
  readonly processorMs: number;
  /** Peak resident memory, bytes, including pages of the database file. */
  readonly maxRss: number;
  /** Peak memory without file pages, bytes, as far as sampled. */
  readonly maxOwn: number;
  readonly samples: readonly Sample[];
  /** Processor time of collecting and printing the metrics once; undefined without metrics. */
  readonly scrapeMs: number | undefined;
}

/** A section of an import. */
export interface Sample {
  readonly transactions: number;
  /** Processor time of the writer thread per transaction, including commits but not the signatures that it checks. */
  readonly writerUs: number;
  /** Transactions per second. */
  readonly rate: number;
}

/** Transactions per sample: several commits. */
const SAMPLE = 60_000;
const SCRAPES = 20;

const [path, genesis, home, threads, sampled, switched, measured, assumed, checks] = process.argv.slice(
  2,
) as [string, string, string, string, ...(string | undefined)[]];
const disabledSettings: Readonly<Record<string, Partial<IndexSettings>>> = {
  anchors: { anchors: "none" },
  associations: { associations: "none" },
  identities: { identities: false },
  transactions: { transactions: false },
  credentials: { credentials: "none", disputes: "none" },
  statistics: { statistics: false },
  generators: { generators: 0 },
  richest: { richest: false },
  largest: { largest: false },
};

function disabled(names: readonly string[]): Partial<IndexSettings> {
  return Object.assign({}, ...names.map((name) => disabledSettings[name]));
}

const profile = customProfile(readFileSync(genesis, "utf8"));
const store = await openStore(join(home, "chain"), {
  network: "bench",
  rollbackDepth: sampled === undefined || sampled === "" ? profile.rollbackDepth : 2_000,
});
const reporting = measured === "metrics" ? new ThreadCollector("main", systemClock) : undefined;
reporting?.metrics.declare(allMetrics.flatMap((group) => group.metrics));
const collector = reporting ?? noCollector;
const { metrics } = collector;
const chain = Chain.open({
  store,
  profile,
  indexes: allIndexes({
    trust: { network: new Map(), root: undefined },
    ...disabled(switched === "off" ? Object.keys(disabledSettings) : (switched ?? "").split(",")),
  }),
  clock: systemClock,
  log: silentLog,
  options: { stopOnUnsupportedFeature: true },
  commitSeconds: metrics === noMetrics ? undefined : metrics.histogram(storeMetrics.commit, {}),
});
// A node that follows its peers has listeners, with and without metrics: their changes have a cost.
chain.onChange(() => {});
if (metrics !== noMetrics) {
  const changes = new ChangeCounter(metrics);
  chain.onChange((change) => changes.follow(change));
  observeChain(metrics, chain, systemClock);
  observeStore(metrics, store, systemClock);
}
const file = openSync(path, "r");

/** Processor time of this thread, microseconds. */
function threadTime(): number {
  // The scheduler's statistics of the main thread: nanoseconds on a processor.
  return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1_000;
}

/** Resident memory without file pages, bytes. */
function ownMemory(): number {
  const kilobytes = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return Number(kilobytes) * 1_024;
}

const samples: Sample[] = [];
let maxOwn = 0;
const begun = performance.now();
const usedBefore = process.cpuUsage();
const isCheap = checks === "cheap";
const threadsOnly = threadVerifier(profile, Number(threads), {
  collector,
  ...(isCheap && { script: new URL("./cheap-checker-worker.js", import.meta.url) }),
});
/** Time that the writer spends on signature checks when it would otherwise wait. */
let assisting = 0;
const verifier: Verifier =
  sampled === undefined
    ? threadsOnly
    : {
        verifyTransactions: (source, transactions) => threadsOnly.verifyTransactions(source, transactions),
        verifySignatures: (source, blocks) => threadsOnly.verifySignatures(source, blocks),
        verifyMessages: (source, messages) => threadsOnly.verifyMessages(source, messages),
        runScripts: (source, runs) => threadsOnly.runScripts(source, runs),
        runNextScript: (source) => threadsOnly.runNextScript(source),
        stream: () => {
          const stream = threadsOnly.stream();
          return {
            check: (batch) => stream.check(batch),
            assist(batch, isEnough) {
              if (isCheap) return true;
              const before = threadTime();
              const isBegun = stream.assist(batch, isEnough);
              assisting += threadTime() - before;
              return isBegun;
            },
          };
        },
        close: () => threadsOnly.close(),
      };
let last = { transactions: 0, at: begun, cpu: sampled === undefined ? 0 : threadTime() };
const result = await importBlocks(
  chain,
  profile,
  { size: fstatSync(file).size, read: (target, at) => readSync(file, target, 0, target.length, at) },
  {
    verifier,
    assumeValid: assumed === undefined || assumed === "" ? undefined : decodeBase58(assumed, 100),
    progress: ({ transactions }) => {
      if (sampled === undefined || transactions - last.transactions < SAMPLE) return;
      maxOwn = Math.max(maxOwn, ownMemory());
      const now = { transactions, at: performance.now(), cpu: threadTime() - assisting };
      const count = transactions - last.transactions;
      samples.push({
        transactions: count,
        writerUs: (now.cpu - last.cpu) / count,
        rate: (count * 1_000) / (now.at - last.at),
      });
      last = now;
    },
  },
);
const ms = performance.now() - begun;
const used = process.cpuUsage(usedBefore);
/** Times a scrape. */
async function scrapeMs(from: ThreadCollector): Promise<number> {
  const before = process.cpuUsage();
  for (let scrape = 0; scrape < SCRAPES; scrape++) await metricsText(await from.samples());
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / SCRAPES;
}

if (result.outcome !== "complete") throw new Error(`Import rejected: ${result.refused?.reason}`);
const figures: ImportFigures = {
  transactions: result.transactions,
  ms,
  processMs: performance.now(),
  processorMs: (used.user + used.system) / 1_000,
  maxRss: process.resourceUsage().maxRSS * 1_024,
  maxOwn,
  samples,
  scrapeMs: reporting && (await scrapeMs(reporting)),
};
reporting?.close();
await verifier.close();
await store.close();
closeSync(file);
process.stdout.write(JSON.stringify(figures));
