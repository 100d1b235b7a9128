import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel } from "node:worker_threads";
import type { ApiInfo, FollowingInfo } from "../../api/info.ts";
import { answerControl } from "../../api/ports/control-port.ts";
import { announceCommits } from "../../api/ports/events-port.ts";
import { isLoopback } from "../../bytes/ip.ts";
import type { Settings } from "../../config/settings.ts";
import type { NodeControlHandlers } from "../../control/index.ts";
import { resetThread, type SharedHttpCounts } from "../../http/counts.ts";
import type { TrustSettings } from "../../indexes/trust/settings.ts";
import type { ChainEvents, Clock, Log } from "../../interfaces.ts";
import type { LedgerRules } from "../../ledger/era.ts";
import { LogLevels } from "../../runtime/logging/log-levels.ts";
import { type MetricsCollector, noCollector } from "../../runtime/threads/thread-metrics.ts";
import { ClockOffset } from "../../runtime/time/corrected-clock.ts";
import type { TaskQueue } from "../../runtime/time-sliced-queue.ts";
import type { Store } from "../../storage/store.ts";
import { chainDirectory, networkIdentity, readerContext } from "../composition.ts";
import { packageVersion } from "../version.ts";
import type { ChangingKeys } from "./api-key-file.ts";
import type { ApiThreadMessage, ApiThreadOrder, ListenOptions, RequestLogOptions } from "./api-thread.ts";
import { type HttpThread, startHttpThread } from "./http-thread.ts";

/** Page 06 §2.1. */
const MAX_BODY_BYTES = 1_048_576;
const MINUTE_MS = 60_000;

/** Works from src/node/api and dist/node/api. */
const EXPLORER_DIRECTORY = fileURLToPath(new URL("../../../dist/explorer/", import.meta.url));

/** Returns false if the explorer is not built. Building it needs a newer Node.js than the node. */
export function hasExplorer(): boolean {
  return existsSync(join(EXPLORER_DIRECTORY, "index.html"));
}

export interface ApiLauncher {
  /** Call this once, when chain and wallet are open. */
  serve(dependencies: ApiDependencies): Promise<ApiServer>;
  /** Ends the thread, even before it serves. */
  abandon(): Promise<void>;
}

export interface ApiServer {
  /** `http://<host>:<port>` with the path prefix. */
  readonly url: string;
  readonly port: number;
  /** Separate port of routes that need an API key, if any. */
  readonly adminPort?: number | undefined;
  /** File descriptor of `port`. */
  readonly fd?: number | undefined;
  close(): Promise<void>;
  /** Resolves when serving stops. */
  readonly ended: Promise<void>;
}

export interface ApiDependencies {
  readonly settings: Settings;
  readonly rules: LedgerRules;
  readonly trust: TrustSettings;
  readonly store: Store;
  readonly control: NodeControlHandlers;
  readonly queue: TaskQueue;
  readonly events: ChainEvents;
  readonly namedKeys?: ChangingKeys | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Stops the node because of a fault. */
  readonly giveUp: (reason: Error) => void;
  /** Memory of a follower's `FollowState`. */
  readonly followState?: SharedArrayBuffer | undefined;
  readonly restarts?: number | undefined;
  /** File descriptor of another thread's API port. */
  readonly sharedFd?: number | undefined;
}

/**
 * Returns true if key routes are open to all: on `dev`, on a loopback address, without a configured key. Page 00, part
 * B, row 5.
 */
export function hasOpenKeyRoutes(settings: Settings): boolean {
  const { profile, api } = settings;
  const hasKeys = api.apiKeyHash !== undefined || api.apiKeys !== undefined;
  return profile.name === "dev" && !hasKeys && isLoopback(api.host);
}

interface ApiInfoOptions {
  readonly restarts?: number | undefined;
  readonly maxConnections?: number | undefined;
  readonly followState?: SharedArrayBuffer | undefined;
}

export function apiInfo(
  settings: Settings,
  source: ApiInfo["source"],
  { restarts = 0, maxConnections, followState }: ApiInfoOptions = {},
): ApiInfo {
  const {
    apiKey: _,
    apiKeys: _keys,
    authToken,
    rateLimit,
    explorer,
    threads: _threads,
    ...access
  } = settings.api;
  return {
    ...access,
    network: {
      ...settings.profile,
      displayName: settings.displayName,
      tokenSymbol: settings.tokenSymbol,
    },
    version: packageVersion(),
    hasOpenKeyRoutes: hasOpenKeyRoutes(settings),
    authToken: authToken?.reveal(),
    // A gateway passes hashes to its nodes, which queue or refuse them.
    gathersAnchors: settings.anchoring.mode !== "off" || settings.gateway.from.length > 0,
    maxBodyBytes: MAX_BODY_BYTES,
    rateLimit: rateLimit === 0 ? undefined : { requests: rateLimit, windowMs: MINUTE_MS },
    rollbackDepth: settings.chain.rollbackDepth,
    didResponse: settings.index.didResponse,
    lockedSupply: settings.index.lockedSupply,
    source,
    configuration: settings.shown,
    explorer: explorer ? EXPLORER_DIRECTORY : undefined,
    restarts,
    maxConnections,
    following: followState && followingInfo(settings, followState),
  };
}

function followingInfo({ following, gateway }: Settings, state: SharedArrayBuffer): FollowingInfo {
  const { caFile, forwardsKeyRoutes, maxLagMs, whenStale } = following;
  const ca = caFile === undefined ? undefined : readFileSync(caFile, "utf8");
  const hasNodeControl = gateway.from.length > 0;
  const sources = hasNodeControl ? gateway.urls : following.sources;
  return { sources, hasNodeControl, ca, forwardsKeyRoutes, maxLagMs, whenStale, state };
}

interface ApiThreadOptions {
  readonly offset?: ClockOffset | undefined;
  /** Concurrent HTTP connections; default 1,024. */
  readonly maxConnections?: number | undefined;
  readonly levels?: LogLevels | undefined;
  readonly collector?: MetricsCollector | undefined;
  readonly thread?: number | undefined;
  /** Required for several HTTP threads. */
  readonly counts?: SharedHttpCounts | undefined;
  /** A thread that is used instead of a new one. */
  readonly started?: HttpThread | undefined;
}

export function startApiThread(
  log: Log,
  {
    offset = new ClockOffset(),
    maxConnections,
    collector = noCollector,
    levels = LogLevels.of({ level: "info", areas: {} }),
    thread = 0,
    counts,
    started = startHttpThread(),
  }: ApiThreadOptions = {},
): ApiLauncher {
  const { worker, ended, broken } = started;
  if (counts !== undefined) ended.then(() => resetThread(counts, thread));
  // A caller waiting in `serve` gets the error too.
  broken.catch((error: unknown) => log.error("The HTTP thread failed", { error }));
  const close = () => {
    worker.postMessage("end" satisfies ApiThreadOrder);
    return ended;
  };
  const serve = (dependencies: ApiDependencies): Promise<ApiServer> => {
    const { settings, rules, trust, store, control, queue, events, clock, namedKeys } = dependencies;
    const controlChannel = new MessageChannel();
    const eventsChannel = new MessageChannel();
    const stopAnnouncing = announceCommits(eventsChannel.port1, events);
    const stopSendingKeys = namedKeys?.onChange((newKeys) => {
      worker.postMessage({ newKeys } satisfies ApiThreadOrder);
    });
    ended.then(() => {
      stopAnnouncing();
      stopSendingKeys?.();
      controlChannel.port1.close();
      eventsChannel.port1.close();
    });
    answerControl(controlChannel.port1, control, clock, queue);
    const { restarts = 0, sharedFd } = dependencies;
    if (counts !== undefined) Atomics.store(new Int32Array(counts.restarts), 0, restarts);
    const reporting = collector.connect(thread === 0 ? "http" : `http-${thread + 1}`);
    const order: ApiThreadOrder = {
      source: {
        directory: chainDirectory(settings),
        network: networkIdentity(settings.profile),
        context: readerContext(settings, rules, trust),
        info: apiInfo(
          settings,
          { store: store.id, trustRoot: trust.root },
          { restarts, maxConnections, followState: dependencies.followState },
        ),
        commits: store.commits?.shared,
      },
      listen: listenOptions(settings, thread),
      sharedFd,
      shared: counts && { thread, counts },
      requestLog: requestLogOptions(settings),
      levels: levels.shared,
      namedKeys: namedKeys?.current,
      control: controlChannel.port2,
      events: eventsChannel.port2,
      clockOffset: offset.shared,
      reporting,
    };
    const ports = [controlChannel.port2, eventsChannel.port2];
    worker.postMessage(order, reporting === undefined ? ports : [...ports, reporting.port]);
    const served = new Promise<ApiServer>((resolve, reject) => {
      worker.on("message", (message: ApiThreadMessage) => {
        if (message.kind === "listening") {
          const { apiPort: port, adminPort, fd } = message;
          const url = urlOf(settings.api.host, port, settings.api.prefix);
          resolve({ url, port, adminPort, fd, close, ended });
        }
        // Keep `code`: callers use it to recognise a port in use.
        else if (message.kind === "failed")
          failure = Object.assign(new Error(message.error.message), message.error);
      });
      let failure = new Error("The HTTP thread ended before it listened");
      ended.then(() => reject(failure));
    });
    return Promise.race([served, broken]);
  };
  worker.on("message", (message: ApiThreadMessage) => {
    if (message.kind !== "log") return;
    const { area, level, message: text, fields } = message;
    (log.area?.(area) ?? log)[level](text, fields);
  });
  return { serve, abandon: close };
}

/** Without an admin port, the API's port serves all routes. */
export function listenOptions(
  { api: { host, port, adminHost, adminPort } }: Settings,
  thread = 0,
): ListenOptions {
  const hasAdminPort = adminPort !== undefined;
  const admin = hasAdminPort && thread === 0 ? { host: adminHost, port: adminPort } : undefined;
  return { host, apiPort: port, admin, hasAdminThread: hasAdminPort && thread > 0 };
}

function requestLogOptions({
  api,
  logFormat: format,
  logFile: path,
}: Settings): RequestLogOptions | undefined {
  return api.requestLog ? { format, terminal: process.stdout.isTTY === true, path } : undefined;
}

export function urlOf(host: string, port: number, prefix: string): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}${prefix}`;
}
