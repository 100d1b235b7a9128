import type { Chain } from "../chain/chain.ts";
import type { Settings } from "../config/settings.ts";
import type { NodeControlHandlers } from "../control/index.ts";
import type { TrustSettings } from "../indexes/trust/settings.ts";
import type { Clock } from "../interfaces.ts";
import { areaLog } from "../runtime/area-log.ts";
import type { TaskQueue } from "../runtime/time-sliced-queue.ts";
import { namedClock } from "../runtime/timers.ts";
import { urlOf } from "./api/api.ts";
import { ApiKeyFile } from "./api/api-key-file.ts";
import { openControlPort } from "./control/remote-control.ts";
import type { StoreEnvironment } from "./environment.ts";
import { mirroredNode } from "./mirroring/mirrored-node.ts";
import type { Shutdown } from "./shutdown.ts";

interface ServingOptions {
  readonly environment: StoreEnvironment;
  readonly settings: Settings;
  readonly chain: Chain;
  readonly trust: TrustSettings;
  readonly control: NodeControlHandlers;
  readonly queue: TaskQueue;
  readonly clock: Clock;
  readonly shutdown: Shutdown;
  /** Memory of a follower's `FollowState`. */
  readonly followState?: SharedArrayBuffer | undefined;
}

export interface ServedUrls {
  /** `http://<host>:<port>` with the path prefix; undefined without HTTP. */
  readonly url: string | undefined;
  readonly adminUrl: string | undefined;
}

/**
 * Opens the ports for metrics, gateways and HTTP, and starts the mirror.
 * @param signal aborts the start before its next step
 * @returns undefined if the node was stopped meanwhile
 * @throws if a port cannot be opened; the reason of `signal`
 */
export async function serveInterfaces(
  { environment, settings, chain, trust, control, queue, clock, shutdown, followState }: ServingOptions,
  signal: AbortSignal | undefined,
): Promise<ServedUrls | undefined> {
  const { log, http, store } = environment;
  const isStopped = (): boolean => {
    signal?.throwIfAborted();
    return shutdown.hasBegun();
  };
  if (environment.serveMetrics !== undefined) {
    const server = await environment.serveMetrics();
    shutdown.defer(server.close);
    if (isStopped()) return undefined;
    log.info(`Metrics for Prometheus at ${server.url}`);
  }
  const controlPort = await openControlPort(settings.control, {
    control,
    queue,
    clock: namedClock(clock, "control port"),
    log: areaLog(log, "api"),
  });
  if (controlPort !== undefined) {
    shutdown.defer(controlPort.close);
    if (isStopped()) return undefined;
    log.info(`Control port for gateways at ${settings.control.host}:${controlPort.port}`);
  }
  // The mirror must end before the store closes.
  if (environment.mirror !== undefined)
    shutdown.defer(
      environment.mirror.start(
        mirroredNode(settings, trust),
        namedClock(clock, "mirror"),
        areaLog(log, "chain"),
      ),
    );
  if (http === undefined) return { url: undefined, adminUrl: undefined };
  const { apiKeys } = settings.api;
  const namedKeys =
    apiKeys &&
    new ApiKeyFile(apiKeys, { clock: namedClock(clock, "API keys"), log, files: environment.files });
  namedKeys?.start();
  shutdown.defer(() => namedKeys?.stop());
  // An abort ends a thread that is still loading modules.
  const abandon = () => void http.abandon();
  signal?.addEventListener("abort", abandon, { once: true });
  const api = await http.serve({
    settings,
    rules: chain.rules,
    trust,
    store,
    control,
    queue,
    events: chain,
    followState,
    namedKeys,
    clock: namedClock(clock, "HTTP thread"),
    log: areaLog(log, "api"),
    giveUp: shutdown.giveUp,
  });
  shutdown.defer(api.close);
  signal?.removeEventListener("abort", abandon);
  if (isStopped()) return undefined;
  const { adminHost, prefix } = settings.api;
  const adminUrl = api.adminPort === undefined ? undefined : urlOf(adminHost, api.adminPort, prefix);
  return { url: api.url, adminUrl };
}
