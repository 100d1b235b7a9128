/**
 * Syncs a chain from a peer on loopback in a separate process and prints the measurements. Arguments: genesis file,
 * folder, port of the peer, height of its chain, id of an assumed block or "", "reads" to read the API meanwhile.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { decodeBase58 } from "../src/bytes/base58.ts";
import { benchNode } from "./sync-node.ts";
import type { ReadFigures } from "./sync-reads-worker.ts";

/** Measurements of one sync. */
export interface SyncFigures {
  readonly transactions: number;
  /** From the first request for blocks to after the last commit. */
  readonly ms: number;
  readonly blocks: number;
  /** Processor time of all threads in that period. */
  readonly processorMs: number;
  /** Response times of the API; undefined if it was not read. */
  readonly reads: ReadFigures | undefined;
  readonly commits: number;
  /** The longest processor time of this thread for a commit, and the longest wait for this thread, ms. */
  readonly longestCommitMs: number;
  readonly longestWaitMs: number;
  /** Peak resident memory, bytes, including pages of the database file. */
  readonly maxRss: number;
}

const SYNC_TIMEOUT_MS = 120_000;

const [genesis, home, port, height, assumed, reads] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string | undefined,
  string | undefined,
];
const node = await benchNode(genesis, home, [{ host: "127.0.0.1", port: Number(port) }], {
  api: reads === "reads",
  assumeValid: assumed === undefined || assumed === "" ? undefined : decodeBase58(assumed, 100),
});
const { store } = node.environment;

/** Processor time of this thread, ms. */
function threadTime(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
}

let transactions = 0;
const commits: number[] = [];
const commit = store.commit.bind(store);
store.commit = (batch) => {
  const before = threadTime();
  commit(batch);
  commits.push(threadTime() - before);
};
const delay = monitorEventLoopDelay({ resolution: 5 });
await node.start();
const script = fileURLToPath(new URL("./sync-reads-worker.js", import.meta.url));
const client =
  node.url === undefined
    ? undefined
    : spawn(process.execPath, [...process.execArgv, script, node.url], {
        stdio: ["pipe", "pipe", "inherit"],
      });
const begun = await new Promise<number>((resolve) => {
  const poll = setInterval(() => {
    if (node.peers?.sync.state.extensionLoader === "State(Idle,Idle)") return;
    clearInterval(poll);
    resolve(performance.now());
  }, 1);
});
delay.enable();
const usedBefore = process.cpuUsage();
const ended = await new Promise<number>((resolve, reject) => {
  const timeout = setTimeout(
    () => reject(new Error(`Timeout at height ${node.chain.tip.height}`)),
    SYNC_TIMEOUT_MS,
  );
  node.chain.onChange(({ committed, tip }) => {
    for (const unit of committed) transactions += unit.transactions.length;
    if (tip.height < Number(height)) return;
    clearTimeout(timeout);
    resolve(performance.now());
  });
});
delay.disable();
const used = process.cpuUsage(usedBefore);
client?.stdin.end();
const [answer] = client === undefined ? [] : await once(client.stdout, "data");
const figures: SyncFigures = {
  transactions,
  ms: ended - begun,
  blocks: Number(height) - 1,
  processorMs: (used.user + used.system) / 1_000,
  reads: answer && (JSON.parse(String(answer)) as ReadFigures),
  commits: commits.length,
  longestCommitMs: Math.max(...commits),
  longestWaitMs: delay.max / 1e6,
  maxRss: process.resourceUsage().maxRSS * 1_024,
};
await node.stop();
process.stdout.write(JSON.stringify(figures));
