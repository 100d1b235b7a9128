import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { bytesEqual } from "../bytes/compare.ts";
import type { Settings } from "../config/settings.ts";
import { addressText } from "../crypto/addresses.ts";
import { shareHttpCounts } from "../http/counts.ts";
import type { Clock, Log, UnitSource } from "../interfaces.ts";
import { DiskPeersFile } from "../peers/database/peers-file.ts";
import { areaLog } from "../runtime/area-log.ts";
import { exposedText } from "../runtime/exposed-file.ts";
import { type ListenFailure, listenAt } from "../runtime/listen.ts";
import type { LogLevels } from "../runtime/logging/log-levels.ts";
import { Supervisor } from "../runtime/supervisor.ts";
import { systemClock, systemFiles, systemRandom } from "../runtime/system.ts";
import { createHosts } from "../runtime/system-hosts.ts";
import { createTcpTransport } from "../runtime/tcp-transport.ts";
import { DEFAULT_CHECKER_THREADS } from "../runtime/threads/thread-count.ts";
import type { MetricsCollector } from "../runtime/threads/thread-metrics.ts";
import { ClockOffset, correctedClock } from "../runtime/time/corrected-clock.ts";
import { NetworkTime } from "../runtime/time/network-time.ts";
import { askTimeServer, type TimeServer } from "../runtime/time/sntp-client.ts";
import { namedClock } from "../runtime/timers.ts";
import { withDiskErrors } from "../storage/disk/disk-error.ts";
import type { Store } from "../storage/store.ts";
import type { NetworkRules } from "../transactions/index.ts";
import { threadVerifier } from "../verification/verifier.ts";
import { WalletError } from "../wallet/errors.ts";
import {
  beginNewWalletKey,
  exposedFiles,
  type NewWalletKey,
  openWallet,
  previewWallet,
} from "../wallet/open.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { startApiThread } from "./api/api.ts";
import type { EarlyHttpThread } from "./api/http-thread.ts";
import { restartingApi } from "./api/restarting-api.ts";
import { threadBackups } from "./backups/backup-runner.ts";
import { chainDirectory, hasNoStore, openNodeStore } from "./composition.ts";
import { openAnchorStore } from "./control/anchoring.ts";
import type { Environment, StoreEnvironment } from "./environment.ts";
import type { FollowerEnvironment } from "./following/create-follower.ts";
import type { HandleBudget } from "./handles.ts";
import { createMetrics } from "./metrics/metrics-server.ts";
import { measureResources } from "./metrics/resources.ts";
import { threadMirror } from "./mirroring/mirror-runner.ts";
import { threadSignatureChecker } from "./unchecked/signature-check-runner.ts";

interface Logs {
  readonly log: Log;
  readonly levels: LogLevels;
}

interface Closers {
  /** Steps run in reverse order. */
  defer(close: () => Promise<void> | void): void;
  close(): Promise<void>;
}

function createClosers(): Closers {
  const steps: (() => Promise<void> | void)[] = [];
  return {
    defer: (close) => void steps.push(close),
    async close() {
      for (const step of steps.splice(0).reverse()) await step();
    },
  };
}

/**
 * Opens or creates the store while the HTTP thread loads.
 * @param early becomes the first HTTP thread, or ends if the settings have no HTTP
 * @param checkNew called before a new store is created; may throw to prevent that
 * @throws what opening the store and `checkNew` throw; the reason of `signal`. The caller must then close `closers`.
 */
async function openStoreEnvironment(
  settings: Settings,
  { log, levels }: Logs,
  handles: HandleBudget,
  closers: Closers,
  signal: AbortSignal | undefined,
  early: EarlyHttpThread | undefined,
  checkNew: () => Promise<void>,
) {
  if (handles.warning !== undefined) log.warn(handles.warning);
  const supervisor = new Supervisor(log, systemClock);
  const machineClock = supervisor.clock(systemClock);
  const offset = new ClockOffset();
  const { collector, serveMetrics } = createMetrics(settings.monitoring, machineClock, log);
  const { threads } = settings.api;
  const counts =
    threads === 1 ? undefined : shareHttpCounts(threads, handles.connections, randomInt(2 ** 31));
  const http = settings.api.enabled
    ? restartingApi(
        (thread) =>
          startApiThread(areaLog(log, "api"), {
            levels,
            offset,
            maxConnections: handles.connections,
            collector,
            thread,
            counts,
            started: early?.take(),
          }),
        settings.api.threads,
      )
    : undefined;
  if (http === undefined) void early?.take()?.worker.terminate();
  else closers.defer(http.abandon);
  const open = async (): Promise<Store> => {
    const store = await openNodeStore(settings, { log, signal });
    closers.defer(() => store.close());
    return store;
  };
  // Check the ports before creating a store.
  const isNew = await hasNoStore(settings);
  const existing = isNew ? undefined : await open();
  const { api } = settings;
  if (api.enabled) await checkPort("api", api.host, api.port);
  if (api.enabled && api.adminPort !== undefined) await checkPort("admin", api.adminHost, api.adminPort);
  const { metricsPort, metricsHost } = settings.monitoring;
  if (metricsPort !== undefined) await checkPort("metrics", metricsHost, metricsPort);
  signal?.throwIfAborted();
  if (isNew) await checkNew();
  signal?.throwIfAborted();
  const store = existing ?? (await open());
  const startClock = (): Pick<StoreEnvironment, "clock" | "clockErrorMs"> => {
    const time =
      settings.ntpServer === undefined
        ? undefined
        : startTimeSync(settings.ntpServer, offset, log, machineClock);
    closers.defer(() => time?.stop());
    return { clock: correctedClock(machineClock, offset), clockErrorMs: () => time?.refusedOffsetMs };
  };
  return {
    startClock,
    supervisor,
    log,
    logLevels: levels,
    store,
    files: systemFiles,
    verifier: (network: NetworkRules) =>
      threadVerifier(network, DEFAULT_CHECKER_THREADS, { log, servesClients: true, collector }),
    resources: () => measureResources(chainDirectory(settings)),
    backups: settings.backup.everyMs === 0 ? undefined : threadBackups(settings),
    mirror: mirrorOf(settings, collector),
    http,
    metrics: collector.metrics,
    serveMetrics,
    close: closers.close,
  };
}

/**
 * Opens or creates store and wallet while the HTTP thread loads.
 * @param handles maximum HTTP connections
 * @param signal aborts before the next step, but not between creating a new store and its wallet
 * @throws what opening store and wallet throws; the reason of `signal`. Everything is then closed.
 */
export async function createSystemEnvironment(
  settings: Settings,
  logs: Logs,
  handles: HandleBudget,
  signal?: AbortSignal,
  early?: EarlyHttpThread,
): Promise<Environment> {
  const closers = createClosers();
  const { log } = logs;
  let begun: NewWalletKey | undefined;
  try {
    const { startClock, ...opened } = await openStoreEnvironment(
      settings,
      logs,
      handles,
      closers,
      signal,
      early,
      async () => {
        await checkWallet(settings);
        // A thread derives the key while the store is created.
        begun = await withDiskErrors(settings.dataDir, () => beginNewWalletKey(settings));
      },
    );
    const { supervisor } = opened;
    const anchors = await openAnchorStore(settings, log);
    if (anchors !== undefined) closers.defer(() => anchors.close());
    const walletLog = areaLog(log, "wallet");
    const wallet = await withDiskErrors(settings.dataDir, () =>
      openWallet(settings, { log: walletLog, begun }),
    );
    closers.defer(() => wallet.close());
    checkHashAccount(wallet, settings);
    for (const path of exposedFiles(settings.wallet.file)) walletLog.warn(exposedText(path));
    return {
      ...opened,
      ...startClock(),
      random: systemRandom,
      transport: createTcpTransport({
        onPortError: (error) => supervisor.machineFailed("port for peers", error),
        log,
      }),
      hosts: createHosts((error) => supervisor.failed("own addresses", error)),
      anchors,
      wallet,
      peersFile: (path) => new DiskPeersFile(path),
      signatureChecker: threadSignatureChecker(settings),
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** Like `createSystemEnvironment`, for a follower, which has no wallet. */
export async function createFollowerEnvironment(
  settings: Settings,
  logs: Logs,
  handles: HandleBudget,
  sources: readonly UnitSource[],
  signal?: AbortSignal,
  early?: EarlyHttpThread,
): Promise<FollowerEnvironment> {
  const closers = createClosers();
  try {
    const { startClock, ...opened } = await openStoreEnvironment(
      settings,
      logs,
      handles,
      closers,
      signal,
      early,
      async () => {},
    );
    return { ...opened, ...startClock(), anchors: undefined, sources };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** Checks the wallet before the store is created. @throws what opening it and `checkHashAccount` throw */
async function checkWallet(settings: Settings): Promise<void> {
  const wallet = await withDiskErrors(settings.dataDir, () => previewWallet(settings));
  try {
    checkHashAccount(wallet, settings);
  } finally {
    await wallet.close();
  }
}

function mirrorOf({ mirror: { to, password } }: Settings, collector: MetricsCollector) {
  return to === undefined ? undefined : threadMirror({ url: to, password: password?.reveal() }, collector);
}

/** @throws ListenFailure if the port cannot be opened */
async function checkPort(setting: ListenFailure["setting"], host: string, port: number): Promise<void> {
  const server = createServer();
  await listenAt(server, host, port, setting);
  await new Promise((resolve) => server.close(resolve));
}

/** @throws WalletError if the wallet lacks the `POST /hash` account */
function checkHashAccount(wallet: Wallet, { anchoring: { hashAccount } }: Settings): void {
  if (hashAccount === undefined) return;
  if (wallet.accounts().some(({ address }) => bytesEqual(address, hashAccount))) return;
  throw new WalletError(
    `--hash-account: the wallet does not hold ${addressText(hashAccount)}. ` +
      "`holdfast wallet addresses` lists its accounts; without the setting the oldest account is used.",
  );
}

function startTimeSync(server: TimeServer, offset: ClockOffset, log: Log, clock: Clock): NetworkTime {
  const time = new NetworkTime({
    clock: namedClock(clock, "time server"),
    offset,
    log,
    server: `${server.host}:${server.port}`,
    ask: () => askTimeServer(server, namedClock(clock, "time server"), systemRandom),
  });
  void time.start();
  return time;
}
