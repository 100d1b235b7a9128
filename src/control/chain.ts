import type { Checkpoint } from "../blocks/checkpoint.ts";
import { defineControl, query, timedCommand } from "./define.ts";
import type { Outcome } from "./failure.ts";

/** A reorganisation that replaced key blocks. */
export interface Reorganisation {
  /** Time of the change, in milliseconds since 1970. */
  readonly at: number;
  readonly commonHeight: number;
  /** Number of removed key blocks; `reverted` contains the ids of the lowest ones. */
  readonly revertedCount: number;
  readonly reverted: readonly Uint8Array[];
  /** Number of added key blocks; `committed` contains the ids of the lowest ones. */
  readonly committedCount: number;
  readonly committed: readonly Uint8Array[];
}

/** Reorganisations since the node started. */
export interface Reorganisations {
  /** Start time of the node, in milliseconds since 1970. */
  readonly since: number;
  readonly count: number;
  /** Newest first. */
  readonly newest: readonly Reorganisation[];
}

/** Commands that change the chain. To read the chain, use a snapshot. */
export const chainControl = defineControl({
  /**
   * Removes all blocks above the height. Resolves to the id of the new tip, or to undefined if there is no block at the
   * height.
   */
  rollback:
    timedCommand<(height: number, returnTransactions: boolean) => Promise<Outcome<Uint8Array | undefined>>>(),
  /** Removes all blocks after the block with this id. */
  rollbackTo: timedCommand<(id: Uint8Array) => Promise<Outcome<Uint8Array>>>(),
  /** Applies a checkpoint. Page 03 §15. */
  applyCheckpoint: timedCommand<(checkpoint: Checkpoint) => Promise<Outcome<void>>>(),
  reorganisations: query<() => Promise<Reorganisations>>(),
});
