/** Indexes that depend on the configuration, built anew when it changed. */
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import type { ChainIndex, ConfiguredIndex } from "../../indexes/chain-index.ts";
import type { Log } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import type { Store } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import { allTables, type WriteBatch } from "../../storage/write-batch.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { unitsFrom } from "../reading/stored-units.ts";

/** Heights between two words about how far it is. */
const REPORT_EVERY = 100_000;
/** Heights that are read at once, and rows and look-up entries that are kept in memory until they are committed. */
const HEIGHTS_AT_ONCE = 64;
const PER_COMMIT = 100_000;

/**
 * Brings the indexes up to date whose configuration is not the one that their rows were made with: their tables are
 * cleared and filled again from the stored blocks, as if the configuration had been this one from the start. The
 * journal is amended with them, so that a rollback stays one of all tables alike.
 *
 * Until the last commit the store says that these tables are unfinished: a node that dies meanwhile begins again at
 * its next start.
 */
export function refreshIndexes(
  store: Store,
  indexes: readonly ChainIndex[],
  network: NetworkRules,
  log: Log,
): void {
  const stale = indexes.filter(isConfigured).filter((index) => !isUpToDate(store, index));
  if (stale.length === 0) return;
  const texts = new Map<string, string>();
  for (const { configuration } of stale)
    for (const table of configuration.tables) texts.set(table, configuration.text);
  const rewritten = allTables.filter(({ name }) => texts.has(name));
  const height = store.get(tables.tip, undefined)?.height ?? 0;
  // A chain that has just begun has nothing that could take long.
  const tell = (message: string, facts: Record<string, unknown>): void => {
    if (height > 1) log.info(`${message} (${stale.map(({ name }) => name).join(", ")})`, facts);
  };

  tell("The configuration changed: building indexes anew", { height });
  store.write((batch) => {
    for (const table of texts.keys()) batch.remove(tables.meta, rowName(table));
  });
  for (const table of rewritten)
    while (store.write((batch) => batch.clearTable(table, PER_COMMIT)) === PER_COMMIT);
  for (let from = 1; from <= height; ) {
    const begun = from;
    store.write((batch) => {
      while (from <= height && heldBy(batch) < PER_COMMIT && from < begun + REPORT_EVERY) {
        const to = from + HEIGHTS_AT_ONCE;
        store.read((reader) => {
          for (const unit of unitsFrom(reader, network, { height: from, sequence: 0 }, to)) {
            if (unit.transactionCount === 0) continue;
            batch.amendUnit(unit, rewritten, () => {
              for (const index of stale) index.apply(batch, unit);
            });
          }
        });
        from = to;
      }
      if (from <= height) return;
      for (const [table, text] of texts) batch.put(tables.meta, rowName(table), encodeUtf8(text));
    });
    if (from <= height) tell("Building indexes anew", { done: from - 1, height });
  }
  tell("The indexes are built", { height });
}

/** The row of a unit may say thousands of things, each of which has an entry. */
function heldBy(batch: WriteBatch): number {
  let held = batch.rowCount;
  for (const [, entries] of batch.memtables()) held += entries.count;
  return held;
}

/** Names of the tables that two stores filled by different configurations, or of which one is unfinished. */
export function differentlyConfigured(a: Reader, b: Reader): readonly string[] {
  const texts = (reader: Reader): Map<string, string> =>
    new Map(
      Array.from(reader.range(tables.meta, { prefix: encodeUtf8(rowName("")) }), ([name, text]) => [
        name.slice(rowName("").length),
        decodeUtf8(text),
      ]),
    );
  const [first, second] = [texts(a), texts(b)];
  return [...new Set([...first.keys(), ...second.keys()])].filter(
    (name) => first.get(name) !== second.get(name),
  );
}

function isConfigured(index: ChainIndex): index is ConfiguredIndex {
  return index.configuration !== undefined;
}

/** Whether the stored rows were made with this configuration. */
function isUpToDate(reader: Reader, { configuration: { tables: names, text } }: ConfiguredIndex): boolean {
  return names.every((table) => {
    const stored = reader.get(tables.meta, rowName(table));
    return stored !== undefined && decodeUtf8(stored) === text;
  });
}

function rowName(table: string): string {
  return `index ${table}`;
}
