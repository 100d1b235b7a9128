/**
 * Fills an empty follower from a store in its own process, and prints the measurements. Arguments: genesis file,
 * directory of the source's store, folder of the follower.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Chain } from "../src/chain/chain.ts";
import { Follower } from "../src/chain/following/follower.ts";
import { recordsAfter } from "../src/chain/reading/unit-records.ts";
import { allIndexes } from "../src/indexes/all.ts";
import { customProfile } from "../src/profiles/index.ts";
import { systemClock } from "../src/runtime/system.ts";
import { openStore } from "../src/storage/store.ts";
import { silentLog } from "../src/testing/silent-log.ts";
import { inlineVerifier } from "../src/verification/testing/inline-verifier.ts";

/** Measurements of one fill, reading of the source included. */
export interface FollowFigures {
  readonly transactions: number;
  readonly ms: number;
  /** Processor time of all threads. */
  readonly processorMs: number;
  /** Peak resident memory, bytes. */
  readonly maxRss: number;
}

/** Of one change, as a source sends it. */
const PAGE = { units: 1_000, bytes: 8 * 1_024 * 1_024 };

const [genesis, sourceDirectory, home] = process.argv.slice(2) as [string, string, string];
/** As in `bench/import-worker.ts`. */
const network = "bench";
const profile = customProfile(readFileSync(genesis, "utf8"));
const source = await openStore(sourceDirectory, { network, readOnly: true });
const { rollbackDepth } = profile;
const store = await openStore(join(home, "chain"), { network, rollbackDepth });
const chain = Chain.open({
  store,
  profile,
  indexes: allIndexes({ trust: { network: new Map(), root: undefined } }),
  clock: systemClock,
  log: silentLog,
  options: { stopOnUnsupportedFeature: true },
});
const follower = new Follower({ chain, network: profile, verifier: inlineVerifier(profile), checks: "none" });
const begun = performance.now();
const usedBefore = process.cpuUsage();
let transactions = 0;
chain.onChange(({ committed }) => {
  for (const { transactionCount } of committed) transactions += transactionCount;
});
for (let isComplete = false; !isComplete; ) {
  const page = source.read((reader) => recordsAfter(reader, profile, follower.position, PAGE));
  const result = await follower.apply({ records: page.records });
  if (!result.ok) throw new Error(result.error.reason);
  isComplete = page.isComplete;
}
const { user, system } = process.cpuUsage(usedBefore);
const figures: FollowFigures = {
  transactions,
  ms: performance.now() - begun,
  processorMs: (user + system) / 1_000,
  maxRss: process.resourceUsage().maxRSS * 1_024,
};
await store.close();
await source.close();
process.stdout.write(JSON.stringify(figures));
