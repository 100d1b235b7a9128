import { fairDelay, hit } from "./proof-of-stake.ts";

const MIN_BASE_TARGET = 9n;
const MAX_BASE_TARGET = 1_000_000n;
const TOLERANCE_MS = 100n;
const NO_GENERATION_SIGNATURE = new Uint8Array(32);

export interface GenesisMiner {
  /** Ed25519 key, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly balance: bigint;
}

/** Returns a base target with which the miner's first delay is about the average. */
function findBaseTarget({ publicKey, balance }: GenesisMiner, averageMs: bigint): bigint {
  const minerHit = hit(NO_GENERATION_SIGNATURE, publicKey);
  let min = MIN_BASE_TARGET;
  let max = MAX_BASE_TARGET;
  while (max - min > 1n) {
    const middle = (max + min) / 2n;
    const difference = fairDelay(minerHit, middle, balance) - averageMs;
    if (difference < TOLERANCE_MS && difference > -TOLERANCE_MS) return middle;
    if (difference > 0n) min = middle;
    else max = middle;
  }
  return max;
}

/** Returns the base target of a genesis block. Page 03 §4.5. @throws RangeError if there are no miners */
export function initialBaseTarget(miners: readonly GenesisMiner[], averageBlockDelayMs: bigint): bigint {
  if (miners.length === 0) throw new RangeError("A network needs at least one forger");
  let largest = 0n;
  for (const miner of miners) {
    const target = findBaseTarget(miner, averageBlockDelayMs);
    if (target > largest) largest = target;
  }
  return largest;
}
