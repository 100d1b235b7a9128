import { type MessagePort, parentPort } from "node:worker_threads";
import { isFaultOfRenderedPage } from "../../api/server/page-content.ts";
import { serveOnPort } from "../../api/server/serve-on-port.ts";
import type { NamedKey } from "../../http/access/named-keys.ts";
import { type SharedHttpCounts, sharedHttpCounts } from "../../http/counts.ts";
import type { Log } from "../../interfaces.ts";
import type { LogOptions } from "../../log.ts";
import { areaLog } from "../../runtime/area-log.ts";
import { LogFile } from "../../runtime/logging/log-file.ts";
import { LogLevels } from "../../runtime/logging/log-levels.ts";
import { logWithAreas } from "../../runtime/logging/log-with-areas.ts";
import { writeToStandardError } from "../../runtime/logging/standard-error.ts";
import { superviseProcess } from "../../runtime/supervise-process.ts";
import { Supervisor } from "../../runtime/supervisor.ts";
import { systemClock } from "../../runtime/system.ts";
import { sharePort } from "../../runtime/threads/share-port.ts";
import { reportingCollector, type ThreadReporting } from "../../runtime/threads/thread-metrics.ts";
import { ClockOffset, correctedClock } from "../../runtime/time/corrected-clock.ts";
import { openReadOnly, type ReadOnlySource } from "./read-only-source.ts";
import { createReaderThread, READER_THREAD_COUNT } from "./readers.ts";
import { tickReader } from "./tick-reader.ts";

export interface RequestLogOptions extends Pick<LogOptions, "format" | "terminal"> {
  /** The node's thread rotates this log file. */
  readonly path: string | undefined;
}

export interface ListenOptions {
  readonly host: string;
  readonly apiPort: number;
  readonly admin: { readonly host: string; readonly port: number } | undefined;
  /** True if another thread serves key routes on a port of their own. */
  readonly hasAdminThread: boolean;
}

export type ApiThreadOrder =
  | {
      readonly source: ReadOnlySource;
      readonly listen: ListenOptions;
      /** File descriptor of another thread's API port. */
      readonly sharedFd: number | undefined;
      /** Number of this thread, from 0, and the counts that HTTP threads share; undefined for a single thread. */
      readonly shared: { readonly thread: number; readonly counts: SharedHttpCounts } | undefined;
      readonly requestLog: RequestLogOptions | undefined;
      /** Memory of the `LogLevels`. */
      readonly levels: SharedArrayBuffer;
      readonly control: MessagePort;
      /** Receives an event for each commit. */
      readonly events: MessagePort;
      /** Memory of the `ClockOffset`. */
      readonly clockOffset: SharedArrayBuffer;
      readonly namedKeys: readonly NamedKey[] | undefined;
      /** For the thread's metrics; undefined if metrics are off. */
      readonly reporting: ThreadReporting | undefined;
    }
  | { readonly newKeys: readonly NamedKey[] }
  | "end";

export type ApiThreadMessage =
  | {
      readonly kind: "listening";
      readonly apiPort: number;
      readonly adminPort: number | undefined;
      readonly fd: number;
    }
  | {
      readonly kind: "failed";
      readonly error: {
        readonly message: string;
        readonly code: string | undefined;
        readonly syscall: string | undefined;
      };
    }
  | {
      readonly kind: "log";
      readonly area: string;
      readonly level: "debug" | "info" | "warn" | "error";
      readonly message: string;
      readonly fields: Record<string, unknown> | undefined;
    };

if (parentPort === null) throw new Error("This file is the entry of a thread");
const parent = parentPort;
const send = (message: ApiThreadMessage): void => parent.postMessage(message);

/** The node's thread filters log lines until `serve` sets the levels. */
let levels = LogLevels.of({ level: "trace", areas: {} });
const forwardedLog = logWithAreas(
  { isEnabled: (level, area) => levels.isEnabled(level, area) },
  (area, level, message, fields) => send({ kind: "log", area, level, message, fields }),
);
const log: Log = areaLog(forwardedLog, "api");

const supervisor = new Supervisor(log, systemClock);
const endSupervision = superviseProcess(
  supervisor,
  (error) => {
    endSupervision();
    // Ends only this thread; `restarting-api.ts` starts another one.
    setImmediate(() => {
      throw error;
    });
  },
  (error) => {
    const isOfPage = isFaultOfRenderedPage(error);
    if (isOfPage) log.error("Fault of a page that was rendered: the node continues", { error });
    return isOfPage;
  },
);

let close: () => Promise<void> = async () => {};
let serving: Promise<void> | undefined;
let isEnding = false;

const namedKeys: { current: readonly NamedKey[] | undefined } = { current: undefined };

async function createRequestLog({ path, ...options }: RequestLogOptions): Promise<Log> {
  // Loads pino, which no other log of this thread needs.
  const { createLog } = await import("../../log.ts");
  const file =
    path === undefined
      ? undefined
      : new LogFile(
          { path, maxBytes: 0, maxAgeMs: 0, keep: 1 },
          { clock: systemClock, fallback: writeToStandardError },
        );
  return areaLog(createLog({ ...options, levels, file }), "api");
}

async function serve(order: Extract<ApiThreadOrder, { readonly source: ReadOnlySource }>): Promise<void> {
  const { source, control, events, clockOffset } = order;
  levels = new LogLevels(order.levels);
  const { store, context, close: closeStores } = await openReadOnly(source);
  // "end" may have arrived while modules were loading.
  await new Promise((resolve) => setImmediate(resolve));
  if (isEnding) return closeStores();
  const collector = reportingCollector(order, supervisor.clock(systemClock));
  const counts = order.shared && sharedHttpCounts(order.shared.counts, order.shared.thread);
  const { threads = 1, thread = 0 } = counts ?? {};
  const readerCount = Math.max(1, Math.floor(READER_THREAD_COUNT / threads));
  const readers = Array.from({ length: readerCount }, (_, i) =>
    createReaderThread(source, log, { collector, name: `reader-${thread * readerCount + i + 1}` }),
  );
  const closeStoresAndPorts = async (): Promise<void> => {
    await closeStores();
    control.close();
    events.close();
  };
  try {
    const server = await serveOnPort({
      port: control,
      events,
      reader: tickReader(store, context),
      info: source.info,
      namedKeys,
      clock: supervisor.clock(correctedClock(systemClock, new ClockOffset(clockOffset))),
      log,
      metrics: collector.metrics,
      onPortError: (name, error) => supervisor.machineFailed(name, error),
      ...order.listen,
      handle: order.sharedFd === undefined ? undefined : await sharePort(order.sharedFd),
      counts,
      requestLog: order.requestLog && (await createRequestLog(order.requestLog)),
      readerThreads: readers,
    });
    close = async () => {
      await server.close();
      await Promise.all(readers.map((reader) => reader.close()));
      await closeStoresAndPorts();
    };
    const { apiPort, adminPort, handle } = server;
    send({ kind: "listening", apiPort, adminPort, fd: handle.fd });
  } catch (error) {
    await closeStoresAndPorts();
    const { message, code, syscall } = error as NodeJS.ErrnoException;
    send({ kind: "failed", error: { message, code, syscall } });
    parent.close();
  }
}

parent.on("message", async (order: ApiThreadOrder) => {
  if (order !== "end" && "newKeys" in order) {
    namedKeys.current = order.newKeys;
    return;
  }
  if (order !== "end") {
    namedKeys.current = order.namedKeys;
    serving = serve(order);
    return serving;
  }
  isEnding = true;
  // The server may still be opening.
  await serving;
  await close();
  parent.close();
});
