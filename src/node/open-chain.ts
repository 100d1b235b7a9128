import { Chain } from "../chain/chain.ts";
import { UnsupportedFeatureError } from "../chain/deciding/unsupported-feature.ts";
import type { Settings } from "../config/settings.ts";
import { allIndexes } from "../indexes/all.ts";
import type { TrustSettings } from "../indexes/trust/settings.ts";
import type { Clock } from "../interfaces.ts";
import { areaLog } from "../runtime/area-log.ts";
import { noMetrics } from "../runtime/metrics.ts";
import { namedClock } from "../runtime/timers.ts";
import { storeMetrics } from "../storage/metrics.ts";
import { indexSettings } from "./composition.ts";
import { DiskMonitor } from "./disk-monitor.ts";
import { DiskSpaceMonitor } from "./disk-space.ts";
import type { StoreEnvironment } from "./environment.ts";
import type { Shutdown } from "./shutdown.ts";

interface OpeningOptions {
  readonly environment: StoreEnvironment;
  readonly settings: Settings;
  readonly trust: TrustSettings;
  readonly clock: Clock;
  readonly shutdown: Shutdown;
  readonly onDiskRecovered: () => void;
}

interface OpenedChain {
  readonly chain: Chain;
  readonly disk: DiskMonitor;
  readonly space: DiskSpaceMonitor;
}

/** Opens the chain. The caller must start `disk` and `space`. @throws what `Chain.open` throws */
export function openChain({
  environment,
  settings,
  trust,
  clock,
  shutdown,
  onDiskRecovered,
}: OpeningOptions): OpenedChain {
  const { log, metrics, store, supervisor } = environment;
  const disk = new DiskMonitor({
    clock: namedClock(clock, "disk monitor"),
    log,
    probe: () => chain.probeDisk(),
    onRecovered: onDiskRecovered,
    giveUp: shutdown.giveUp,
  });
  const space = new DiskSpaceMonitor(
    {
      clock: namedClock(clock, "disk space"),
      log,
      metrics,
      measure: environment.resources,
      onResumed: () => disk.probeAfterPause(),
    },
    settings.disk,
  );
  const chain = Chain.open({
    store,
    profile: settings.profile,
    indexes: allIndexes(indexSettings(settings.index, trust)),
    clock,
    log: areaLog(log, "chain"),
    options: settings.chain,
    // Without metrics, do not read the clock at each commit.
    commitSeconds: metrics === noMetrics ? undefined : metrics.histogram(storeMetrics.commit, {}),
    onListenerError: (error) => supervisor.failed("chain listener", error),
    onDiskError: (error) => {
      disk.onWriteError(error);
      void space.check();
    },
    writeFault: () => space.fault,
    onUnsupportedFeature: ({ ids, height }) => shutdown.giveUp(new UnsupportedFeatureError(ids, height)),
  });
  return { chain, disk, space };
}
