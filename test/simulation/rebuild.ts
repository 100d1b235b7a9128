/** Compares a node's stored state with the state after applying its blocks to an empty chain. */
import { encodeHex } from "../../src/bytes/hex.ts";
import { Chain } from "../../src/chain/chain.ts";
import { verifyStore } from "../../src/chain/jobs/verify.ts";
import { allIndexes } from "../../src/indexes/all.ts";
import type { Node } from "../../src/node.ts";
import type { Reader } from "../../src/storage/kv.ts";
import { findTransaction } from "../../src/storage/ledger/recorded-transactions.ts";
import { memoryStore } from "../../src/storage/memory-store.ts";
import { invertedIndexes } from "../../src/storage/postings/all.ts";
import { tables } from "../../src/storage/tables.ts";
import { silentLog } from "../../src/testing/silent-log.ts";
import { inlineVerifier } from "../../src/verification/testing/inline-verifier.ts";

/** Returns the differences as strings; an empty list if there are none. */
export async function rebuildFaults({
  environment,
  settings,
  trust,
  chain,
}: Node): Promise<readonly string[]> {
  const {
    profile,
    chain: { stopOnUnsupportedFeature },
  } = settings;
  const store = memoryStore();
  const again = Chain.open({
    store,
    profile,
    indexes: allIndexes({ trust }),
    clock: environment.clock,
    log: silentLog,
    options: { stopOnUnsupportedFeature },
  });
  const verifier = inlineVerifier(profile);
  const stored = environment.store.snapshot();
  try {
    const { faults } = await verifyStore(stored, again, store, profile, { verifier });
    const texts = faults
      // It looks for their entries on disk; entries in memory are checked below.
      .filter(({ problem }) => !problem.startsWith("is missing: not found by "))
      .map(({ table, key, problem }) => `${table}: ${key}: ${problem}`);
    if (again.tip.score !== chain.tip.score)
      texts.push(`the score is ${chain.tip.score}, not ${again.tip.score}`);
    return [...texts, ...lookUpFaults(stored)];
  } finally {
    stored.close();
    await verifier.close();
  }
}

/** Returns entries that the store's look-ups do not find. */
function lookUpFaults(stored: Reader): string[] {
  const texts: string[] = [];
  for (const [place, recorded] of stored.range(tables.recorded))
    for (const [i, { id }] of [...recorded].entries()) {
      const position = place.position + i;
      const found = findTransaction(stored, id);
      if (found?.height !== place.height || found.position !== position)
        texts.push(`the transaction ${encodeHex(id)} at ${place.height}.${position} is not found`);
    }
  for (const { table, tree, tag } of Object.values(invertedIndexes))
    for (const [{ height, sequence }, postings] of stored.range(table))
      for (const { key } of postings) {
        const entries = [...stored.findEntries(tree, tag(key))];
        if (!entries.some((entry) => entry.height === height && entry.position === sequence))
          texts.push(`${table.name}: the unit ${height}.${sequence} is not found`);
      }
  return texts;
}
