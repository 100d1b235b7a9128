/**
 * A node that serves the API and, on request, adds the blocks of a file one by one, each in its own commit. It prints
 * its URL and finally the measurements. Arguments: blocks, genesis file, folder, number of blocks, ms between two
 * blocks.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseBlock } from "../src/blocks/testing/parse-block.ts";
import { BlockFile } from "../src/chain/jobs/block-file.ts";
import { benchNode } from "./sync-node.ts";

/** The measurements. */
export interface Committed {
  /** Commit time of each block, ms since 1970, by height. */
  readonly times: readonly (readonly [height: number, at: number])[];
  readonly transactions: number;
  /** Processor time of the writer thread for all blocks, microseconds. */
  readonly writerUs: number;
}

const [path, genesis, home, blocks, pauseMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const node = await benchNode(genesis, home, [], { api: true });
await node.start();
process.stdout.write(`${node.url}\n`);
await new Promise((resolve) => process.stdin.once("data", resolve));

/** Processor time of this thread according to the scheduler, microseconds. */
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
  // Includes the cost of events after the commit.
  writerUs += threadTime() - before;
}
closeSync(file);
process.stdout.write(`${JSON.stringify({ times, transactions, writerUs } satisfies Committed)}\n`);
await new Promise((resolve) => process.stdin.once("data", resolve));
await node.stop();
process.exit(0);
