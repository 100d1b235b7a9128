/**
 * Upgrades a store of an older format. After a kill, the next start continues from the last commit. Before the first
 * write that an older version does not understand, the store gets the new format and a row with the old one. Older
 * versions then reject it, and this version finishes the upgrade when it opens the store for writing.
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

export const FORMAT_KEY = "format";

const UPGRADED_FROM_KEY = "upgraded from";

/** Maximum number of rows, and of journal units, that one commit changes. */
const ROWS_PER_COMMIT = 20_000;
const UNITS_PER_COMMIT = 200;

/** The counter `listedTransactions` replaced this table of format 4. */
const oldTotals = table(0x52, "groupTotals", bytesKeyCodec, bytesValue) as unknown as AnyTable;

/** Returns the old format while an upgrade is incomplete; undefined for a new store. */
export function formatOf(reader: Reader): number | undefined {
  const format = reader.get(tables.meta, UPGRADED_FROM_KEY) ?? reader.get(tables.meta, FORMAT_KEY);
  return format && heightKey.decode(format);
}

/**
 * Upgrades a store. Yields between commits, so that the caller can pause or end.
 * @param onUpgrade called before the first change, with the store's format
 */
export function* upgradeStore(
  store: UpgradableStore,
  onUpgrade?: (from: number) => void,
): Generator<undefined, void> {
  const format = formatOf(store);
  if (format === undefined || format === FORMAT_VERSION) return;
  onUpgrade?.(format);
  if (format === 4) yield* upgradeTotals(store);
  store.write((batch) => {
    batch.put(tables.meta, UPGRADED_FROM_KEY, heightKey.encode(5));
    batch.put(tables.meta, FORMAT_KEY, heightKey.encode(FORMAT_VERSION));
  });
  yield* enterAssociationStates(store);
  // This step converts the journal in place and cannot be repeated, so it is in the last commit of the upgrade.
  store.write((batch) => {
    upgradeSponsors(batch);
    endAssociationStates(batch);
    batch.remove(tables.meta, UPGRADED_FROM_KEY);
  });
}

function* upgradeTotals(store: UpgradableStore): Generator<undefined, void> {
  // Without this row, the node that opens the store rebuilds the index.
  store.write((batch) => batch.remove(tables.meta, "index transactions"));
  for (let from: UnitKey | undefined = { height: 0, sequence: 0 }; from !== undefined; yield)
    from = store.write((batch) => removeTotals(batch, from));
  while (store.write((batch) => batch.clearTable(oldTotals, ROWS_PER_COMMIT)) === ROWS_PER_COMMIT) yield;
}

/** @returns the unit to continue from; undefined at the end */
function removeTotals(batch: WriteBatch, from: UnitKey | undefined): UnitKey | undefined {
  let units = 0;
  for (const [unit, journal] of batch.range(tables.journal, { from })) {
    if (++units > UNITS_PER_COMMIT) return unit;
    const records = decodeRecords(journal);
    if (records.delete(oldTotals.prefix)) batch.put(tables.journal, unit, encodeRecords(records));
  }
  return undefined;
}
