import type { Clock } from "../interfaces.ts";
import { gauge, histogram, type Metrics, readOncePerTurn } from "../runtime/metrics.ts";
import type { Store } from "./store.ts";

const MILLISECONDS = 1_000;
const MAX_COLLECTIONS = 1_000;

export const storeMetrics = {
  size: gauge("holdfast_store_size_bytes", "Size of the store's data file, with free pages."),
  free: gauge(
    "holdfast_store_free_bytes",
    "Pages of the data file that hold no data; commits use them again.",
  ),
  commit: histogram(
    "holdfast_store_commit_seconds",
    "Duration of a commit of the chain or of its indexes, without the work that fills it.",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    {},
  ),
  readers: gauge("holdfast_store_readers", "Open snapshots of the store, in all threads and processes."),
  oldestReader: gauge(
    "holdfast_store_oldest_reader_seconds",
    "Time for which a reader has kept the pages that newer commits replaced, dated by collections; 0 if all see the newest commit.",
  ),
} as const;

/** A store in memory has no figures. */
export function observeStore(
  metrics: Metrics,
  store: Pick<Store, "statistics">,
  clock: Pick<Clock, "monotonic">,
): void {
  const age = new ReaderAge();
  const read = readOncePerTurn(() => store.statistics());
  metrics.observe(storeMetrics.size, () => read()?.sizeBytes);
  metrics.observe(storeMetrics.free, () => read()?.freeBytes);
  metrics.observe(storeMetrics.readers, () => read()?.readers);
  metrics.observe(storeMetrics.oldestReader, () => {
    const statistics = read();
    if (statistics === undefined) return undefined;
    const { newestCommit, oldestRead = newestCommit } = statistics;
    return age.measure(newestCommit, oldestRead, clock.monotonic()) / MILLISECONDS;
  });
}

/**
 * The database knows which commit a reader sees, but not since when a newer one exists. An age is at most one interval
 * of collection too low.
 */
export class ReaderAge {
  /** Newest commits with the time of their first measurement, ms, ascending. */
  readonly #commits: { readonly commit: number; readonly at: number }[] = [];

  /** Returns for how long a newer commit than `oldestRead` is known, ms. @param now ms of the monotonic clock */
  measure(newestCommit: number, oldestRead: number, now: number): number {
    const commits = this.#commits;
    if (newestCommit > (commits.at(-1)?.commit ?? -1)) commits.push({ commit: newestCommit, at: now });
    // The oldest read commit never decreases, so older entries are not needed again.
    const first = commits.findIndex(({ commit }) => commit > oldestRead);
    if (first < 0) {
      commits.length = 0;
      return 0;
    }
    commits.splice(0, first);
    if (commits.length > MAX_COLLECTIONS) commits.splice(1, 1);
    return now - commits[0].at;
  }
}
