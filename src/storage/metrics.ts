import type { Clock } from "../interfaces.ts";
import { gauge, histogram, type Metrics, readOncePerTurn } from "../runtime/metrics.ts";
import type { Store } from "./store.ts";

const MS_PER_SECOND = 1_000;
const MAX_COMMITS = 1_000;

export const storeMetrics = {
  size: gauge("holdfast_store_size_bytes", "Size of the store's data file, including free pages."),
  free: gauge(
    "holdfast_store_free_bytes",
    "Size of the free pages in the data file. Later commits reuse them.",
  ),
  commit: histogram(
    "holdfast_store_commit_seconds",
    "Time to write a commit of the chain or its indexes. The time to prepare the changes is not included.",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    {},
  ),
  readers: gauge("holdfast_store_readers", "Open snapshots of the store, in all threads and processes."),
  oldestReader: gauge(
    "holdfast_store_oldest_reader_seconds",
    "Time for which the oldest open snapshot has been outdated, accurate to one scrape interval; 0 if no snapshot is outdated. The store cannot reuse pages that an outdated snapshot needs.",
  ),
} as const;

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
    const { newestCommit, oldestReadCommit = newestCommit } = statistics;
    return age.measure(newestCommit, oldestReadCommit, clock.monotonic()) / MS_PER_SECOND;
  });
}

export class ReaderAge {
  /** Commits in ascending order, with the time at which each was first seen, ms. */
  readonly #commits: { readonly commit: number; readonly at: number }[] = [];

  /** Returns the time since a newer commit than `oldestReadCommit` was first seen, ms. @param now monotonic clock, ms */
  measure(newestCommit: number, oldestReadCommit: number, now: number): number {
    const commits = this.#commits;
    if (newestCommit > (commits.at(-1)?.commit ?? -1)) commits.push({ commit: newestCommit, at: now });
    // The oldest read commit never decreases.
    const first = commits.findIndex(({ commit }) => commit > oldestReadCommit);
    if (first < 0) {
      commits.length = 0;
      return 0;
    }
    commits.splice(0, first);
    if (commits.length > MAX_COMMITS) commits.splice(1, 1);
    return now - commits[0].at;
  }
}
