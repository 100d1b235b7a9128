import { readdirSync } from "node:fs";
import { counter, gauge, type Metrics } from "../../runtime/metrics.ts";
import { handleLimit } from "../handles.ts";
import { packageVersion } from "../version.ts";

const MICROSECONDS_PER_SECOND = 1e6;
const MS_PER_SECOND = 1e3;

export const processMetrics = {
  cpu: counter("process_cpu_seconds_total", "Processor time of the process, user and system, in seconds."),
  memory: gauge(
    "process_resident_memory_bytes",
    "Memory that the process occupies, including pages of the store's file.",
  ),
  openFiles: gauge("process_open_fds", "Open file descriptors: files, connections and ports. Linux only."),
  maxFiles: gauge("process_max_fds", "Maximum number of open file descriptors."),
  started: gauge("process_start_time_seconds", "Time at which the process started, in seconds since 1970."),
  build: gauge("holdfast_build_info", "Always 1; the labels are the versions of Holdfast and Node.js.", {
    version: { max: 1 },
    node_version: { max: 1 },
  }),
} as const;

export function observeProcess(metrics: Metrics): void {
  const started = Date.now() / MS_PER_SECOND - process.uptime();
  const limit = handleLimit();
  const version = packageVersion();
  metrics.observe(processMetrics.cpu, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / MICROSECONDS_PER_SECOND;
  });
  metrics.observe(processMetrics.memory, () => process.memoryUsage.rss());
  metrics.observe(processMetrics.openFiles, openFiles);
  metrics.observe(processMetrics.maxFiles, () => limit);
  metrics.observe(processMetrics.started, () => started);
  metrics.observe(processMetrics.build, () => [[{ version, node_version: process.version }, 1]]);
}

/** Returns undefined where the system does not list open descriptors. */
function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
