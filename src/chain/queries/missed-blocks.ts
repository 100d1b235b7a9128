import { bytesKey } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import {
  BALANCE_WINDOW,
  earliestTimestamp,
  fairDelay,
  hit,
  hitSourceHeight,
  minimumGeneratingBalance,
} from "../../consensus/proof-of-stake.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { MissedBlock, MissedBlocks } from "../../interfaces.ts";
import { wrappingEffectiveBalance } from "../../ledger/balances.ts";
import { isFeatureActive } from "../../ledger/era.ts";
import { isScripted } from "../../ledger/scripts/counts-as-scripted.ts";
import { Feature } from "../../profiles/features.ts";
import { tables } from "../../storage/tables.ts";
import { headerRow } from "../reading/rows.ts";
import type { SnapshotSource } from "./source.ts";

/** The genesis block has an arbitrary time. */
const FIRST_PARENT = 2;

interface Candidate {
  readonly key: Uint8Array;
  readonly address: Uint8Array;
  /** Generating balance for the child of each parent, from `firstParent` on. */
  readonly balances: BigInt64Array;
}

/**
 * Finds blocks that another recent generator could have made earlier. Page 03 §8.
 * @param maxBlocks number of newest blocks to examine
 * @param limit maximum number of generators to consider: first those of examined blocks, then the most frequent ones
 */
export function missedBlocksOf(source: SnapshotSource, maxBlocks: number, limit: number): MissedBlocks {
  const { reader, ledger, context } = source;
  const { height } = ledger;
  const firstParent = Math.max(FIRST_PARENT, height - maxBlocks);
  const candidates = generatorKeys(source, firstParent, limit).map((key): Candidate => {
    const address = addressOf(key, context.profile.chainId);
    return { key, address, balances: generatingBalances(source, address, firstParent) };
  });
  const eligible = candidates.filter(({ address }) => !isScripted(ledger, address));
  const blocks: MissedBlock[] = [];
  for (let parent = height - 1; parent >= firstParent; parent--) {
    const [before, block] = [headerRow(reader, parent), headerRow(reader, parent + 1)];
    const { generationSignature } = headerRow(reader, hitSourceHeight(parent));
    const isReduced = isFeatureActive(ledger, context.rules, Feature.MinimalGeneratingBalance, parent);
    let shortest: { readonly candidate: Candidate; readonly due: bigint } | undefined;
    let generatorDue = block.timestamp;
    for (const candidate of eligible) {
      const balance = candidate.balances[parent - firstParent];
      if (balance < minimumGeneratingBalance(isReduced)) continue;
      const delay = fairDelay(hit(generationSignature, candidate.key), before.baseTarget, balance);
      const due = earliestTimestamp(before.timestamp, delay);
      if (bytesKey(candidate.key) === bytesKey(block.generator)) generatorDue = due;
      if (shortest === undefined || due < shortest.due) shortest = { candidate, due };
    }
    if (shortest === undefined || shortest.due >= generatorDue) continue;
    blocks.push({
      height: parent + 1,
      timestamp: block.timestamp,
      generator: addressOf(block.generator, context.profile.chainId),
      shortest: shortest.candidate.address,
      due: shortest.due,
    });
  }
  return { height, examinedBlocks: Math.max(0, height - firstParent), blocks };
}

function generatorKeys({ reader, ledger }: SnapshotSource, firstParent: number, limit: number): Uint8Array[] {
  const counts = new Map<string, { readonly key: Uint8Array; blocks: number }>();
  const range = { from: Math.max(FIRST_PARENT, ledger.height - BALANCE_WINDOW), to: ledger.height + 1 };
  for (const [height, { generator }] of reader.range(tables.headers, range)) {
    const found = getOrInsert(counts, bytesKey(generator), () => ({ key: generator.slice(), blocks: 0 }));
    // Generators of examined blocks come first.
    found.blocks += height > firstParent ? BALANCE_WINDOW : 1;
  }
  const sorted = [...counts.values()].sort((a, b) => b.blocks - a.blocks);
  return sorted.slice(0, limit).map(({ key }) => key);
}

/** Page 05 §21.4. */
function generatingBalances(
  { ledger }: SnapshotSource,
  address: Uint8Array,
  firstParent: number,
): BigInt64Array {
  const first = Math.max(1, firstParent - BALANCE_WINDOW + 1);
  // An account has 0 before its first change.
  const balances = new BigInt64Array(ledger.height - first + 1);
  let end = balances.length;
  for (const { height, account } of ledger.accountPoints(address, first, ledger.height)) {
    const start = Math.max(0, height - first);
    balances.fill(wrappingEffectiveBalance(account), start, end);
    end = start;
  }
  return slidingMinimum(balances, BALANCE_WINDOW).slice(firstParent - first);
}

/** Returns the minimum of each value and the `width - 1` values before it. */
export function slidingMinimum(values: BigInt64Array, width: number): BigInt64Array {
  const minima = new BigInt64Array(values.length);
  // Indexes of ascending values: a value before a lower one is never the minimum.
  const queue: number[] = [];
  let head = 0;
  for (let i = 0; i < values.length; i++) {
    while (queue.length > head && values[queue[queue.length - 1]] >= values[i]) queue.pop();
    queue.push(i);
    if (queue[head] <= i - width) head++;
    minima[i] = values[queue[head]];
  }
  return minima;
}
