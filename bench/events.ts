/**
 * Measures event readers while a node adds the recorded chain `load` block by block: the delay between the commit of a
 * block and the arrival of its event at each reader, and the cost of a transaction for the writer thread with all
 * readers and with none, in alternating turns. One reader in ten reads all events, the others read blocks and the
 * events of one account each.
 * `npm run bench -- events`. `HOLDFAST_BENCH_READERS` (500), `HOLDFAST_BENCH_BLOCKS` (40), `HOLDFAST_BENCH_PAUSE` (ms
 * between two blocks, 250) and `HOLDFAST_BENCH_TURNS` (3) change the figures. Linux only.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientRequest, get } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Committed } from "./events-worker.ts";
import { report } from "./figures.ts";
import { inHome, median, percentile, share, whole } from "./support.ts";

const READERS = Number(process.env.HOLDFAST_BENCH_READERS ?? 500);
const BLOCKS = Number(process.env.HOLDFAST_BENCH_BLOCKS ?? 40);
const PAUSE_MS = Number(process.env.HOLDFAST_BENCH_PAUSE ?? 250);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));

const folder = join(VECTORS, "chains", "load");
const source = [join(folder, "blocks.bin"), join(folder, "genesis.json")];
/** The addresses of the chain's accounts, in the order of the file. */
const addresses = [
  ...readFileSync(join(folder, "accounts.json"), "utf8").matchAll(/"address": ?"(\w+)"/g),
].map(([, address]) => address);

/** Warm-up blocks, whose delays do not count. */
const WARM_UP = 5;

const now = (): number => performance.timeOrigin + performance.now();
const tenth = (figure: number): string => figure.toFixed(1);

/** A reader: the arrival time of each block's event, by height. */
function reader(url: string, number: number, open: ClientRequest[]): Promise<Map<number, number>> {
  const seen = new Map<number, number>();
  const address = addresses[number % addresses.length];
  const path = number % 10 === 0 ? "/events" : `/events?address=${address}`;
  let rest = "";
  return new Promise((resolve, reject) => {
    const request = get(url + path, { agent: false }, (answer) => {
      answer.on("data", (piece: Buffer) => {
        const at = now();
        const text = rest + piece.toString("latin1");
        for (const [, height] of text.matchAll(/event: block\nid: (\d+)\./g)) seen.set(Number(height), at);
        // A chunk may end in the middle of a line.
        rest = text.slice(text.lastIndexOf("\n\n") + 2).slice(0, 64);
      });
      resolve(seen);
    });
    request.on("error", reject);
    open.push(request);
  });
}

interface Figures {
  readonly writerUs: number;
  readonly delays: number[];
}

/** Runs one turn with this many readers. */
async function turn(home: string, readers: number): Promise<Figures> {
  const script = fileURLToPath(new URL("./events-worker.js", import.meta.url));
  const args = [...process.execArgv, script, ...source, home, String(BLOCKS), String(PAUSE_MS)];
  const node = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(node, "exit");
  const lines = createInterface({ input: node.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("The node ended");
    return value;
  };
  const url = await line();
  const open: ClientRequest[] = [];
  const seen = await Promise.all(Array.from({ length: readers }, (_, i) => reader(url, i, open)));
  node.stdin.write("go\n");
  // The worker's output has this type.
  const { times, transactions, writerUs } = JSON.parse(await line()) as Committed;
  const all = (): boolean => seen.every((one) => times.every(([height]) => one.has(height)));
  for (let left = 200; !all() && left > 0; left--) await new Promise((resolve) => setTimeout(resolve, 50));
  if (!all()) throw new Error("A reader did not get every block");
  for (const request of open) request.on("error", () => {}).destroy();
  node.stdin.write("end\n");
  await ended;
  const delays = seen.flatMap((one) =>
    times.slice(WARM_UP).map(([height, at]) => (one.get(height) ?? Number.NaN) - at),
  );
  return { writerUs: writerUs / transactions, delays };
}

console.log(
  `${READERS} readers, ${BLOCKS} blocks of some 300 transactions, one in ${PAUSE_MS} ms and its own time`,
);
console.log("turn   writer, us/tx: none    all     ratio   delay, ms: median      p99      longest");
const ratios: number[] = [];
const p99s: number[] = [];
for (let number = 1; number <= TURNS; number++) {
  const none = await inHome((home) => turn(home, 0));
  const all = await inHome((home) => turn(home, READERS));
  const delays = all.delays;
  const ratio = all.writerUs / none.writerUs;
  ratios.push(ratio);
  p99s.push(percentile(delays, 0.99));
  console.log(
    `${String(number).padStart(4)} ${whole(none.writerUs).padStart(20)} ${whole(all.writerUs).padStart(6)} ${share(ratio).padStart(9)} ${tenth(percentile(delays, 0.5)).padStart(19)} ${tenth(percentile(delays, 0.99)).padStart(8)} ${tenth(percentile(delays, 1)).padStart(12)}`,
  );
}
report(`writer with ${READERS} readers, against none`, 100 * median(ratios), "%");
report(`event at ${READERS} readers after the commit, p99`, median(p99s), "ms");
