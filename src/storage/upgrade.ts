/**
 * Upgrades a store of an older format to this one. After a kill, the next start continues with the last commit. The totals
 * of format 4 are removed first, and the store keeps that format meanwhile. Before anything is written that an older
 * version does not understand, the store gets the new format and a note of the old one: older versions then refuse it, and
 * this version finishes the upgrade when it opens the store for writing.
 */

import { decodeRecords, encodeRecords } from "./batch/journal-records.ts";
import type { AnyTable } from "./batch/overlay.ts";
import type { WriteBatch } from "./batch/write-batch.ts";
import { bytesKeyCodec, bytesValue, table } from "./codecs.ts";
import { FORMAT_VERSION } from "./disk/directory.ts";
import { heightKey } from "./keys.ts";
import type { Reader } from "./kv.ts";
import type { UnitKey } from "./places.ts";
import { tables } from "./tables.ts";
import { endAssociationStates, enterAssociationStates } from "./upgrades/association-states.ts";
import { upgradeSponsors } from "./upgrades/sponsor-rows.ts";
import type { UpgradableStore } from "./upgrades/upgradable-store.ts";

/** The store's own fact that says its format. */
export const FORMAT_KEY = "format";

/** Key of the note of the format that a store is being upgraded from. */
const UPGRADED_FROM_KEY = "upgraded from";

/** What one commit changes at most: rows, and units of the journal. */
const ROWS_PER_COMMIT = 20_000;
const UNITS_PER_COMMIT = 200;

/** Format 4 had a row for each address here, with the totals that a counter holds now (`listedTransactions`). */
const oldTotals = table(0x52, "groupTotals", bytesKeyCodec, bytesValue) as unknown as AnyTable;

/** The format of a store: the older one until it is up to date; undefined while it has none. */
export function formatOf(reader: Reader): number | undefined {
  const format = reader.get(tables.meta, UPGRADED_FROM_KEY) ?? reader.get(tables.meta, FORMAT_KEY);
  return format && heightKey.decode(format);
}

/** Does nothing where the format is that of this version. */
export function upgradeStore(store: UpgradableStore): void {
  const format = formatOf(store);
  if (format === undefined || format === FORMAT_VERSION) return;
  if (format === 4) upgradeTotals(store);
  store.write((batch) => {
    batch.put(tables.meta, UPGRADED_FROM_KEY, heightKey.encode(5));
    batch.put(tables.meta, FORMAT_KEY, heightKey.encode(FORMAT_VERSION));
  });
  enterAssociationStates(store);
  // This step converts the journal in place and cannot be repeated, so it is in the commit that ends the upgrade.
  store.write((batch) => {
    upgradeSponsors(batch);
    endAssociationStates(batch);
    batch.remove(tables.meta, UPGRADED_FROM_KEY);
  });
}

/** The step from format 4 to 5. */
function upgradeTotals(store: UpgradableStore): void {
  // The index is built anew by the node that opens the store, which the old version would do as well.
  store.write((batch) => batch.remove(tables.meta, "index transactions"));
  for (let from: UnitKey | undefined = { height: 0, sequence: 0 }; from !== undefined; )
    from = store.write((batch) => removeTotals(batch, from));
  while (store.write((batch) => batch.clearTable(oldTotals, ROWS_PER_COMMIT)) === ROWS_PER_COMMIT);
}

/**
 * Takes the totals out of the journal of some units.
 * @returns where to go on; undefined: that was all
 */
function removeTotals(batch: WriteBatch, from: UnitKey | undefined): UnitKey | undefined {
  let units = 0;
  for (const [unit, journal] of batch.range(tables.journal, { from })) {
    if (++units > UNITS_PER_COMMIT) return unit;
    const records = decodeRecords(journal);
    if (records.delete(oldTotals.prefix)) batch.put(tables.journal, unit, encodeRecords(records));
  }
  return undefined;
}
