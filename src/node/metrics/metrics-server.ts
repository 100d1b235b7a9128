import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type JsonOut, printJson } from "../../bytes/json.ts";
import type { Settings } from "../../config/settings.ts";
import type { Clock, Log } from "../../interfaces.ts";
import { listenAt } from "../../runtime/listen.ts";
import { type MetricSamples, metricsText } from "../../runtime/metrics.ts";
import { type MetricsCollector, noCollector, ThreadCollector } from "../../runtime/threads/thread-metrics.ts";
import { cachedFor } from "../../runtime/timers.ts";
import { urlOf } from "../api/api.ts";
import { allMetrics } from "./all.ts";
import { observeProcess } from "./process-metrics.ts";

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
/** Further connections are closed at once. */
const MAX_CONNECTIONS = 32;
const MAX_HEADER_BYTES = 8_192;
/** Timeout of requests, and of clients that do not read their answer, ms. */
const IDLE_TIMEOUT_MS = 10_000;
const CACHE_LIFETIME_MS = 1_000;

interface MetricsServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly samples: () => Promise<readonly MetricSamples[]>;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Log;
  readonly readiness?: ReadinessProbe | undefined;
}

/** Returns the response of `/health/ready` for a process without an API. Without reasons, the process is ready. */
export type ReadinessProbe = () => {
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  readonly details: Readonly<Record<string, JsonOut>>;
};

export function createMetrics(
  { metricsPort: port, metricsHost: host }: Settings["monitoring"],
  clock: Clock,
  log: Log,
  readiness?: ReadinessProbe,
): {
  readonly collector: MetricsCollector;
  readonly serveMetrics: (() => Promise<MetricsServer>) | undefined;
} {
  if (port === undefined) return { collector: noCollector, serveMetrics: undefined };
  const collector = new ThreadCollector("main", clock);
  collector.metrics.declare(allMetrics.flatMap(({ metrics }) => metrics));
  observeProcess(collector.metrics);
  const samples = (): Promise<readonly MetricSamples[]> => collector.samples();
  return { collector, serveMetrics: () => serveMetrics({ host, port, samples, clock, log, readiness }) };
}

export interface MetricsServer {
  /** `http://<host>:<port>/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

/** @throws ListenFailure if the port is in use or the address not local */
async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, log } = options;
  const cachedText = cachedFor(options.clock, CACHE_LIFETIME_MS, async () =>
    metricsText(await options.samples()),
  );
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: IDLE_TIMEOUT_MS,
      requestTimeout: IDLE_TIMEOUT_MS,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
    },
    (request, response) => {
      answer(request, response, cachedText, options.readiness).catch((error: unknown) => {
        log.error("Collecting the metrics failed", { error });
        response.writeHead(500).end();
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = IDLE_TIMEOUT_MS;
  await listenAt(server, host, port, "metrics");
  server.on("error", (error) => log.warn("The metrics port failed", { error }));
  // Safe cast: the server listens on a port.
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: urlOf(host, listening, "/metrics"),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  cachedText: () => Promise<string>,
  readiness: ReadinessProbe | undefined,
): Promise<void> {
  const path = request.url?.split("?", 1)[0];
  const isProbe = path === "/health/ready" && readiness !== undefined;
  if (path !== "/metrics" && !isProbe) {
    response.writeHead(404, { "content-type": "text/plain" }).end("Not found: metrics are at /metrics\n");
    return;
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { allow: "GET, HEAD" }).end();
    return;
  }
  if (isProbe) {
    const { reasons, details } = readiness();
    const ok = reasons.length === 0;
    response.writeHead(ok ? 200 : 503, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(request.method === "HEAD" ? undefined : printJson({ ok, reasons, ...details }));
    return;
  }
  const body = await cachedText();
  response.writeHead(200, { "content-type": CONTENT_TYPE });
  response.end(request.method === "HEAD" ? undefined : body);
}
