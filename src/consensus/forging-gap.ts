/**
 * Expected time between the two earliest forgers of a block. Page 03 §8.3, §8.4, §14.
 *
 * The hit ratio is uniformly distributed, so -ln(ratio) is exponentially distributed. A forger's delay is
 * MIN_DELAY + K ln(1 + X) with K = DELAY_FACTOR. X is exponential with the rate base target × balance / BALANCE_FACTOR.
 * The smallest X of all forgers is exponential with the sum R of their rates. With m(r) = E[ln(1 + X)] at the rate r,
 * the expected earliest delay is MIN_DELAY + K m(R). For n numbers, let s(i) be the smallest one without number i. The
 * second smallest is the sum of all s(i), minus (n - 1) times the smallest. So the expected gap is K × the sum of all
 * (m(R - rate i) - m(R)).
 */
import { BALANCE_FACTOR, DELAY_FACTOR, EXTRA_DELAY_MS, MIN_DELAY_MS } from "./proof-of-stake.ts";

/** Minimum expected gap of a new network's forgers, ms. */
export const MIN_GAP_MS = 2_000;
const MIN_INTERVAL_SECONDS = (MIN_DELAY_MS + EXTRA_DELAY_MS) / 1_000;

const MAX_DELAY_SECONDS = 3_600;

const EULER_GAMMA = 0.577_215_664_901_532_9;
/** This number of terms suffices for both expansions of `meanLog`. */
const TERMS = 100;

/** Bins of a computed distribution. */
const BINS = 400;
/** `steadyRate` searches between these logarithms of rates. */
const MIN_LOG_RATE = -60;
const MAX_LOG_RATE = 20;
const BISECTIONS = 50;

/** Returns E[ln(1 + X)] = e^rate × E1(rate) for an exponential X. @param rate at least 0; 0 gives infinity */
function meanLog(rate: number): number {
  if (rate <= 0) return Number.POSITIVE_INFINITY;
  if (rate < 1) {
    let sum = -EULER_GAMMA - Math.log(rate);
    let term = 1;
    for (let k = 1; k <= TERMS; k++) {
      term *= -rate / k;
      sum -= term / k;
    }
    return Math.exp(rate) * sum;
  }
  // Continued fraction 1/(rate + 1 - 1/(rate + 3 - 4/(rate + 5 - …))), evaluated from its end.
  let tail = 0;
  for (let k = TERMS; k >= 1; k--) tail = (k * k) / (rate + 2 * k + 1 - tail);
  return 1 / (rate + 1 - tail);
}

/** Returns the rate of all forgers together. @param balance sum of their balances */
export function forgingRate(baseTarget: bigint, balance: bigint): number {
  return (Number(baseTarget) * Number(balance)) / BALANCE_FACTOR;
}

/** Inverts `forgingRate`. @param balance sum of all forgers' balances, above 0 */
export function baseTargetOf(rate: number, balance: bigint): bigint {
  return BigInt(Math.max(1, Math.round((rate * BALANCE_FACTOR) / Number(balance))));
}

/**
 * Returns the expected gap between the two earliest forgers, ms; infinity for one forger.
 * @param rate rate of all forgers together
 * @param balances balances of the forgers, each above 0
 */
export function expectedGapMs(rate: number, balances: readonly bigint[]): number {
  if (balances.length < 2) return Number.POSITIVE_INFINITY;
  const total = Number(balances.reduce((sum, balance) => sum + balance, 0n));
  const earliest = meanLog(rate);
  let gap = 0;
  for (const balance of balances) gap += meanLog(rate * (1 - Number(balance) / total)) - earliest;
  return DELAY_FACTOR * gap;
}

/** Returns the expected time between two blocks, ms. @param rate rate of all forgers together */
export function expectedIntervalMs(rate: number): number {
  return MIN_DELAY_MS + EXTRA_DELAY_MS + DELAY_FACTOR * meanLog(rate);
}

/**
 * Returns the rate at which the base target rises as often as it falls.
 * @returns undefined if the base target can only rise, because no interval is short enough to lower it
 */
export function steadyRate(averageDelaySeconds: number): number | undefined {
  // Thresholds for the sum of three block intervals, in seconds above its minimum.
  const risesFrom = 3 * (Math.floor(1.5 * averageDelaySeconds) + 1 - MIN_INTERVAL_SECONDS);
  const fallsBelow = 3 * (Math.ceil(0.5 * averageDelaySeconds) - MIN_INTERVAL_SECONDS);
  if (fallsBelow <= 0) return undefined;
  let low = MIN_LOG_RATE;
  let high = MAX_LOG_RATE;
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (low + high) / 2;
    const { above, below } = excessOfThree(Math.exp(middle), risesFrom, fallsBelow);
    if (above > below) low = middle;
    else high = middle;
  }
  return Math.exp((low + high) / 2);
}

/**
 * Returns the shortest average block delay, at least 5 s, at which the expected gap is at least `MIN_GAP_MS`.
 * @param balances balances of the forgers, each above 0
 * @throws RangeError if no delay up to an hour suffices
 */
export function shortestDelaySeconds(balances: readonly bigint[]): number {
  for (let seconds = MIN_DELAY_MS / 1_000; seconds <= MAX_DELAY_SECONDS; seconds++)
    if (balances.length < 2 || steadyGapMs(seconds, balances) >= MIN_GAP_MS) return seconds;
  throw new RangeError(
    `No block delay up to ${MAX_DELAY_SECONDS} s keeps ${balances.length} forgers ${MIN_GAP_MS} ms apart`,
  );
}

/** Returns the expected gap at the steady rate, ms; 0 if there is no steady rate. */
export function steadyGapMs(averageDelaySeconds: number, balances: readonly bigint[]): number {
  const rate = steadyRate(averageDelaySeconds);
  return rate === undefined ? 0 : expectedGapMs(rate, balances);
}

/**
 * Returns the probabilities that three block intervals together exceed their minimum by at least `risesFrom` seconds
 * (`above`) and by less than `fallsBelow` seconds (`below`).
 */
function excessOfThree(
  rate: number,
  risesFrom: number,
  fallsBelow: number,
): { above: number; below: number } {
  const binWidth = risesFrom / BINS;
  const survival = (seconds: number) => Math.exp(-rate * Math.expm1((seconds * 1_000) / DELAY_FACTOR));
  const one = Array.from({ length: BINS }, (_, i) => survival(i * binWidth) - survival((i + 1) * binWidth));
  const two = convolve(one, one);
  const three = convolve(two, one);
  let below = 0;
  let within = 0;
  for (const [i, probability] of three.entries()) {
    // The sum of three excesses has this mean in bin i.
    const mean = (i + 1.5) * binWidth;
    if (mean < fallsBelow) below += probability;
    if (mean < risesFrom) within += probability;
  }
  return { above: 1 - within, below };
}

function convolve(a: readonly number[], b: readonly number[]): number[] {
  const sum = new Array<number>(BINS).fill(0);
  for (let i = 0; i < BINS; i++) for (let j = 0; i + j < BINS; j++) sum[i + j] += a[i] * b[j];
  return sum;
}
