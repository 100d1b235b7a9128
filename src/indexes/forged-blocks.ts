/** What a block counts for in the sums about forging. */
import type { Reader } from "../storage/kv.ts";
import { tables } from "../storage/tables.ts";

const DAY_MS = 86_400_000n;
/** Days are stored in 32 bits: what the rules say of time excludes all others, but for a genesis that somebody made. */
const MAX_DAY = 0xffff_ffff;

/** Days since 1970-01-01 UTC. @param timestamp ms */
export function dayOf(timestamp: bigint): number {
  const day = Number(timestamp / DAY_MS);
  return Math.min(Math.max(day, 0), MAX_DAY);
}

/** Height of the block that nobody forged. */
export const GENESIS_HEIGHT = 1;

/** A block of the chain, as far as it counts for who forged what. */
interface ForgedBlock {
  readonly day: number;
  readonly generator: Uint8Array;
  /** In 10^-8 tokens. It grows with every micro block, until another block stands upon it. */
  readonly reward: bigint;
}

/** The block at a height; undefined where there is none, and for the genesis block, which nobody forged. */
export function forgedBlock(reader: Reader, height: number): ForgedBlock | undefined {
  const facts = height <= GENESIS_HEIGHT ? undefined : reader.get(tables.blockFacts, height);
  if (facts === undefined) return undefined;
  const reward = reader.get(tables.blockTotals, height)?.generatorReward ?? 0n;
  return { day: dayOf(facts.timestamp), generator: facts.generator, reward };
}
