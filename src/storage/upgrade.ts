/**
 * Upgrades a store of an older format, in commits of limited size. After a kill, the next start continues the upgrade.
 * The commit that makes the store unreadable for older versions also sets the new format.
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
import { addAssociationStates, removeAssociationProgress } from "./upgrades/association-states.ts";
import { JOURNAL_START, journalSlice } from "./upgrades/journal-slice.ts";
import { upgradeSponsors } from "./upgrades/sponsor-rows.ts";
import type { UpgradableStore, UpgradeLimits } from "./upgrades/upgradable-store.ts";

export const FORMAT_KEY = "format";

const UPGRADED_FROM_KEY = "upgraded from";

const LIMITS: UpgradeLimits = { rows: 20_000, units: 200, events: 5_000 };

/** The counter `listedTransactions` replaced this table of format 4. */
const groupTotals = table(0x52, "groupTotals", bytesKeyCodec, bytesValue) as unknown as AnyTable;

/** Returns the format, or the old format while an upgrade is incomplete; undefined for a new store. */
export function formatOf(reader: Reader): number | undefined {
  const format = reader.get(tables.meta, UPGRADED_FROM_KEY) ?? reader.get(tables.meta, FORMAT_KEY);
  return format && heightKey.decode(format);
}

/** Returns true if versions that read only the old format can still read the store. */
export function hasOldFormat(reader: Reader): boolean {
  const format = reader.get(tables.meta, FORMAT_KEY);
  return format !== undefined && heightKey.decode(format) !== FORMAT_VERSION;
}

/** Yields a progress text after each commit but the last. */
export function* upgradeStore(store: UpgradableStore, limits = LIMITS): Generator<string, void> {
  const format = formatOf(store);
  if (format === undefined || format === FORMAT_VERSION) return;
  if (format === 6) {
    // Format 7 adds digests of units. Stored units get none.
    store.write((batch) => batch.put(tables.meta, FORMAT_KEY, heightKey.encode(FORMAT_VERSION)));
    return;
  }
  if (format === 4) yield* removeGroupTotals(store, limits);
  if (hasOldFormat(store)) {
    store.write((batch) => {
      batch.put(tables.meta, UPGRADED_FROM_KEY, heightKey.encode(5));
      batch.put(tables.meta, FORMAT_KEY, heightKey.encode(FORMAT_VERSION));
    });
    yield "new format recorded";
  }
  yield* addAssociationStates(store, limits);
  yield* upgradeSponsors(store, limits);
  store.write((batch) => {
    removeAssociationProgress(batch);
    batch.remove(tables.meta, UPGRADED_FROM_KEY);
  });
}

function* removeGroupTotals(store: UpgradableStore, limits: UpgradeLimits): Generator<string, void> {
  // If this row is missing, the node rebuilds the index.
  store.write((batch) => batch.remove(tables.meta, "index transactions"));
  for (let from: UnitKey | undefined = JOURNAL_START; from !== undefined; ) {
    const start: UnitKey = from;
    from = store.write((batch) => removeTotalsFromJournal(batch, start, limits));
    yield `undo journal of block ${start.height}`;
  }
  while (store.write((batch) => batch.clearTable(groupTotals, limits.rows)) === limits.rows)
    yield "removal of old counts";
}

function removeTotalsFromJournal(
  batch: WriteBatch,
  from: UnitKey,
  limits: UpgradeLimits,
): UnitKey | undefined {
  const { units, next } = journalSlice(batch, { from }, limits.units);
  for (const [unit, journal] of units) {
    const records = decodeRecords(journal);
    if (records.delete(groupTotals.prefix)) batch.put(tables.journal, unit, encodeRecords(records));
  }
  return next;
}
