/** All metrics, in the order of docs/metrics.md. */
import { anchoringMetrics } from "../../anchoring/metrics.ts";
import { apiMetrics } from "../../api/metrics.ts";
import { chainMetrics } from "../../chain/metrics.ts";
import { forgingMetrics } from "../../forging/metrics.ts";
import { httpMetrics } from "../../http/metrics.ts";
import { indexMetrics } from "../../indexes/metrics.ts";
import { poolMetrics } from "../../mempool/metrics.ts";
import { peerMetrics, syncMetrics } from "../../peers/metrics.ts";
import type { MetricDefinition } from "../../runtime/metrics.ts";
import { threadMetrics } from "../../runtime/threads/thread-metrics.ts";
import { storeMetrics } from "../../storage/metrics.ts";
import { backupMetrics } from "../backups/backup-schedule.ts";
import { diskMetrics } from "../disk-space.ts";
import { followingMetrics } from "../following/metrics.ts";
import { mirrorMetrics } from "../mirroring/metrics.ts";
import { processMetrics } from "./process-metrics.ts";

export interface MetricArea {
  readonly title: string;
  readonly metrics: readonly MetricDefinition[];
}

export const allMetrics: readonly MetricArea[] = [
  { title: "Chain", metrics: Object.values(chainMetrics) },
  { title: "Forging", metrics: Object.values(forgingMetrics) },
  { title: "Pool", metrics: Object.values(poolMetrics) },
  { title: "Indexes", metrics: Object.values(indexMetrics) },
  { title: "Store", metrics: Object.values(storeMetrics) },
  { title: "Peers", metrics: Object.values(peerMetrics) },
  { title: "Synchronization", metrics: Object.values(syncMetrics) },
  { title: "Following", metrics: Object.values(followingMetrics) },
  { title: "Copy in PostgreSQL", metrics: Object.values(mirrorMetrics) },
  { title: "Anchoring", metrics: Object.values(anchoringMetrics) },
  { title: "REST API", metrics: [...Object.values(apiMetrics), ...Object.values(httpMetrics)] },
  { title: "Threads", metrics: Object.values(threadMetrics) },
  { title: "Disk", metrics: Object.values(diskMetrics) },
  { title: "Backup", metrics: Object.values(backupMetrics) },
  { title: "Process", metrics: Object.values(processMetrics) },
];
