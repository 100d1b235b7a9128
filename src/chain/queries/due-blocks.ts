import { bytesKey } from "../../bytes/compare.ts";
import {
  earliestTimestamp,
  fairDelay,
  hit,
  hitSourceHeight,
  minimumGeneratingBalance,
} from "../../consensus/proof-of-stake.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { DueBlocks, DueForger } from "../../interfaces.ts";
import { generatingBalance } from "../../ledger/balances.ts";
import { isFeatureActive } from "../../ledger/era.ts";
import { isScripted } from "../../ledger/scripts/counts-as-scripted.ts";
import { Feature } from "../../profiles/features.ts";
import { tables } from "../../storage/tables.ts";
import { headerRow } from "../reading/rows.ts";
import type { SnapshotSource } from "./source.ts";

/** Returns the `limit` most frequent recent generators, earliest possible next block first. Page 03 §8. */
export function dueBlocksOf(source: SnapshotSource, maxBlocks: number, limit: number): DueBlocks {
  const { reader, ledger } = source;
  const { height } = ledger;
  const { timestamp } = headerRow(reader, height);
  const byKey = new Map<string, { readonly key: Uint8Array; blocks: number }>();
  let examinedBlocks = 0;
  const range = { from: Math.max(2, height - maxBlocks + 1), to: height + 1 };
  for (const [, { generator }] of reader.range(tables.headers, range)) {
    examinedBlocks++;
    const known = byKey.get(bytesKey(generator));
    if (known === undefined) byKey.set(bytesKey(generator), { key: generator.slice(), blocks: 1 });
    else known.blocks++;
  }
  const mostFrequent = [...byKey.values()].sort((a, b) => b.blocks - a.blocks).slice(0, limit);
  const forgers = mostFrequent.map(({ key, blocks }): DueForger => {
    const address = addressOf(key, source.context.profile.chainId);
    const balance =
      source.balances?.balanceOf(reader, ledger, address) ?? generatingBalance(ledger, address, height);
    return { address, blocks, generatingBalance: balance, due: dueTime(source, key, address, balance) };
  });
  forgers.sort((a, b) => compareDueTimes(a.due, b.due) || b.blocks - a.blocks);
  return { height, timestamp, examinedBlocks, forgers };
}

function compareDueTimes(a: bigint | undefined, b: bigint | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  return b === undefined || a < b ? -1 : 1;
}

function dueTime(
  { reader, ledger, context: { rules } }: SnapshotSource,
  key: Uint8Array,
  address: Uint8Array,
  balance: bigint,
): bigint | undefined {
  const { height } = ledger;
  const isReduced = isFeatureActive(ledger, rules, Feature.MinimalGeneratingBalance, height);
  if (balance < minimumGeneratingBalance(isReduced) || isScripted(ledger, address)) return undefined;
  const { timestamp, baseTarget } = headerRow(reader, height);
  const source = headerRow(reader, hitSourceHeight(height)).generationSignature;
  return earliestTimestamp(timestamp, fairDelay(hit(source, key), baseTarget, balance));
}
