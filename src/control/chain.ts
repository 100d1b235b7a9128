import type { Checkpoint } from "../blocks/checkpoint.ts";
import { defineControl, query, timedCommand } from "./define.ts";
import type { Outcome } from "./failure.ts";

/** A reorganisation that replaced key blocks. */
export interface Reorganisation {
  /** ms. */
  readonly at: number;
  readonly commonHeight: number;
  /** The lists have only the lowest ids. */
  readonly revertedCount: number;
  readonly reverted: readonly Uint8Array[];
  readonly committedCount: number;
  readonly committed: readonly Uint8Array[];
}

/** Since the start of the node, newest first. */
export interface Reorganisations {
  readonly since: number;
  readonly count: number;
  readonly newest: readonly Reorganisation[];
}

/** Reads of the chain use snapshots instead. */
export const chainControl = defineControl({
  /** Removes all blocks above the height. Resolves to the id of the new tip; undefined: no such block. */
  rollback:
    timedCommand<(height: number, returnTransactions: boolean) => Promise<Outcome<Uint8Array | undefined>>>(),
  rollbackTo: timedCommand<(id: Uint8Array) => Promise<Outcome<Uint8Array>>>(),
  /** Page 03 §15. */
  applyCheckpoint: timedCommand<(checkpoint: Checkpoint) => Promise<Outcome<void>>>(),
  reorganisations: query<() => Promise<Reorganisations>>(),
});
