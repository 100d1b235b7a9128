import type { Mirror, MirrorCounts } from "../../postgres/mirror/mirror.ts";
import { counter, gauge, type Metrics, readOncePerTurn } from "../../runtime/metrics.ts";

const STATES = ["waiting", "filling", "indexing", "live"] as const;

export const mirrorMetrics = {
  state: gauge(
    "holdfast_mirror_state",
    "Is 1 for the current state of the copy in PostgreSQL, 0 for the others. `waiting`: this mirror does not have the right to write; `filling`: it makes the first copy; `indexing`: the database builds indexes; `live`: it copies each new unit.",
    { state: STATES },
  ),
  lagUnits: gauge(
    "holdfast_mirror_lag_units",
    "The database is behind the node by at least this number of units.",
  ),
  lagSeconds: gauge(
    "holdfast_mirror_lag_seconds",
    "Time since the database had the node's newest unit; -1 if it never had.",
  ),
  height: gauge("holdfast_mirror_height", "Height of the newest unit in the database."),
  units: counter("holdfast_mirror_units_total", "Units written to the database."),
  transactions: counter("holdfast_mirror_transactions_total", "Transactions written to the database."),
  commits: counter("holdfast_mirror_commits_total", "Commits of units."),
  undone: counter("holdfast_mirror_undone_units_total", "Units undone because the node's chain changed."),
  retries: counter(
    "holdfast_mirror_retries_total",
    "Number of times that the mirror lost the database or its right to write, and tried again.",
  ),
} as const;

const noCounts: MirrorCounts = { units: 0, transactions: 0, commits: 0, undoneUnits: 0, retries: 0 };

export function observeMirror(metrics: Metrics, current: () => Mirror | undefined): void {
  const info = readOncePerTurn(() => current()?.info);
  const counts = (): MirrorCounts => current()?.counts ?? noCounts;
  metrics.observe(mirrorMetrics.state, () => {
    const state = info()?.isWriter === true ? info()?.state : "waiting";
    return STATES.map((name) => [{ state: name }, name === state ? 1 : 0]);
  });
  metrics.observe(mirrorMetrics.lagUnits, () => info()?.lagUnits ?? 0);
  metrics.observe(mirrorMetrics.lagSeconds, () => {
    const lagMs = info()?.lagMs;
    return lagMs === undefined ? -1 : lagMs / 1_000;
  });
  metrics.observe(mirrorMetrics.height, () => info()?.position?.height ?? 0);
  metrics.observe(mirrorMetrics.units, () => counts().units);
  metrics.observe(mirrorMetrics.transactions, () => counts().transactions);
  metrics.observe(mirrorMetrics.commits, () => counts().commits);
  metrics.observe(mirrorMetrics.undone, () => counts().undoneUnits);
  metrics.observe(mirrorMetrics.retries, () => counts().retries);
}
