import type { MirrorInfo } from "../../postgres/mirror/mirror.ts";
import type { ReadinessProbe } from "../metrics/metrics-server.ts";

/**
 * Returns why the copy in PostgreSQL is not current, and its position.
 * @param info undefined until the node has a store
 * @param maxLagMs maximum time without the node's newest unit, ms
 */
export function mirrorReadiness(info: MirrorInfo | undefined, maxLagMs: number): ReturnType<ReadinessProbe> {
  const reasons: { code: string; message: string }[] = [];
  const add = (code: string, message: string): void => void reasons.push({ code, message });
  if (info === undefined) add("no chain", "The node has no chain yet.");
  else if (!info.isWriter) add("waiting", `The mirror does not write: ${info.problem ?? "it is starting"}.`);
  else if (info.state !== "live") add(info.state ?? "starting", `The mirror is ${info.state ?? "starting"}.`);
  else if (info.lagMs === undefined || info.lagMs > maxLagMs)
    add(
      "lag",
      `The database does not have the node's newest unit${info.problem === undefined ? "" : `: ${info.problem}`}.`,
    );
  return {
    reasons,
    details: {
      mirror: {
        state: info?.state ?? null,
        height: info?.position?.height ?? null,
        lagUnits: info?.lagUnits ?? null,
        lagSeconds: info?.lagMs === undefined ? null : Math.floor(info.lagMs / 1_000),
      },
    },
  };
}
