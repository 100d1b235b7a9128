/**
 * Imports one file into an empty store, like `holdfast import`, and prints what a block cost: processor time and disk
 * space. Its argument is JSON of `BlockImport`.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { Chain } from "../src/chain/chain.ts";
import { importBlocks } from "../src/chain/jobs/import.ts";
import { accountSeed, keyPairFromAccountSeed } from "../src/crypto/seeds.ts";
import { sign, verify } from "../src/crypto/signatures.ts";
import { allIndexes } from "../src/indexes/all.ts";
import { customProfile } from "../src/profiles/index.ts";
import { systemClock } from "../src/runtime/system.ts";
import { noCollector } from "../src/runtime/threads/thread-metrics.ts";
import type { AnyTable } from "../src/storage/batch/overlay.ts";
import { type StoreSize, storeSize } from "../src/storage/inspect/store-size.ts";
import { readStoredState } from "../src/storage/inspect/stored-state.ts";
import { StoredTables } from "../src/storage/inspect/stored-tables.ts";
import { openStore } from "../src/storage/store.ts";
import { tables } from "../src/storage/tables.ts";
import { silentLog } from "../src/testing/silent-log.ts";
import { threadVerifier } from "../src/verification/verifier.ts";

export interface BlockImport {
  readonly file: string;
  readonly genesis: string;
  readonly home: string;
  readonly threads: number;
  readonly rollbackDepth: number;
  /** Height from which processor time counts: before, the engine compiles the code. */
  readonly warmFrom: number;
}

export interface BlockImportFigures {
  readonly blocks: number;
  readonly transactions: number;
  readonly blockBytes: number;
  /** Processor time of the process, µs: of the whole import, and from `warmFrom` on. */
  readonly processorUs: number;
  readonly warm: { readonly blocks: number; readonly transactions: number; readonly processorUs: number };
  /** Processor time of a bare signature check, µs: mean of before and after the import. */
  readonly checkUs: number;
  readonly size: StoreSize;
}

const CHECKS = 4_000;

const { file, genesis, home, threads, rollbackDepth, warmFrom } = JSON.parse(
  process.argv[2] as string,
) as BlockImport;

/** Processor time of the process so far, µs. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const keys = keyPairFromAccountSeed(accountSeed(new TextEncoder().encode("bench worker"), 0));
const message = new Uint8Array(250);
const signature = sign(keys, message);

function measureCheck(): number {
  const key = { keyType: "ed25519" as const, bytes: keys.publicKey };
  const before = processorTime();
  for (let i = 0; i < CHECKS; i++)
    if (!verify(key, message, signature)) throw new Error("A valid signature was rejected");
  return (processorTime() - before) / CHECKS;
}

measureCheck();
const checkBefore = measureCheck();
const profile = customProfile(readFileSync(genesis, "utf8"));
const store = await openStore(join(home, "chain"), { network: "bench", rollbackDepth });
const chain = Chain.open({
  store,
  profile,
  indexes: allIndexes({ trust: { network: new Map(), root: undefined } }),
  clock: systemClock,
  log: silentLog,
  options: { stopOnUnsupportedFeature: true },
});
const source = openSync(file, "r");
const blockBytes = fstatSync(source).size;
const begun = processorTime();
let warm: { readonly height: number; readonly transactions: number; readonly at: number } | undefined;
const verifier = threadVerifier(profile, threads, { collector: noCollector });
const { outcome, refused, blocks, transactions } = await importBlocks(
  chain,
  profile,
  { size: blockBytes, read: (target, at) => readSync(source, target, 0, target.length, at) },
  {
    verifier,
    progress: (progress) => {
      if (warm === undefined && progress.height >= warmFrom)
        warm = { height: progress.height, transactions: progress.transactions, at: processorTime() };
    },
  },
);
if (outcome !== "complete") throw new Error(`Import rejected: ${refused?.reason}`);
const end = processorTime();
await verifier.close();
await store.close();
closeSync(source);
const from = warm ?? { height: 1, transactions: 0, at: begun };
const size = await readStoredState(join(home, "chain"), "bench", (stored) =>
  storeSize(stored, new StoredTables(Object.values(tables) as unknown as AnyTable[]), async () => {}),
);
const figures: BlockImportFigures = {
  blocks,
  transactions,
  blockBytes,
  processorUs: end - begun,
  warm: {
    blocks: chain.tip.height - from.height,
    transactions: transactions - from.transactions,
    processorUs: end - from.at,
  },
  checkUs: (checkBefore + measureCheck()) / 2,
  size,
};
process.stdout.write(JSON.stringify(figures));
