import type { WriteBatch } from "../../storage/batch/write-batch.ts";
import { tables } from "../../storage/tables.ts";
import type { RevertedUnit } from "../../storage/values/reverted.ts";

/** Limits; the oldest entries are removed. */
const MAX_UNITS = 4_096;
const MAX_BYTES = 64 * 1024 * 1024;
/** Estimated bytes in addition to the body: per unit, and per transaction. */
const UNIT_BYTES = 600;
const TRANSACTION_BYTES = 50;

/** Logs units in the commit that reverts them. Page 04 §26, rule 11. */
export class RevertedLog {
  readonly #batch: WriteBatch;
  readonly #keepsAll: boolean;
  #newest: { readonly serial: number; readonly end: number } | undefined;

  /** @param keepsAll true during a switch, which may have to restore all units */
  constructor(batch: WriteBatch, keepsAll = false) {
    this.#batch = batch;
    this.#keepsAll = keepsAll;
  }

  append(id: Uint8Array, unit: Omit<RevertedUnit, "serial">): void {
    const batch = this.#batch;
    const { serial: before, end: start } = this.#newest ?? this.#findNewest();
    const serial = before + 1;
    const { body } = unit;
    const length =
      UNIT_BYTES + (body === undefined ? 0 : body.bytes.length + TRANSACTION_BYTES * body.lengths.length);
    batch.put(tables.revertedUnits, id, { ...unit, serial });
    batch.put(tables.revertedOrder, serial, { id, start, length });
    this.#newest = { serial, end: start + length };
    if (!this.#keepsAll) this.#prune(serial, start + length);
  }

  #findNewest(): { readonly serial: number; readonly end: number } {
    for (const [serial, { start, length }] of this.#batch.range(tables.revertedOrder, {
      reverse: true,
      limit: 1,
    }))
      return { serial, end: start + length };
    return { serial: 0, end: 0 };
  }

  #prune(newest: number, end: number): void {
    const batch = this.#batch;
    const pruned: { readonly serial: number; readonly id: Uint8Array }[] = [];
    for (const [serial, { id, start }] of batch.range(tables.revertedOrder, { to: newest })) {
      if (newest - serial < MAX_UNITS && end - start <= MAX_BYTES) break;
      pruned.push({ serial, id });
    }
    for (const { serial, id } of pruned) {
      batch.remove(tables.revertedOrder, serial);
      // The row of a unit that was reverted again belongs to a newer entry.
      if (batch.get(tables.revertedUnits, id)?.serial === serial) batch.remove(tables.revertedUnits, id);
    }
  }
}
