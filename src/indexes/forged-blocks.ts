import type { Reader } from "../storage/kv.ts";
import { tables } from "../storage/tables.ts";

const DAY_MS = 86_400_000n;
/** Days are stored as u32. */
const MAX_DAY = 0xffff_ffff;

/** Returns days since 1970-01-01 UTC. @param timestamp ms */
export function dayOf(timestamp: bigint): number {
  const day = Number(timestamp / DAY_MS);
  return Math.min(Math.max(day, 0), MAX_DAY);
}

/** The genesis block has no forger. */
export const GENESIS_HEIGHT = 1;

interface ForgedBlock {
  readonly day: number;
  readonly generator: Uint8Array;
  /** In 10^-8 tokens. Grows with each micro block. */
  readonly reward: bigint;
}

/** Returns undefined for the genesis block and unknown heights. */
export function forgedBlock(reader: Reader, height: number): ForgedBlock | undefined {
  const facts = height <= GENESIS_HEIGHT ? undefined : reader.get(tables.blockFacts, height);
  if (facts === undefined) return undefined;
  const reward = reader.get(tables.blockTotals, height)?.generatorReward ?? 0n;
  return { day: dayOf(facts.timestamp), generator: facts.generator, reward };
}
