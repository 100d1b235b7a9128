import type { LeavingUnit, UnitChanges } from "../../interfaces.ts";
import type { Tip } from "../reading/tip.ts";

/** What one commit did to the chain. Made by the code that undid and applied; nobody computes it again. */
export interface ChainChange extends UnitChanges {
  readonly reverted: readonly LeavingUnit[];
  /** The best block now. */
  readonly tip: Tip;
  /** Whether the transactions that left the chain are to wait again; false where an operator drops them. */
  readonly returned: boolean;
  /** Whether more commits of the same change follow, until which the chain is neither the old one nor the new one. */
  readonly isPart: boolean;
}

/** Called after a commit, in the same turn of the event loop. */
export type ChangeListener = (change: ChainChange) => void;

/**
 * When a listener is told. `follower`: what has to be in step with the chain for all that look at both (the pool), before
 * the others; `listener`: everybody else.
 */
export type ListenerStage = "follower" | "listener";

/** Whether nothing happened but that the liquid block got longer. */
export function isLiquidGrowth({ reverted, committed }: UnitChanges): boolean {
  return reverted.length === 0 && committed.length > 0 && committed.every(({ sequence }) => sequence > 0);
}
