/** Decides which accounts count as scripted. Page 05 §23.6, page 08 §16.5. */
import { bytesEqual } from "../../bytes/compare.ts";
import type { LedgerView, ScriptState } from "../state.ts";

/** True if an account cannot forge: it has a script, or its script was changed in the liquid block. */
export function isScripted(view: LedgerView, address: Uint8Array): boolean {
  const state = view.script(address);
  if (state === undefined) return false;
  return state.script !== undefined || state.height > view.persistedHeight;
}

/**
 * True if a transaction counts as a script run of the current unit: the sender has a script, or an earlier unit of the
 * same block removed it.
 * @param changedHere senders whose script this micro block has changed; undefined in key blocks and whole blocks, which
 *   have no earlier units
 */
export function countsAsScripted(
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
