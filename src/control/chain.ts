import type { Checkpoint } from "../blocks/checkpoint.ts";
import type { ChainCursor, Reorganisation } from "../interfaces.ts";
import { defineControl, query, remotely, timedCommand } from "./define.ts";
import type { Outcome } from "./failure.ts";

export interface Reorganisations {
  /** Start of the node, ms since 1970. */
  readonly since: number;
  /** Number since `since`. */
  readonly count: number;
  /** The latest that the store has, newest first. */
  readonly newest: readonly Reorganisation[];
}

export interface ChainProgress {
  readonly cursor: ChainCursor;
  readonly score: bigint;
}

export const chainControl = defineControl({
  /** Removes the blocks above a height. Resolves to the new tip's id, or undefined if no block has this height. */
  rollback:
    timedCommand<(height: number, returnToPool: boolean) => Promise<Outcome<Uint8Array | undefined>>>(),
  /** Removes the blocks after the block `id`. Their transactions do not return to the pool. */
  rollbackTo: timedCommand<(id: Uint8Array) => Promise<Outcome<Uint8Array>>>(),
  /** Page 03 §15. */
  applyCheckpoint: timedCommand<(checkpoint: Checkpoint) => Promise<Outcome<void>>>(),
  progress: remotely(0, query<() => Promise<ChainProgress>>()),
  reorganisations: remotely(0, query<() => Promise<Reorganisations>>()),
});
