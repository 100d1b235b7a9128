/** Decides which accounts count as scripted. Page 05 §23.6, page 08 §16.5. */
import { bytesEqual } from "../../bytes/compare.ts";
import type { LedgerView, ScriptState } from "../state.ts";

/** Returns true if an account cannot forge: it has a script, or the liquid block removed its script. */
export function isScripted(view: LedgerView, address: Uint8Array): boolean {
  const state = view.script(address);
  if (state === undefined) return false;
  return state.script !== undefined || state.height > view.persistedHeight;
}

/**
 * Returns true if a transaction counts as a script run of its unit: the sender has a script, or an earlier unit of the
 * same block removed it.
 * @param changedInUnit senders whose script this micro block has changed; undefined in key blocks and whole blocks,
 *   which have no earlier units
 */
export function countsAsScripted(
  view: LedgerView,
  address: Uint8Array,
  state: ScriptState | undefined,
  changedInUnit: readonly Uint8Array[] | undefined,
): boolean {
  if (state === undefined) return false;
  if (state.script !== undefined) return true;
  return (
    changedInUnit !== undefined &&
    state.height === view.height &&
    !changedInUnit.some((changed) => bytesEqual(changed, address))
  );
}
