/** Each thread measures itself, and collects metrics of the threads that it started. */
import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { MessageChannel, type MessagePort, Worker, type WorkerOptions } from "node:worker_threads";
import type { Clock } from "../../interfaces.ts";
import { counter, gauge, type MetricSamples, type Metrics, MetricsRegistry, noMetrics } from "../metrics.ts";

/** Names of at most 40 threads; further threads share `other`. */
const thread = { max: 40 } as const;

export const threadMetrics = {
  active: counter(
    "holdfast_thread_active_seconds_total",
    "Time during which the thread's event loop was busy. Its rate is the utilisation, from 0 to 1.",
    { thread },
  ),
  idle: counter(
    "holdfast_thread_idle_seconds_total",
    "Time during which the thread's event loop waited for events.",
    { thread },
  ),
  delay: gauge(
    "holdfast_thread_event_loop_delay_seconds",
    "Delay of the thread's event loop since the last scrape: median, 99th percentile and maximum.",
    // Prometheus reserves `quantile` for summaries.
    { thread, statistic: ["median", "p99", "max"] },
  ),
  heap: gauge("holdfast_thread_heap_bytes", "Used size and maximum size of the thread's JavaScript heap.", {
    thread,
    kind: ["used", "limit"],
  }),
} as const;

const DELAY_RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;
const MS_PER_SECOND = 1e3;

const REPORT_TIMEOUT_MS = 1_000;

export interface ThreadReporting {
  readonly name: string;
  readonly port: MessagePort;
}

export interface MetricsCollector {
  readonly metrics: Metrics;
  /** Returns what a new thread needs to report metrics; undefined if metrics are off. */
  connect(name: string): ThreadReporting | undefined;
}

export const noCollector: MetricsCollector = { metrics: noMetrics, connect: () => undefined };

interface ConnectedThread {
  readonly port: MessagePort;
  samples: readonly MetricSamples[];
  onAnswered: (() => void) | undefined;
}

export class ThreadCollector implements MetricsCollector {
  readonly metrics = new MetricsRegistry();
  readonly #clock: Pick<Clock, "after">;
  readonly #threads = new Set<ConnectedThread>();
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });

  constructor(name: string, clock: Pick<Clock, "after">) {
    this.#clock = clock;
    this.#delay.enable();
    observeThread(this.metrics, name, this.#delay);
  }

  connect(name: string): ThreadReporting {
    const { port1, port2 } = new MessageChannel();
    const thread: ConnectedThread = { port: port1, samples: [], onAnswered: undefined };
    this.#threads.add(thread);
    port1.on("message", (samples: readonly MetricSamples[]) => {
      thread.samples = samples;
      thread.onAnswered?.();
    });
    port1.on("close", () => {
      this.#threads.delete(thread);
      thread.onAnswered?.();
    });
    port1.unref();
    return { name, port: port2 };
  }

  /** Returns samples of this thread and the threads that it started: previous ones if a thread does not answer. */
  async samples(): Promise<readonly MetricSamples[]> {
    await Promise.all([...this.#threads].map((thread) => this.#ask(thread)));
    return [...this.metrics.samples(), ...[...this.#threads].flatMap(({ samples }) => samples)];
  }

  close(): void {
    this.#delay.disable();
    for (const { port } of this.#threads) port.close();
    this.#threads.clear();
  }

  #ask(thread: ConnectedThread): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(REPORT_TIMEOUT_MS, resolve, "metrics of threads");
      thread.onAnswered = () => {
        cancel();
        resolve();
      };
      thread.port.postMessage("report");
    });
  }
}

export interface ThreadReports {
  readonly collector: MetricsCollector;
  readonly name: string;
}

/** Starts a thread. Adds the data for its `reportingCollector` to `options.workerData`, which must be an object. */
export function startThread(script: URL, options: WorkerOptions, reports: ThreadReports | undefined): Worker {
  const reporting = reports?.collector.connect(reports.name);
  if (reporting === undefined) return new Worker(script, options);
  const { workerData, transferList = [] } = options;
  return new Worker(script, {
    ...options,
    workerData: { ...workerData, reporting },
    transferList: [...transferList, reporting.port],
  });
}

/**
 * Returns a collector that reports to the thread that started this one; `noCollector` if metrics are off.
 * @param data what the thread received: `workerData`, or a message with the result of `connect` as `reporting`
 * @param clock limits the wait for threads that this one starts
 */
export function reportingCollector(data: unknown, clock: Pick<Clock, "after">): MetricsCollector {
  const { reporting } = (data ?? {}) as { readonly reporting?: ThreadReporting };
  if (reporting === undefined) return noCollector;
  const { name, port } = reporting;
  const collector = new ThreadCollector(name, clock);
  port.on("message", async () => port.postMessage(await collector.samples()));
  // The port must not keep the thread alive.
  port.unref();
  return collector;
}

function observeThread(metrics: Metrics, thread: string, delay: IntervalHistogram): void {
  const { active, idle, delay: eventLoopDelay, heap } = threadMetrics;
  metrics.observe(active, () => [[{ thread }, performance.eventLoopUtilization().active / MS_PER_SECOND]]);
  metrics.observe(idle, () => [[{ thread }, performance.eventLoopUtilization().idle / MS_PER_SECOND]]);
  metrics.observe(eventLoopDelay, () => {
    // The histogram has the times between two samples: for an idle thread, the sampling interval.
    const seconds = (percentile: number): number =>
      Math.max(0, delay.percentile(percentile) / NS_PER_SECOND - DELAY_RESOLUTION_MS / MS_PER_SECOND);
    const [median, p99, max] = [seconds(50), seconds(99), seconds(100)];
    delay.reset();
    return [
      [{ thread, statistic: "median" }, median],
      [{ thread, statistic: "p99" }, p99],
      [{ thread, statistic: "max" }, max],
    ];
  });
  metrics.observe(heap, () => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return [
      [{ thread, kind: "used" }, used],
      [{ thread, kind: "limit" }, limit],
    ];
  });
}
