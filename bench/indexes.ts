/**
 * Measures the processor time of the indexes and of their answers:
 * `costs`: a plain transfer in each index, applied and committed, 300 per block, 60,000 per commit;
 * `import`: the import of a chain with all indexes and with only the mandatory ones, with few accounts and with many;
 * `rankings`: the cost of the richest accounts and the largest transfers in an import;
 * `pages`: the first page of a list and the thousandth, by cursor;
 * `routes`: requests for hashes and identities compared with a bare Fastify route, with a million anchors and 100,000
 * identities.
 * Runs all five, or those that `--only=costs,pages` names. `HOLDFAST_BENCH_TRANSFERS` (300000),
 * `HOLDFAST_BENCH_IMPORTED` (180000), `HOLDFAST_BENCH_TURNS` (3) and `HOLDFAST_BENCH_SECONDS` (2) change the figures.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allIndexes } from "../src/indexes/all.ts";
import type { ChainIndex } from "../src/indexes/chain-index.ts";
import { openStore } from "../src/storage/store.ts";
import { report } from "./figures.ts";
import { compareImports, compareRankings } from "./index-import.ts";
import { comparePages } from "./index-pages.ts";
import { compareIndexRoutes } from "./index-routes.ts";
import { median } from "./support.ts";
import { type Account, processorTime, random, transferOf } from "./transfers.ts";

const TRANSFERS = Number(process.env.HOLDFAST_BENCH_TRANSFERS ?? 300_000);
const PER_BLOCK = 300;
const PER_COMMIT = 60_000;

async function measure(index: ChainIndex | undefined, accounts: readonly Account[]): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const store = await openStore(join(home, "store"), { network: "bench", rollbackDepth: 2_000 });
  const figures: number[] = [];
  let height = 0;
  while (height * PER_BLOCK < TRANSFERS) {
    const blocks = Array.from({ length: PER_COMMIT / PER_BLOCK }, (_, i) => {
      const timestamp = BigInt(height + i) * 60_000n;
      return Array.from({ length: PER_BLOCK }, (_, position) => transferOf(accounts, timestamp, position));
    });
    const begun = processorTime();
    const batch = store.begin();
    for (const transactions of blocks) {
      height++;
      const timestamp = BigInt(height) * 60_000n;
      const generator = accounts[0].address;
      const unit = { height, sequence: 0, timestamp, generator, transactions };
      batch.beginUnit(unit);
      index?.apply(batch, unit);
      batch.endUnit();
    }
    store.commit(batch);
    figures.push((processorTime() - begun) / PER_COMMIT);
  }
  await store.close();
  rmSync(home, { recursive: true, force: true });
  return median(figures);
}

/** Processor time of each index per transfer. */
async function costs(): Promise<void> {
  for (const count of [100, 100_000]) {
    const accounts = Array.from({ length: count }, (): Account => {
      return { address: random.bytes(26), key: { keyType: "ed25519", bytes: random.bytes(32) } };
    });
    const idle = await measure(undefined, accounts);
    console.log(
      `${TRANSFERS} transfers of ${count} accounts, ${PER_BLOCK} per block, ${PER_COMMIT} per commit`,
    );
    for (const index of allIndexes({ trust: { network: new Map(), root: undefined } })) {
      const figure = (await measure(index, accounts)) - idle;
      const name = index.configuration?.names.join(", ") ?? "lists of addresses";
      report(`${name}, ${count} accounts`, Math.max(0, figure), "µs/transfer");
    }
  }
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  costs,
  import: compareImports,
  rankings: compareRankings,
  pages: comparePages,
  routes: async () => {
    if (!(await compareIndexRoutes())) process.exitCode = 1;
  },
};
const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);
for (const [name, part] of Object.entries(parts)) {
  if (only !== undefined && !only.split(",").includes(name)) continue;
  await part();
}
