/** Detects that the chain or the event stream has stopped. */
import type { Live, RecentBlock } from "../page.ts";

/** A block takes longer than this many average block times less than once in 50 blocks. */
const MAX_BLOCK_TIMES = 4;
const MIN_STALE_BLOCK_MS = 30_000;
/** The stream sends data at least every 15 s. */
const MAX_SILENCE_MS = 20_000;

/** What has not arrived for how long, in ms. */
export interface Staleness {
  readonly missing: "blocks" | "data";
  readonly sinceMs: number;
}

function averageBlockTime(blocks: readonly RecentBlock[]): number {
  const times = blocks
    .filter(({ reverted, height }) => reverted === undefined && height > 1)
    .map(({ timestamp }) => Number(timestamp));
  if (times.length < 2) return 0;
  return (Math.max(...times) - Math.min(...times)) / (times.length - 1);
}

/** Undefined if the newest data is recent enough. */
export function stalenessOf(
  live: Pick<Live, "tip" | "blocks" | "heardAtMs" | "connection">,
  nowMs: number,
): Staleness | undefined {
  const tip = live.tip.value;
  if (live.connection.value.state !== "live" || tip === undefined) return undefined;
  const silence = nowMs - (live.heardAtMs.value ?? nowMs);
  if (silence > MAX_SILENCE_MS) return { missing: "data", sinceMs: silence };
  const age = nowMs - Number(tip.timestamp);
  const limit = Math.max(MIN_STALE_BLOCK_MS, MAX_BLOCK_TIMES * averageBlockTime(live.blocks.value));
  return age > limit ? { missing: "blocks", sinceMs: age } : undefined;
}
