/** The parts of `bench/import.ts` that measure blocks rather than transactions: light blocks, disk space, memory. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeLightChain, makeLongChain } from "../test/support/long-chain.ts";
import type { BlockImport, BlockImportFigures } from "./block-import-worker.ts";
import { report } from "./figures.ts";
import { inHome, median, plainEnvironment, runWorker, whole } from "./support.ts";

const BLOCKS = Number(process.env.HOLDFAST_BENCH_BLOCKS ?? 20_000);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
const TRANSACTIONS = Number(process.env.HOLDFAST_BENCH_LONG ?? 3_000_000);
const ACCOUNTS = 100_000;
const ROLLBACK_DEPTH = 100;
const MEMORY_LIMIT_MB = 256;
const POLL_INTERVAL_MS = 20;

const kinds = [
  {
    name: "empty blocks",
    transferPercent: 0,
    wantedUs: 100,
    counts: "besides its signature",
    wantedBytes: 800,
  },
  { name: "half a transfer", transferPercent: 50, wantedUs: 250, counts: "in all", wantedBytes: 1_300 },
] as const;

/** Times one block of chains of light blocks, and divides the store by the number of blocks. */
export function measureLightBlocks(folder: string): void {
  inHome((home) => {
    for (const { name, transferPercent, wantedUs, counts, wantedBytes } of kinds) {
      const file = join(home, `${transferPercent}.bin`);
      makeLightChain(folder, file, BLOCKS, transferPercent);
      const turns: { readonly us: number; readonly totalUs: number; readonly bytes: number }[] = [];
      for (let turn = 1; turn <= TURNS; turn++) {
        const { warm, blocks, checkUs, processorUs, size } = importBlocksOf(file, folder, {
          rollbackDepth: ROLLBACK_DEPTH,
          warmFrom: BLOCKS / 4,
        });
        const total = warm.processorUs / warm.blocks;
        const besides = (warm.processorUs - checkUs * (warm.blocks + warm.transactions)) / warm.blocks;
        const bytes = size.compactBytes / blocks;
        turns.push({ us: transferPercent === 0 ? besides : total, totalUs: total, bytes });
        console.log(
          `${name}: ${total.toFixed(0)} µs of processor time per block (${besides.toFixed(0)} besides signatures of ${checkUs.toFixed(0)} µs; ` +
            `${(processorUs / blocks).toFixed(0)} with the engine's compiler), ${whole(bytes)} bytes on disk`,
        );
        if (turn === TURNS) printTables(size, blocks, "block");
      }
      const us = median(turns.map((turn) => turn.us));
      const bytes = median(turns.map((turn) => turn.bytes));
      report(`${name}: processor time per block ${counts}`, us, "µs", { atMost: wantedUs });
      report(`${name}: disk space per block`, bytes, "bytes", { atMost: wantedBytes });
    }
  });
}

/** Divides the store of `load`, with all indexes, by the bytes of its blocks. */
export function measureDisk(folder: string): void {
  const { size, blockBytes, transactions } = importBlocksOf(join(folder, "blocks.bin"), folder, {
    rollbackDepth: ROLLBACK_DEPTH,
    warmFrom: 1,
  });
  printTables(size, transactions, "transaction");
  const note = `${whole(size.compactBytes)} bytes for ${whole(blockBytes)} bytes of blocks; the file has ${whole(size.fileBytes)}`;
  report(
    "store of load, against the bytes of its blocks",
    size.compactBytes / blockBytes,
    "times",
    { atMost: 2 },
    note,
  );
}

function importBlocksOf(
  file: string,
  folder: string,
  options: Pick<BlockImport, "rollbackDepth" | "warmFrom">,
): BlockImportFigures {
  return inHome((home) => {
    const threads = Math.max(1, availableParallelism() - 1);
    const task: BlockImport = { file, genesis: join(folder, "genesis.json"), home, threads, ...options };
    return runWorker<BlockImportFigures>("block-import-worker", [JSON.stringify(task)]);
  });
}

function printTables(
  { tables, sortedRuns, compactBytes, pageBytes }: BlockImportFigures["size"],
  count: number,
  unit: string,
): void {
  console.log(
    `${"table".padEnd(24)}${"rows".padStart(12)}${`bytes per ${unit}`.padStart(24)}${"pages".padStart(24)}`,
  );
  for (const { name, rows, bytes, pages } of tables)
    console.log(
      `${name.padEnd(24)}${whole(rows).padStart(12)}${(bytes / count).toFixed(1).padStart(24)}${((pages * pageBytes) / count).toFixed(1).padStart(24)}`,
    );
  for (const { name, entries, bytes } of sortedRuns)
    console.log(
      `  ${`runs ${name}`.padEnd(32)}${whole(entries).padStart(12)}${(bytes / count).toFixed(1).padStart(14)}`,
    );
  console.log(`compact ${(compactBytes / count).toFixed(1)} bytes per ${unit}`);
}

/** Polls the memory of `holdfast import`. */
export async function measureMemory(folder: string): Promise<void> {
  await inHome(async (home) => {
    const light = join(home, "light.bin");
    makeLightChain(folder, light, BLOCKS, 50);
    const wide = join(home, "wide.bin");
    const chains: [string, string][] = [
      ["load", join(folder, "blocks.bin")],
      [`${whole(BLOCKS)} light blocks`, light],
    ];
    if (TRANSACTIONS > 0) {
      await makeLongChain(folder, wide, TRANSACTIONS, { count: ACCOUNTS });
      chains.push([`${whole(TRANSACTIONS)} transactions, ${whole(ACCOUNTS)} accounts`, wide]);
    }
    for (const [name, file] of chains) {
      const { own, resident } = await importMemory(file, folder);
      const note = `with pages of the database file: ${whole(resident / 2 ** 20)} MB`;
      report(`peak memory, import of ${name}`, own / 2 ** 20, "MB", { atMost: MEMORY_LIMIT_MB }, note);
    }
  });
}

async function importMemory(
  file: string,
  folder: string,
): Promise<{ readonly own: number; readonly resident: number }> {
  return inHome(async (home) => {
    const cli = fileURLToPath(new URL("../src/cli.js", import.meta.url));
    const args = [cli, "import", file, "--genesis", join(folder, "genesis.json"), "--data-dir", home];
    const child = spawn(process.execPath, [...process.execArgv, ...args], {
      stdio: ["ignore", "ignore", "inherit"],
      env: plainEnvironment(),
    });
    let own = 0;
    let resident = 0;
    const sample = setInterval(() => {
      const [anonymous, peak] = memoryOf(child.pid as number);
      own = Math.max(own, anonymous);
      resident = Math.max(resident, peak);
    }, POLL_INTERVAL_MS);
    const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
    clearInterval(sample);
    if (code !== 0) throw new Error(`holdfast import ended with code ${code}`);
    return { own, resident };
  });
}

/** Memory of a process without file pages, and its peak with them, bytes; zeros once it ended. */
function memoryOf(pid: number): readonly [number, number] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kilobytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
    return [kilobytes("RssAnon") * 1_024, kilobytes("VmHWM") * 1_024];
  } catch {
    return [0, 0];
  }
}
