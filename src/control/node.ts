import type { AnchorQueueInfo } from "./anchoring.ts";
import { command, defineControl, query } from "./define.ts";
import type { LogArea, LogLevel, LogLevelPlan } from "./log-level.ts";
import type { SyncInfo } from "./peers.ts";

/** Memory and disk use; undefined values are unknown. */
export interface Resources {
  /** Resident memory of the process, bytes. */
  readonly memory: number | undefined;
  /** Size of the store, in bytes. */
  readonly store: number | undefined;
  /** Free and total space of the store's disk, in bytes. */
  readonly diskFree: number | undefined;
  readonly diskTotal: number | undefined;
}

/** Free space on the disk of the chain store. */
export interface DiskSpace {
  /** `low`: the operator should act; `paused`: the node does not forge, and accepts no transaction or block. */
  readonly state: "ok" | "low" | "paused";
  /** Undefined before the first measurement, or if the system does not report it. */
  readonly freeBytes: number | undefined;
}

export interface NodeHealth {
  /** Start time, ms since 1970. */
  readonly startedAt: number;
  /** `waiting`: forging is enabled but currently impossible. */
  readonly forging: "off" | "on" | "waiting";
  /** True if writing to the disk fails. */
  readonly diskFault: boolean;
  readonly diskSpace: DiskSpace;
  /** True if peers are configured or were known from earlier runs. */
  readonly knowsPeers: boolean;
  /** Undefined if P2P is disabled. */
  readonly sync: SyncInfo | undefined;
  /** Undefined if this node does not queue hashes. */
  readonly anchors: Pick<AnchorQueueInfo, "waiting" | "problem"> | undefined;
  /** Error of the machine's clock that is too large for a correction, ms; undefined: none is known. */
  readonly clockErrorMs: number | undefined;
  /** True if the node has begun to stop. */
  readonly isStopping: boolean;
}

export const nodeControl = defineControl({
  /** Skips the queue, because it shows whether the thread still answers. */
  health: { ...query<() => Promise<NodeHealth>>(), urgent: true, shared: true },
  resources: query<() => Promise<Resources>>(),
  logLevels: query<() => Promise<LogLevelPlan>>(),
  /** Sets the log level of an area; without an area, that of all areas. Returns the new levels. */
  setLogLevel: command<(level: LogLevel, area: LogArea | undefined) => Promise<LogLevelPlan>>(),
  /** Stops the node after the answer was sent. */
  stop: { ...command<() => Promise<void>>(), urgent: true },
});
