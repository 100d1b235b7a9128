import { command, defineControl, query } from "./define.ts";

/** Undefined if unknown. */
export interface Resources {
  /** Resident memory of the process, bytes. */
  readonly memory: number | undefined;
  /** Size of the store, and space of its disk, bytes. */
  readonly store: number | undefined;
  readonly diskFree: number | undefined;
  readonly diskTotal: number | undefined;
}

export interface NodeHealth {
  /** Start time, ms. */
  readonly startedAt: number;
  /** `waiting`: it should forge but currently cannot. */
  readonly forging: "off" | "on" | "waiting";
  /** True if the disk rejects writes. */
  readonly diskFault: boolean;
  /** Configured, or known from before. */
  readonly knowsPeers: boolean;
}

export const nodeControl = defineControl({
  health: query<() => Promise<NodeHealth>>(),
  resources: query<() => Promise<Resources>>(),
  /** Stops the node after the answer was sent. */
  stop: { ...command<() => Promise<void>>(), urgent: true },
});
