/**
 * A node in another process that adds the recorded chain `load` block by block, and the time until nodes that follow it
 * answer with each block. `HOLDFAST_BENCH_BLOCKS` (150) and `HOLDFAST_BENCH_PAUSE` (ms between two blocks, 100) change
 * the figures.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { BlockFile } from "../src/chain/jobs/block-file.ts";
import type { Committed } from "./events-worker.ts";
import { endProcess, type Served } from "./support.ts";

const BLOCKS = Number(process.env.HOLDFAST_BENCH_BLOCKS ?? 150);
const PAUSE_MS = Number(process.env.HOLDFAST_BENCH_PAUSE ?? 100);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
/** Warm-up blocks, whose delays do not count. */
const WARM_UP = 20;
const ID_BYTES = 64;
/** A request waits for a block for 2 s. */
const MAX_REQUESTS = 30;

const worker = fileURLToPath(new URL("./events-worker.js", import.meta.url));
const folder = join(VECTORS, "chains", "load");
const blocks = join(folder, "blocks.bin");
export const genesis = join(folder, "genesis.json");

/** Positions of the first blocks of the file, in order. */
function positions(): string[] {
  const file = openSync(blocks, "r");
  try {
    const source = new BlockFile({
      size: fstatSync(file).size,
      read: (target, at) => readSync(file, target, 0, target.length, at),
    });
    const found: string[] = [];
    for (let next = source.next(); next !== undefined && found.length < BLOCKS; next = source.next())
      // A block ends with its id.
      found.push(`${next.height}.0.${encodeBase58(next.bytes.slice(-ID_BYTES))}`);
    return found;
  } finally {
    closeSync(file);
  }
}

/** Resolves when a node answers with the chain of this position, or a later one. */
async function waitFor({ url }: Served, position: string): Promise<void> {
  const path = `/blocks/height?atLeast=${position}`;
  for (let left = MAX_REQUESTS; left > 0; left--) {
    const answer = await fetch(url + path);
    await answer.arrayBuffer();
    if (answer.ok) return;
    // 503: the block did not arrive while the request waited.
    if (answer.status !== 503) throw new Error(`${path} was answered with status ${answer.status}`);
  }
  throw new Error(`${url} has not reached ${position}`);
}

export class BlockSource {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #nextLine: () => Promise<string>;

  private constructor(url: string, process: ChildProcess, nextLine: () => Promise<string>) {
    this.url = url;
    this.#process = process;
    this.#nextLine = nextLine;
  }

  /** Starts a node that has only the genesis block. Its `/units` need `API_KEY`. @param dataDir its data directory */
  static async start(dataDir: string): Promise<BlockSource> {
    const args = [worker, blocks, genesis, dataDir, String(BLOCKS), String(PAUSE_MS)];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const nextLine = async (): Promise<string> => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error("The node ended");
      return value;
    };
    return new BlockSource(await nextLine(), child, nextLine);
  }

  /** Adds the blocks. @returns for each node, the times between the commit of a block and the first answer with it, ms */
  async delaysOf(nodes: readonly Served[]): Promise<readonly (readonly number[])[]> {
    this.#process.stdin?.write("go\n");
    const answered = await Promise.all(
      nodes.map(async (node) => {
        const times = new Map<number, number>();
        for (const position of positions()) {
          await waitFor(node, position);
          times.set(Number.parseInt(position, 10), performance.timeOrigin + performance.now());
        }
        return times;
      }),
    );
    // The worker's output has this type.
    const { times } = JSON.parse(await this.#nextLine()) as Committed;
    return answered.map((found) =>
      times.slice(WARM_UP).map(([height, at]) => (found.get(height) ?? Number.NaN) - at),
    );
  }

  async stop(): Promise<void> {
    await endProcess(this.#process);
  }
}
