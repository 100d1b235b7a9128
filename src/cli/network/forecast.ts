/** Predicts ties: two forgers make blocks at almost the same time, so nodes choose different blocks. */
import {
  baseTargetOf,
  expectedGapMs,
  expectedIntervalMs,
  forgingRate,
  MIN_GAP_MS,
  shortestDelaySeconds,
  steadyGapMs,
  steadyRate,
} from "../../consensus/forging-gap.ts";
import { UsageError } from "../exit-codes.ts";
import { countText } from "../numbers.ts";

export interface Forecast {
  readonly balances: readonly bigint[];
  readonly averageDelaySeconds: number;
  readonly baseTarget: bigint;
  /** Expected gap between the two earliest forgers at the initial base target, ms; infinity for one forger. */
  readonly firstGapMs: number;
  /** The same gap at `steadyBaseTarget`, ms; 0 if that is undefined. */
  readonly gapMs: number;
  /** Expected time between blocks at `steadyBaseTarget`, ms. */
  readonly intervalMs: number | undefined;
  /** Base target that rises as often as it falls; undefined if it only rises. */
  readonly steadyBaseTarget: bigint | undefined;
}

/** @param balances each above 0; at least one */
export function forecastOf(
  balances: readonly bigint[],
  averageDelaySeconds: number,
  baseTarget: bigint,
): Forecast {
  const total = balances.reduce((sum, balance) => sum + balance, 0n);
  const rate = steadyRate(averageDelaySeconds);
  return {
    balances,
    averageDelaySeconds,
    baseTarget,
    firstGapMs: expectedGapMs(forgingRate(baseTarget, total), balances),
    gapMs:
      balances.length < 2 ? Number.POSITIVE_INFINITY : rate === undefined ? 0 : expectedGapMs(rate, balances),
    intervalMs: rate === undefined ? undefined : expectedIntervalMs(rate),
    steadyBaseTarget: rate === undefined ? undefined : baseTargetOf(rate, total),
  };
}

/** Returns how many other forgers a node needs for a majority. */
export function forgeQuorum(forgers: number): number {
  return Math.floor(forgers / 2);
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

const delayTooShortText = (delaySeconds: number, forgers: number) =>
  `block delay of ${delaySeconds} s is too short for ${countText(forgers, "forger")}: the expected gap between the two earliest is`;
const REQUIRED_GAP_TEXT = `; at least ${seconds(MIN_GAP_MS)} s are needed, or nodes stay on separate chains of equal score`;

/** Returns a warning if forgers of an existing network tie often, else "". @param balances each above 0 */
export function tieWarning(balances: readonly bigint[], averageDelaySeconds: number): string {
  const gapMs = balances.length < 2 ? Number.POSITIVE_INFINITY : steadyGapMs(averageDelaySeconds, balances);
  if (gapMs >= MIN_GAP_MS) return "";
  return (
    `Warning: the ${delayTooShortText(averageDelaySeconds, balances.length)} ${seconds(gapMs)} s in the long run${REQUIRED_GAP_TEXT}. ` +
    `The delay of a network cannot change: create another network with --dir and a delay of at least ${shortestDelaySeconds(balances)} s\n`
  );
}

/** @throws UsageError if forgers would tie often */
export function requireForgingGap(forecast: Forecast): void {
  const { balances, averageDelaySeconds, baseTarget, firstGapMs, gapMs, steadyBaseTarget } = forecast;
  const forgers = countText(balances.length, "forger");
  if (gapMs < MIN_GAP_MS)
    throw new UsageError(
      `A ${delayTooShortText(averageDelaySeconds, balances.length)} ${seconds(firstGapMs)} s at first and ${seconds(gapMs)} s in the long run${REQUIRED_GAP_TEXT}. Use at least ${shortestDelaySeconds(balances)} s`,
    );
  if (firstGapMs < MIN_GAP_MS)
    throw new UsageError(
      `The base target ${baseTarget} is too high for ${forgers}: the expected gap between the two earliest is ${seconds(firstGapMs)} s at first${REQUIRED_GAP_TEXT}. Use ${steadyBaseTarget}`,
    );
}

export function forecastText({ balances, gapMs, intervalMs }: Forecast): string {
  const forgers = balances.length;
  if (forgers < 2 || intervalMs === undefined) return "";
  return `${forgers} forgers make a block every ${seconds(intervalMs)} s on average; the two earliest forgers of a block are ${seconds(gapMs)} s apart\n`;
}

export function quorumText({ balances: { length } }: Forecast): string {
  if (length < 2) return "";
  const quorum = forgeQuorum(length);
  return `If each forger has its own node, start them with --forge-quorum ${quorum}: a node then forges only while ${countText(quorum, "other")} ${quorum === 1 ? "is" : "are"} connected\n`;
}
