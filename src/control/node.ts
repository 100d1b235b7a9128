/** What the node is asked about itself. */
import { defineControl, typed } from "./define.ts";

/** What the node takes of the machine; undefined is what nobody knows. */
export interface Resources {
  /** Bytes of the process in memory. */
  readonly memory: number | undefined;
  /** Bytes of the chain's store, and what is free and there at all where it lies. */
  readonly store: number | undefined;
  readonly diskFree: number | undefined;
  readonly diskTotal: number | undefined;
}

/** How the node is. */
export interface NodeHealth {
  /** When it was started, ms. */
  readonly startedAt: number;
  /** Whether it forges: `waiting` is one that is to, and cannot at the moment. */
  readonly forging: "off" | "on" | "waiting";
  /** Whether the disk takes what is written. */
  readonly diskFault: boolean;
  /** Whether it has other nodes to talk to, by its configuration or from before. */
  readonly knowsPeers: boolean;
}

/** The node as a whole. */
export const nodeControl = defineControl({
  health: { mutates: false, call: typed<() => Promise<NodeHealth>>() },
  resources: { mutates: false, call: typed<() => Promise<Resources>>() },
  /** Ends the node after the answer was sent. */
  stop: { mutates: true, urgent: true, call: typed<() => Promise<void>>() },
});
