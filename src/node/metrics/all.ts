/** All metrics by area, in the order of docs/metrics.md. A room adds its definitions here. */
import { anchoringMetrics } from "../../anchoring/metrics.ts";
import { apiMetrics } from "../../api/metrics.ts";
import { httpMetrics } from "../../http/metrics.ts";
import { peerMetrics, syncMetrics } from "../../peers/metrics.ts";
import type { MetricDefinition } from "../../runtime/metrics.ts";
import { threadMetrics } from "../../runtime/thread-metrics.ts";
import { processMetrics } from "./process-metrics.ts";

export interface MetricArea {
  readonly title: string;
  readonly metrics: readonly MetricDefinition[];
}

export const allMetrics: readonly MetricArea[] = [
  { title: "Peers", metrics: Object.values(peerMetrics) },
  { title: "Synchronization", metrics: Object.values(syncMetrics) },
  { title: "Anchoring", metrics: Object.values(anchoringMetrics) },
  { title: "REST API", metrics: [...Object.values(apiMetrics), ...Object.values(httpMetrics)] },
  { title: "Threads", metrics: Object.values(threadMetrics) },
  { title: "Process", metrics: Object.values(processMetrics) },
];
