/** Fair proof of stake: who may forge, when, and at which base target. Page 03 §8. */
import { concatBytes } from "../bytes/compare.ts";
import { INT64_MAX, INT64_MIN, int64 } from "../bytes/int64.ts";
import { fastHash } from "../crypto/hashes.ts";
import { log } from "./log.ts";

const HIT_MAX = 2n ** 64n - 1n;
/** Significant decimal digits of a hit ratio. */
const RATIO_DIGITS = 34;
const MIN_QUOTIENT = 10n ** BigInt(RATIO_DIGITS - 1);
const QUOTIENT_LIMIT = 10n ** BigInt(RATIO_DIGITS);

export const MIN_DELAY_MS = 5_000;
/** Time that generators add to the delay before they forge, ms. Page 03 §10.1, step 6. */
export const EXTRA_DELAY_MS = 1_000;
export const DELAY_FACTOR = 70_000;
export const BALANCE_FACTOR = 5e17;

/** Distance from the parent to the block whose generation signature determines the hit. */
const HIT_DISTANCE = 100;
/** The generating balance is the minimum over this many blocks. */
export const BALANCE_WINDOW = 1_000;

/** Minimum generating balances, units. */
const MINIMUM_BALANCE_BEFORE_FEATURE_1 = 1_000_000_000_000n;
const MINIMUM_BALANCE = 100_000_000_000n;

/** A block's timestamp must be less than this ahead of the clock, ms. */
export const MAX_FUTURE_MS = 100n;

/**
 * Returns a block's generation signature, 32 bytes.
 * @param previous generation signature of the parent
 * @param generator ed25519 key of the generator
 */
export function generationSignature(previous: Uint8Array, generator: Uint8Array): Uint8Array {
  return fastHash(concatBytes(previous, generator));
}

export function hitSourceHeight(parentHeight: number): number {
  return parentHeight > HIT_DISTANCE ? parentHeight - HIT_DISTANCE : parentHeight;
}

/**
 * Returns a generator's hit, an unsigned 64-bit number in little endian. All other numbers are big endian.
 * @param source generation signature of the block at `hitSourceHeight`
 */
export function hit(source: Uint8Array, generator: Uint8Array): bigint {
  const hash = generationSignature(source, generator);
  return new DataView(hash.buffer, hash.byteOffset).getBigUint64(0, true);
}

/** Returns hit / (2^64 - 1), rounded half even to 34 significant digits, then to the nearest double. */
export function hitRatio(hit: bigint): number {
  if (hit === 0n) return 0;
  let exponent = RATIO_DIGITS;
  let scaled = hit * QUOTIENT_LIMIT;
  let quotient = scaled / HIT_MAX;
  while (quotient < MIN_QUOTIENT) {
    exponent++;
    scaled *= 10n;
    quotient = scaled / HIT_MAX;
  }
  while (quotient >= QUOTIENT_LIMIT) {
    exponent--;
    scaled = hit * 10n ** BigInt(exponent);
    quotient = scaled / HIT_MAX;
  }
  const twice = (scaled - quotient * HIT_MAX) * 2n;
  if (twice > HIT_MAX || (twice === HIT_MAX && (quotient & 1n) === 1n)) quotient += 1n;
  return Number(`${quotient}e-${exponent}`);
}

/** Returns the delay before truncation, ms. The order of the two divisions matters. */
export function rawDelay(ratio: number, baseTarget: bigint, balance: bigint): number {
  const quotient = (BALANCE_FACTOR * log(ratio)) / Number(baseTarget) / Number(balance);
  return MIN_DELAY_MS + DELAY_FACTOR * log(1 - quotient);
}

/** Truncates a double toward zero and clamps it to 64 bits. */
function toInt64(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value >= 2 ** 63) return INT64_MAX;
  if (value <= -(2 ** 63)) return INT64_MIN;
  return BigInt(Math.trunc(value));
}

/**
 * Returns a generator's delay, at least 5,000 ms.
 * @param baseTarget base target of the parent
 */
export function fairDelay(hit: bigint, baseTarget: bigint, balance: bigint): bigint {
  return toInt64(rawDelay(hitRatio(hit), baseTarget, balance));
}

/** Returns the earliest time of a block, ms. The sum wraps at 64 bits, as in the reference. */
export function earliestTimestamp(parentTimestamp: bigint, delay: bigint): bigint {
  return int64(parentTimestamp + delay);
}

interface BaseTargetInputs {
  readonly averageBlockDelaySeconds: number;
  readonly parentBaseTarget: bigint;
  readonly timestamp: bigint;
  /** Timestamp of the block three heights lower, ms; undefined up to height 3. */
  readonly greatGrandparentTimestamp?: bigint | undefined;
}

/** Returns the base target of a block. May be 0 or less. */
export function nextBaseTarget(inputs: BaseTargetInputs): bigint {
  const { averageBlockDelaySeconds, parentBaseTarget: previous, greatGrandparentTimestamp } = inputs;
  if (greatGrandparentTimestamp === undefined) return previous;
  // The average is in whole seconds.
  const average = int64(inputs.timestamp - greatGrandparentTimestamp) / 3n / 1_000n;
  const step = previous / 100n > 1n ? previous / 100n : 1n;
  if (average > (90 * averageBlockDelaySeconds) / 60) return int64(previous + step);
  if (average < (30 * averageBlockDelaySeconds) / 60) return int64(previous - step);
  return previous;
}

/**
 * Returns a block's score. A chain's score is the sum of its blocks' scores, including genesis. Page 03 §14.
 * @throws RangeError if the base target is not positive
 */
export function blockScore(baseTarget: bigint): bigint {
  if (baseTarget <= 0n) throw new RangeError(`Base target ${baseTarget} has no score: it must be positive`);
  return 2n ** 64n / baseTarget;
}

/** Heights have 31 bits. */
const MAX_HEIGHT = 2n ** 31n - 1n;

/**
 * Estimates the height of a chain from its score, as if each block beyond `tip` had the base target of `tip`.
 * @param score unverified, so any number
 * @param tip newest block of a known chain, with the chain's score
 */
export function estimateHeight(
  score: bigint,
  tip: { readonly height: number; readonly score: bigint; readonly baseTarget: bigint },
): number {
  const scorePerBlock = blockScore(tip.baseTarget);
  const missing = score - tip.score;
  const blocks = missing > 0n ? (missing + scorePerBlock - 1n) / scorePerBlock : missing / scorePerBlock;
  const height = BigInt(tip.height) + blocks;
  return Number(height < 0n ? 0n : height > MAX_HEIGHT ? MAX_HEIGHT : height);
}

/** @param isReduced true if feature 1 is active at the parent's height */
export function minimumGeneratingBalance(isReduced: boolean): bigint {
  return isReduced ? MINIMUM_BALANCE : MINIMUM_BALANCE_BEFORE_FEATURE_1;
}

export function generatingBalanceWindow(parentHeight: number): { first: number; last: number } {
  return { first: Math.max(1, parentHeight - BALANCE_WINDOW + 1), last: parentHeight };
}

/** An account's balance since the end of the block at `height`. */
export interface BalanceChange {
  readonly height: number;
  readonly balance: bigint;
}

/**
 * Returns an account's minimum balance at the ends of the blocks from `first` to `last`. Before its first change, the
 * balance is 0.
 * @param changes effective balances, newest first; iterated no further than needed
 */
export function minimumBalance(changes: Iterable<BalanceChange>, first: number, last: number): bigint {
  let minimum: bigint | undefined;
  for (const { height, balance } of changes) {
    if (height > last) continue;
    if (minimum === undefined || balance < minimum) minimum = balance;
    if (height <= first) return minimum;
  }
  return minimum === undefined || minimum > 0n ? 0n : minimum;
}

/**
 * Returns the version of new blocks; validation accepts 1 to 4.
 * @param isJuicy true if Juicy is active at the parent
 */
export function blockVersion(isJuicy: boolean): number {
  return isJuicy ? 4 : 3;
}
