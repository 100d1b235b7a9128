/**
 * A process that takes the blocks of a file in pieces, as a peer would send them, and prints what it took. Arguments:
 * blocks, genesis file, folder, threads.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { scanBlock } from "../src/blocks/block.ts";
import { Chain } from "../src/chain/chain.ts";
import {
  ExtensionIntake,
  type OfferedExtension,
  type SentBlock,
} from "../src/chain/checking/extension-intake.ts";
import { BlockFile } from "../src/chain/jobs/block-file.ts";
import { allIndexes } from "../src/indexes/all.ts";
import { systemClock } from "../src/node/system.ts";
import { customProfile } from "../src/profiles/index.ts";
import { openStore } from "../src/storage/store.ts";
import { silentLog } from "../src/testing/silent-log.ts";
import { threadVerifier } from "../src/verification/verifier.ts";

/** What taking all blocks took. */
export interface SyncFigures {
  readonly transactions: number;
  /** From before the threads start to after the last commit. */
  readonly ms: number;
  readonly commits: number;
  /** The longest processor time of this thread for a commit, and the longest wait for this thread, ms. */
  readonly longestCommitMs: number;
  readonly longestWaitMs: number;
  /** Peak resident memory, bytes, pages of the database's file included. */
  readonly maxRss: number;
}

/** Blocks of a piece: what a peer's answer names. */
const PIECE = 100;

const [path, genesis, home, threads] = process.argv.slice(2) as [string, string, string, string];
const profile = customProfile(readFileSync(genesis, "utf8"));
const store = await openStore(join(home, "chain"), {
  network: "bench",
  rollbackDepth: profile.rollbackDepth,
});

/** Processor time of this thread, ms. */
function threadTime(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
}

const commits: number[] = [];
const commit = store.commit.bind(store);
store.commit = (batch) => {
  const before = threadTime();
  commit(batch);
  commits.push(threadTime() - before);
};
const chain = Chain.open({
  store,
  profile,
  indexes: allIndexes({ trust: { network: new Map(), root: undefined } }),
  clock: systemClock,
  log: silentLog,
  options: { maxTransactionsInMicroBlock: 255, stopOnUnsupportedFeature: true },
});
// A node has a pool and forging: what changed is gathered for them.
let transactions = 0;
chain.onChange(({ committed }) => {
  for (const unit of committed) transactions += unit.transactions.length;
});

const file = readFileSync(path);
const blocks = new BlockFile({
  size: file.length,
  read: (target, at) => file.copy(target, 0, at, Math.min(file.length, at + target.length)),
});
function piece(): SentBlock[] {
  const sent: SentBlock[] = [];
  while (sent.length < PIECE) {
    const next = blocks.next();
    if (next === undefined) break;
    const bytes = next.bytes.slice();
    sent.push({ bytes, scan: scanBlock(bytes) });
  }
  return sent;
}

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
commits.length = 0;
const begun = performance.now();
const verifier = threadVerifier(profile, Number(threads));
const intake = new ExtensionIntake(chain, verifier, profile, { maxRollback: 100 });
const offer = (): OfferedExtension | undefined => {
  const sent = piece();
  return sent.length === 0 ? undefined : intake.offer(sent);
};
for (let next = offer(); next !== undefined; ) {
  const applied = next.apply();
  next = offer();
  const result = await applied;
  if (result.kind !== "applied") throw new Error(JSON.stringify(result, (_, value) => String(value)));
}
const ms = performance.now() - begun;
delay.disable();
const figures: SyncFigures = {
  transactions,
  ms,
  commits: commits.length,
  longestCommitMs: Math.max(...commits),
  longestWaitMs: delay.max / 1e6,
  maxRss: process.resourceUsage().maxRSS * 1_024,
};
await verifier.close();
await store.close();
process.stdout.write(JSON.stringify(figures));
