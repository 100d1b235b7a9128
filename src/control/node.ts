import { command, defineControl, query } from "./define.ts";

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

export interface NodeHealth {
  /** Start time, ms since 1970. */
  readonly startedAt: number;
  /** `waiting`: forging is enabled but currently impossible. */
  readonly forging: "off" | "on" | "waiting";
  /** True if writing to the disk fails. */
  readonly diskFault: boolean;
  /** True if peers are configured or were known from earlier runs. */
  readonly knowsPeers: boolean;
}

export const nodeControl = defineControl({
  health: query<() => Promise<NodeHealth>>(),
  resources: query<() => Promise<Resources>>(),
  /** Stops the node after the answer was sent. */
  stop: { ...command<() => Promise<void>>(), urgent: true },
});
