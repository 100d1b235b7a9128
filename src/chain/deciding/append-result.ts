import type { BlockRefusal } from "./block-refusal.ts";

/** What became of a block or micro block that was not refused. */
export interface Accepted {
  readonly ok: true;
  /** `appended`; `known`: it was there already; `ignored`: a version of the liquid block with nothing new. */
  readonly outcome: "appended" | "known" | "ignored";
}

/** It was refused. */
export interface Refused {
  readonly ok: false;
  readonly refusal: BlockRefusal;
}

/** What became of a block or micro block. */
export type AppendResult = Accepted | Refused;

/** It was not refused. */
export function accepted(outcome: Accepted["outcome"]): Accepted {
  return { ok: true, outcome };
}

/** It was. */
export function refused(refusal: BlockRefusal): Refused {
  return { ok: false, refusal };
}

/** The result of writing a unit. */
export function outcomeOf(refusal: BlockRefusal | undefined): AppendResult {
  return refusal === undefined ? accepted("appended") : refused(refusal);
}
