import { counter, gauge, type Metrics, readOncePerTurn } from "../../runtime/metrics.ts";
import type { FollowLoop } from "./follow-loop.ts";
import type { NodePool } from "./gateway/node-pool.ts";

export const followingMetrics = {
  connected: gauge("holdfast_follow_connected", "Number of sources with an open stream: 0 or 1."),
  lagUnits: gauge(
    "holdfast_follow_lag_units",
    "This node is behind its source by at least this number of units.",
  ),
  lagSeconds: gauge(
    "holdfast_follow_lag_seconds",
    "Time since this node had its source's newest unit; -1 if it never had.",
  ),
  units: counter("holdfast_follow_units_total", "Units applied from sources."),
  undone: counter("holdfast_follow_undone_total", "Blocks undone because the source's chain changed."),
  sourceChanges: counter("holdfast_follow_source_changes_total", "Changes to another source."),
  digestFaults: counter(
    "holdfast_follow_digest_faults_total",
    "Units that were not applied, because their digest differs from the source's.",
  ),
  refusedUnits: counter(
    "holdfast_follow_refused_total",
    "Units that were not applied, because they were malformed or broke the rules of the ledger.",
  ),
  nodes: gauge("holdfast_gateway_nodes", "Nodes that a gateway asks for pool and peers.", {
    state: ["healthy", "unhealthy"],
  }),
} as const;

export function observeFollowing(metrics: Metrics, loop: FollowLoop, nodes: NodePool | undefined): void {
  const info = readOncePerTurn(() => loop.info);
  const { connected, lagUnits, lagSeconds, units, undone, sourceChanges, digestFaults, refusedUnits } =
    followingMetrics;
  metrics.observe(connected, () => (info().source === undefined ? 0 : 1));
  metrics.observe(lagUnits, () => info().lagUnits ?? 0);
  metrics.observe(lagSeconds, () => {
    const { lagMs } = info();
    return lagMs === undefined ? -1 : lagMs / 1_000;
  });
  metrics.observe(units, () => loop.counts.units);
  metrics.observe(undone, () => loop.counts.undone);
  metrics.observe(sourceChanges, () => loop.counts.sourceChanges);
  metrics.observe(digestFaults, () => loop.counts.digestFaults);
  metrics.observe(refusedUnits, () => loop.counts.refusedUnits);
  if (nodes === undefined) return;
  metrics.observe(followingMetrics.nodes, () => {
    const healthy = nodes.nodes.filter(({ isHealthy }) => isHealthy).length;
    return [
      [{ state: "healthy" }, healthy],
      [{ state: "unhealthy" }, nodes.nodes.length - healthy],
    ];
  });
}
