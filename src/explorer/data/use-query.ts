import { computed, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Attempt, Live, PageContext, QueryOptions } from "../page.ts";
import { now } from "../parts/time/now.ts";

/** Minimum time between two loads of figures that change slowly. */
export const MINUTE_MS = 60_000;
/** The same for figures of whole days. */
export const TEN_MINUTES_MS = 10 * MINUTE_MS;

/** Returns undefined until the value is loaded. @param key must name everything that the value depends on */
export function useQuery<T>(
  { queries }: PageContext,
  key: string,
  load: () => Promise<T>,
  options?: QueryOptions,
): Attempt<T> | undefined {
  const result = queries.get(key, load, options);
  useEffect(() => queries.watch(key), [key]);
  return result.value;
}

const minutes = computed(() => Math.floor(now.value / MINUTE_MS));

const keyBlocks = new WeakMap<Live, ReadonlySignal<string | undefined>>();

/** Returns a version that changes with each key block, but not with micro blocks. */
export function keyBlockVersion(live: Live): string | undefined {
  let version = keyBlocks.get(live);
  if (version === undefined) {
    let height: number | undefined;
    let last: string | undefined;
    version = computed(() => {
      const tip = live.tip.value;
      // A replaced key block can have the same height.
      if (tip !== undefined && (tip.sequence === 0 || tip.height !== height)) {
        ({ height } = tip);
        last = `${height} ${tip.sequence === 0 ? tip.id : ""}`;
      }
      return last;
    });
    keyBlocks.set(live, version);
  }
  return version.value;
}

/** Options of a query that is loaded each minute. */
export function everyMinute({ live }: PageContext): QueryOptions {
  return { version: `${keyBlockVersion(live)} ${minutes.value}`, minIntervalMs: MINUTE_MS };
}

/** Options of a query that is loaded after key blocks, at most once in the interval. */
export function afterKeyBlocks({ live }: PageContext, minIntervalMs = MINUTE_MS): QueryOptions {
  return { version: keyBlockVersion(live), minIntervalMs };
}
