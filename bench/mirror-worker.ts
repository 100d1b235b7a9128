/**
 * Mirrors a store into PostgreSQL in its own process, and prints the measurements. Arguments: genesis file, directory
 * of the source's store, folder for a second store, address of an empty database, number of blocks to follow live.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { genesisBlock } from "../src/blocks/genesis.ts";
import { Chain } from "../src/chain/chain.ts";
import { Follower } from "../src/chain/following/follower.ts";
import { lastSequence } from "../src/chain/reading/micro-blocks.ts";
import { headerRow } from "../src/chain/reading/rows.ts";
import { newestRecord, recordsAfter } from "../src/chain/reading/unit-records.ts";
import { chainReader } from "../src/chain/snapshot.ts";
import { allIndexes } from "../src/indexes/all.ts";
import { connectPostgres } from "../src/postgres/connection/pg-connection.ts";
import { parsePostgresUrl } from "../src/postgres/connection/postgres-url.ts";
import { Mirror } from "../src/postgres/mirror/mirror.ts";
import { migrate } from "../src/postgres/schema/migrate.ts";
import { customProfile } from "../src/profiles/index.ts";
import { systemClock } from "../src/runtime/system.ts";
import { openStore } from "../src/storage/store.ts";
import { silentLog } from "../src/testing/silent-log.ts";
import { inlineVerifier } from "../src/verification/testing/inline-verifier.ts";

export interface MirrorFigures {
  readonly transactions: number;
  /** First fill with indexes. */
  readonly fillMs: number;
  /** Of the mirror's process. */
  readonly processorMs: number;
  readonly maxRss: number;
  /** Tables and indexes of the filled database, without those of an empty one. */
  readonly bytes: number;
  /** From the node's commit of a block to the commit in the database, for each block. */
  readonly liveMs: readonly number[];
  readonly liveTransactions: number;
  readonly undoMs: number;
  readonly undoneTransactions: number;
}

const UNDONE_BLOCKS = 100;

const [genesis, sourceDirectory, home, url, liveBlocks] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const network = "bench";
const profile = customProfile(readFileSync(genesis, "utf8"));
const trust = { network: new Map(), root: undefined };
const source = await openStore(sourceDirectory, { network, readOnly: true });
const store = await openStore(join(home, "mirrored"), { network, rollbackDepth: profile.rollbackDepth });
const chain = Chain.open({
  store,
  profile,
  indexes: allIndexes({ trust }),
  clock: systemClock,
  log: silentLog,
  options: { stopOnUnsupportedFeature: true },
});
const follower = new Follower({ chain, network: profile, verifier: inlineVerifier(profile), checks: "none" });
let applied = 0;
let reverted = 0;
chain.onChange((change) => {
  for (const { transactionCount } of change.committed) applied += transactionCount;
  for (const { transactionCount } of change.reverted) reverted += transactionCount;
});
const { height: sourceHeight } = source.read(newestRecord);
const firstLive = Math.max(Math.floor(sourceHeight / 2), sourceHeight - Number(liveBlocks));

/** Applies the next blocks of the source, up to a height. */
async function growTo(height: number, units: number): Promise<void> {
  while (chain.tip.height < height) {
    const limits = { units: Math.min(units, height - chain.tip.height), bytes: 8 * 2 ** 20 };
    const { records } = source.read((reader) => recordsAfter(reader, profile, follower.position, limits));
    const result = await follower.apply({ records });
    if (!result.ok) throw new Error(result.error.reason);
  }
}

const connect = () =>
  connectPostgres(parsePostgresUrl(url), { clock: systemClock, applicationName: "bench" });
const admin = await connect();
await migrate(admin, "bench");
const sizeOf = async (): Promise<number> => {
  const { rows } = await admin.query<{ size: bigint }>("select pg_database_size(current_database()) as size");
  return Number(rows[0].size);
};

await growTo(firstLive, 1_000);
const filled = applied;
const emptyBytes = await sizeOf();
const context = { profile, rules: chain.rules, indexAll: false, trust };
const mirror = new Mirror({
  connect,
  reader: chainReader(store, context),
  network: profile,
  description: {
    version: 1,
    program: "bench",
    network: {
      name: profile.networkName,
      chainId: profile.chainId,
      genesis: genesisBlock(profile).signature,
    },
    store: store.id,
    settings: {},
    trustRoot: undefined,
  },
  clock: systemClock,
  log: silentLog,
  holder: "bench",
  forkDepth: 0,
});
async function untilCurrent(): Promise<void> {
  for (let info = mirror.info; info.state !== "live" || info.lagUnits > 0; info = mirror.info) await delay(1);
}

const begun = performance.now();
const usedBefore = process.cpuUsage();
const finished = mirror.run();
await untilCurrent();
const fillMs = performance.now() - begun;
const { user, system } = process.cpuUsage(usedBefore);
const bytes = (await sizeOf()) - emptyBytes;
const maxRss = process.resourceUsage().maxRSS * 1_024;

const liveMs: number[] = [];
while (chain.tip.height < sourceHeight) {
  await growTo(chain.tip.height + 1, 1);
  const committed = performance.now();
  await untilCurrent();
  liveMs.push(performance.now() - committed);
}
const liveTransactions = applied - filled;

const height = Math.max(1, chain.tip.height - UNDONE_BLOCKS);
const undoTo = store.read((reader) => {
  const header = headerRow(reader, height);
  return { height, sequence: lastSequence(reader, height), id: header.signature.slice() };
});
const undone = await follower.apply({ undoTo, records: [] });
if (!undone.ok) throw new Error(undone.error.reason);
const undoBegun = performance.now();
await untilCurrent();
const figures: MirrorFigures = {
  transactions: filled,
  fillMs,
  processorMs: (user + system) / 1_000,
  maxRss,
  bytes,
  liveMs,
  liveTransactions,
  undoMs: performance.now() - undoBegun,
  undoneTransactions: reverted,
};
await mirror.stop();
await finished;
await admin.close();
await store.close();
await source.close();
process.stdout.write(JSON.stringify(figures));
