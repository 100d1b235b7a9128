/** What the node is asked to do to the chain, and what was done to it. */
import type { Checkpoint } from "../blocks/checkpoint.ts";
import { defineControl, typed } from "./define.ts";
import type { Outcome } from "./failure.ts";

/** One chain that took the place of another one, key blocks and all. */
export interface Reorganisation {
  /** When, ms. */
  readonly at: number;
  /** Height up to which both chains were the same. */
  readonly commonHeight: number;
  /** Blocks that left the chain, and those that came in their place: how many, and the ids of the lowest. */
  readonly revertedCount: number;
  readonly reverted: readonly Uint8Array[];
  readonly committedCount: number;
  readonly committed: readonly Uint8Array[];
}

/** The reorganisations since the node started: how many, and the newest of them, newest first. */
export interface Reorganisations {
  readonly since: number;
  readonly count: number;
  readonly newest: readonly Reorganisation[];
}

/** The chain. What it holds is read from its snapshots. */
export const chainControl = defineControl({
  /** Removes all blocks above the height; the id rolled back to, or undefined when there is no such block. */
  rollback: {
    mutates: true,
    deadline: true,
    call: typed<(height: number, returnTransactions: boolean) => Promise<Outcome<Uint8Array | undefined>>>(),
  },
  /** Removes all blocks above the one with this id. */
  rollbackTo: {
    mutates: true,
    deadline: true,
    call: typed<(id: Uint8Array) => Promise<Outcome<Uint8Array>>>(),
  },
  /** Page 03 §15. */
  applyCheckpoint: {
    mutates: true,
    deadline: true,
    call: typed<(checkpoint: Checkpoint) => Promise<Outcome<void>>>(),
  },
  reorganisations: { mutates: false, call: typed<() => Promise<Reorganisations>>() },
});
