/**
 * A node that serves the API, and takes the blocks of a file one by one, each as its own commit, from the moment it is
 * told to. It prints where it serves, and at last what came. Arguments: blocks, genesis file, folder, blocks, ms between
 * two of them.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseBlock } from "../src/blocks/testing/parse-block.ts";
import { BlockFile } from "../src/chain/jobs/block-file.ts";
import { benchNode } from "./sync-node.ts";

/** What the node did. */
export interface Committed {
  /** When each block was committed, ms since 1970, by height. */
  readonly times: readonly (readonly [height: number, at: number])[];
  readonly transactions: number;
  /** Processor time of the writer's thread for all of it, microseconds. */
  readonly writerUs: number;
}

const [path, genesis, home, blocks, pauseMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const node = await benchNode(genesis, home, [], true);
await node.start();
process.stdout.write(`${node.url}\n`);
await new Promise((resolve) => process.stdin.once("data", resolve));

/** The scheduler's own account of this thread, microseconds. */
const threadTime = (): number =>
  Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1_000;

const file = openSync(path, "r");
const source = new BlockFile({
  size: fstatSync(file).size,
  read: (target, at) => readSync(file, target, 0, target.length, at),
});
const times: [number, number][] = [];
let transactions = 0;
let writerUs = 0;
for (let left = Number(blocks); left > 0; left--) {
  const next = source.next();
  if (next === undefined) break;
  const block = parseBlock(next.bytes, node.settings.profile);
  const before = threadTime();
  const result = node.chain.process(block);
  times.push([next.height, performance.timeOrigin + performance.now()]);
  if (!result.ok) throw new Error(result.error.printed);
  transactions += block.transactions.length;
  await delay(Number(pauseMs));
  // With what telling of it costs behind the commit.
  writerUs += threadTime() - before;
}
closeSync(file);
process.stdout.write(`${JSON.stringify({ times, transactions, writerUs } satisfies Committed)}\n`);
await new Promise((resolve) => process.stdin.once("data", resolve));
await node.stop();
process.exit(0);
