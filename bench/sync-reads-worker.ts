/**
 * Reads the status and a balance of a node every few milliseconds until its input ends, and prints the response times.
 * Argument: URL of the node.
 */
import { setTimeout } from "node:timers/promises";

/** The 99th of 100 response times, ms, by route. */
export interface ReadFigures {
  readonly requests: number;
  readonly statusMs: number;
  readonly balanceMs: number;
}

const PAUSE_MS = 5;
const ADDRESS = "3N1xca2DY8AEwqRDAJpzUgY99eq8J9h4rB3";

const [url] = process.argv.slice(2) as [string];
let isOver = false;
process.stdin
  .on("end", () => {
    isOver = true;
  })
  .resume();

async function timed(path: string, times: number[]): Promise<void> {
  const begun = performance.now();
  await (await fetch(`${url}${path}`)).arrayBuffer();
  times.push(performance.now() - begun);
  await setTimeout(PAUSE_MS);
}

const p99 = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(0.99 * times.length)] ?? 0;

const status: number[] = [];
const balance: number[] = [];
while (!isOver) {
  await timed("/node/status", status);
  await timed(`/addresses/balance/${ADDRESS}`, balance);
}
const figures: ReadFigures = {
  requests: status.length + balance.length,
  statusMs: p99(status),
  balanceMs: p99(balance),
};
process.stdout.write(JSON.stringify(figures));
