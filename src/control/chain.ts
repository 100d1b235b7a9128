import type { Checkpoint } from "../blocks/checkpoint.ts";
import type { ChainCursor } from "../interfaces.ts";
import { defineControl, query, remotely, timedCommand } from "./define.ts";
import type { Outcome } from "./failure.ts";

export interface Reorganisation {
  /** Ms since 1970. */
  readonly timestamp: number;
  readonly commonHeight: number;
  /** Removed key blocks; `reverted` has only the lowest. */
  readonly revertedCount: number;
  readonly reverted: readonly Uint8Array[];
  /** Added key blocks; `committed` has only the lowest. */
  readonly committedCount: number;
  readonly committed: readonly Uint8Array[];
}

export interface Reorganisations {
  /** Start of the node, ms since 1970. */
  readonly since: number;
  readonly count: number;
  /** Newest first. */
  readonly newest: readonly Reorganisation[];
}

export interface ChainProgress {
  readonly cursor: ChainCursor;
  readonly score: bigint;
}

export const chainControl = defineControl({
  /** Removes the blocks above a height. Resolves to the new tip's id; undefined without a block at this height. */
  rollback:
    timedCommand<(height: number, returnToPool: boolean) => Promise<Outcome<Uint8Array | undefined>>>(),
  /** Removes the blocks after an id. Their transactions do not return to the pool. */
  rollbackTo: timedCommand<(id: Uint8Array) => Promise<Outcome<Uint8Array>>>(),
  /** Page 03 §15. */
  applyCheckpoint: timedCommand<(checkpoint: Checkpoint) => Promise<Outcome<void>>>(),
  progress: remotely(0, query<() => Promise<ChainProgress>>()),
  reorganisations: remotely(0, query<() => Promise<Reorganisations>>()),
});
