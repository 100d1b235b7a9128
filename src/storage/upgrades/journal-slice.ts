import type { Reader } from "../kv.ts";
import type { UnitKey } from "../places.ts";
import { tables } from "../tables.ts";

export const JOURNAL_START: UnitKey = { height: 0, sequence: 0 };
export const JOURNAL_END: UnitKey = { height: 0xffff_ffff, sequence: 0xffff };

const MAX_SLICE_BYTES = 4 * 1_024 * 1_024;

export interface JournalSlice {
  readonly units: readonly (readonly [UnitKey, Uint8Array])[];
  /** Value of `from`, or of the exclusive `to`, for the next slice; undefined after the last slice. */
  readonly next: UnitKey | undefined;
}

/** Reads units of the journal, oldest first by default. */
export function journalSlice(
  reader: Reader,
  bounds: { readonly from: UnitKey } | { readonly to: UnitKey; readonly reverse: true },
  limit: number,
): JournalSlice {
  const units: [UnitKey, Uint8Array][] = [];
  let bytes = 0;
  for (const [unit, journal] of reader.range(tables.journal, bounds)) {
    if (units.length === limit || bytes >= MAX_SLICE_BYTES)
      return { units, next: "from" in bounds ? unit : units.at(-1)?.[0] };
    units.push([unit, journal]);
    bytes += journal.length;
  }
  return { units, next: undefined };
}
