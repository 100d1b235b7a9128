/** Who counts as scripted, which is not quite who has a script. Page 05 §23.6, page 08 §16.5. */
import { bytesEqual } from "../../bytes/compare.ts";
import type { LedgerView, ScriptState } from "../state.ts";

/**
 * Whether an account counts as scripted at the tip, which forbids it to forge: it has a script, or its script was set
 * or removed in the liquid block.
 */
export function isScripted(view: LedgerView, address: Uint8Array): boolean {
  const state = view.script(address);
  if (state === undefined) return false;
  return state.script !== undefined || state.height > view.persistedHeight;
}

/**
 * Whether a transaction of this sender counts as a script run of the unit that is being applied.
 * @param changedHere senders whose script the same micro block has changed so far: these are seen exactly. Undefined
 * for a key block or a whole block, where every account is.
 */
export function countsAsScripted(
  view: LedgerView,
  address: Uint8Array,
  changedHere: readonly Uint8Array[] | undefined,
): boolean {
  return stateCountsAsScripted(view, address, view.script(address), changedHere);
}

/** The same with what the state holds for the address at hand. */
export function stateCountsAsScripted(
  view: LedgerView,
  address: Uint8Array,
  state: ScriptState | undefined,
  changedHere: readonly Uint8Array[] | undefined,
): boolean {
  if (state === undefined) return false;
  if (state.script !== undefined) return true;
  return (
    changedHere !== undefined &&
    state.height === view.height &&
    !changedHere.some((changed) => bytesEqual(changed, address))
  );
}
