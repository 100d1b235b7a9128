import type { AnchorQueueInfo } from "./anchoring.ts";
import { command, defineControl, query, remotely } from "./define.ts";
import type { LogArea, LogLevel, LogLevelPlan } from "./log-level.ts";
import type { SyncInfo } from "./peers.ts";

/** Sizes in bytes; undefined if unknown. */
export interface Resources {
  /** Resident memory of the process. */
  readonly memory: number | undefined;
  readonly store: number | undefined;
  /** Space on the store's disk. */
  readonly diskFree: number | undefined;
  readonly diskTotal: number | undefined;
}

export interface DiskSpace {
  /** `low`: the operator should act; `paused`: no forging, no new transactions or blocks. */
  readonly state: "ok" | "low" | "paused";
  /** Undefined before the first measurement, or if the system reports nothing. */
  readonly freeBytes: number | undefined;
}

/** A node that a gateway calls on the control port. */
export interface CalledNode {
  /** Address without secrets. */
  readonly name: string;
  readonly isHealthy: boolean;
  /** Undefined before the first answer. */
  readonly height: number | undefined;
  readonly problem: string | undefined;
}

export interface FollowingHealth {
  readonly source: string | undefined;
  /** Minimum number of units that the node lacks; undefined if it reached no source. */
  readonly lagUnits: number | undefined;
  /** Time since the node last had its source's newest unit, ms; undefined if it never had. */
  readonly lagMs: number | undefined;
  /** Lag above which the node is not ready, ms. */
  readonly maxLagMs: number;
  /** Why the node follows no source, or why the source itself is behind. */
  readonly problem: string | undefined;
  /** Units whose digest differed from the source's. */
  readonly digestFaults: number;
  /** Set only on a gateway. */
  readonly nodes?: readonly CalledNode[] | undefined;
}

export interface NodeHealth {
  /** Start time, ms since 1970. */
  readonly startedAt: number;
  /** `waiting`: forging is enabled but currently impossible. */
  readonly forging: "off" | "on" | "waiting";
  readonly hasDiskFault: boolean;
  readonly diskSpace: DiskSpace;
  /** True if peers are configured or known from earlier. */
  readonly knowsPeers: boolean;
  /** Undefined if P2P is disabled. */
  readonly sync: SyncInfo | undefined;
  /** Undefined if this node does not queue hashes. */
  readonly anchors: Pick<AnchorQueueInfo, "waiting" | "problem"> | undefined;
  /** Set only if the node follows another node or a database. */
  readonly following?: FollowingHealth | undefined;
  /** Error of the machine's clock, ms; set if too large to correct. */
  readonly clockErrorMs: number | undefined;
  readonly isStopping: boolean;
}

export const nodeControl = defineControl({
  /** Skips the queue: an answer shows that the thread is not blocked. */
  health: remotely(0, { ...query<() => Promise<NodeHealth>>(), urgent: true, shared: true }),
  resources: remotely(0, query<() => Promise<Resources>>()),
  logLevels: query<() => Promise<LogLevelPlan>>(),
  /** Sets the level of one area, or of all if `area` is undefined. Returns the new levels. */
  setLogLevel: command<(level: LogLevel, area: LogArea | undefined) => Promise<LogLevelPlan>>(),
  /** Stops the node after answering. */
  stop: { ...command<() => Promise<void>>(), urgent: true },
});
