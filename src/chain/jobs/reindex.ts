/** Indexes that depend on the configuration, built anew when it changed. */
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import type { ChainIndex, ConfiguredIndex } from "../../indexes/chain-index.ts";
import type { Log } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import type { Store } from "../../storage/store.ts";
import { tables } from "../../storage/tables.ts";
import { allTables, type WriteBatch } from "../../storage/write-batch.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { type ChainUnit, unitsFrom } from "../reading/stored-units.ts";
import { type JobOptions, JobStoppedError, pause } from "./job.ts";

/**
 * Units and transactions that are read without a pause, and rows and look-up entries that are gathered for a commit:
 * either takes some tens of milliseconds at most, but for a unit that is larger by itself.
 */
const AT_ONCE = 1_000;
const PER_COMMIT = 5_000;
/** How often the log is told: at so many heights, and at no less than a twentieth of the chain. */
const REPORT_EVERY = 10_000;

export interface ReindexOptions extends JobOptions {
  readonly log: Log;
}

/**
 * Brings the indexes up to date whose configuration is not the one that their rows were made with: their tables are
 * cleared and filled again from the stored blocks, as if the configuration had been this one from the start. The
 * journal is amended with them, so that a rollback stays one of all tables alike. To be done before the chain is
 * opened, which nobody changes meanwhile.
 *
 * Until the last commit the store says that these tables are unfinished, and how far they are: a node that is stopped
 * or dies meanwhile goes on there at its next start.
 * @throws JobStoppedError when it was asked to end
 */
export async function refreshIndexes(
  store: Store,
  indexes: readonly ChainIndex[],
  network: NetworkRules,
  { log, progress, isStopped }: ReindexOptions,
): Promise<void> {
  const stale = staleIndexes(store, indexes);
  const height = store.get(tables.tip, undefined)?.height ?? 0;
  if (stale.length === 0 || height === 0) return;
  const texts = textsOf(stale);
  const rewritten = allTables.filter(({ name }) => texts.has(name));
  // A chain that has just begun has nothing that could take long.
  const tell = (message: string, facts: Record<string, unknown>): void => {
    if (height > 1) log.info(`${message} (${stale.map(({ name }) => name).join(", ")})`, facts);
  };
  const breathe = async (): Promise<void> => {
    await pause();
    if (isStopped?.() === true)
      throw new JobStoppedError("the indexes are not finished, the next start goes on with them");
  };

  const mark = workText(texts);
  let next = reached(store, mark);
  if (next === undefined) {
    tell("The configuration changed: building indexes anew", { height });
    store.write((batch) => {
      for (const table of texts.keys()) batch.remove(tables.meta, rowName(table));
      batch.remove(tables.meta, WORK);
    });
    for (const table of rewritten)
      while (store.write((batch) => batch.clearTable(table, PER_COMMIT)) === PER_COMMIT) await breathe();
    next = { height: 1, sequence: 0 };
    const work = encodeWork({ mark, next });
    store.write((batch) => batch.put(tables.meta, WORK, work));
  } else tell("Going on with building indexes anew", { done: next.height - 1, height });

  const reportEvery = Math.max(REPORT_EVERY, Math.ceil(height / 20));
  let report = next.height + reportEvery;
  for (;;) {
    const from: UnitKey = next;
    const batch = store.begin();
    try {
      next = await fill(
        store,
        batch,
        from,
        network,
        (unit) => {
          batch.amendUnit(unit, rewritten, () => {
            for (const index of stale) index.apply(batch, unit);
          });
        },
        breathe,
      );
      if (next === undefined) {
        batch.remove(tables.meta, WORK);
        putTexts(batch, texts);
      } else batch.put(tables.meta, WORK, encodeWork({ mark, next }));
    } catch (error) {
      store.abandon(batch);
      throw error;
    }
    store.commit(batch);
    if (next === undefined) break;
    progress?.({ done: next.height - 1, total: height });
    if (next.height >= report) {
      tell("Building indexes anew", { done: next.height - 1, height });
      report += reportEvery;
    }
    await breathe();
  }
  progress?.({ done: height, total: height });
  tell("The indexes are built", { height });
}

/**
 * Enters units until enough is gathered for a commit.
 * @returns where to go on; undefined at the end of the chain
 */
async function fill(
  store: Store,
  batch: WriteBatch,
  from: UnitKey,
  network: NetworkRules,
  enter: (unit: ChainUnit) => void,
  breathe: () => Promise<void>,
): Promise<UnitKey | undefined> {
  let at = from;
  while (heldBy(batch) < PER_COMMIT) {
    const last: UnitKey | undefined = store.read((reader) => {
      let weight = 0;
      for (const unit of unitsFrom(reader, network, at)) {
        if (unit.transactionCount > 0) enter(unit);
        weight += 1 + unit.transactionCount;
        if (weight >= AT_ONCE || heldBy(batch) >= PER_COMMIT) return unit;
      }
      return undefined;
    });
    if (last === undefined) return undefined;
    at = { height: last.height, sequence: last.sequence + 1 };
    await breathe();
  }
  return at;
}

/** How far tables are that are being filled. */
interface Work {
  /** What they are filled by. */
  readonly mark: string;
  readonly next: UnitKey;
}

const WORK = "reindex";

function workText(texts: ReadonlyMap<string, string>): string {
  return JSON.stringify([...texts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function encodeWork({ mark, next }: Work): Uint8Array {
  return encodeUtf8(JSON.stringify({ mark, height: next.height, sequence: next.sequence }));
}

/** Where work of this kind was left; undefined when there is none. */
function reached(reader: Reader, mark: string): UnitKey | undefined {
  const bytes = reader.get(tables.meta, WORK);
  if (bytes === undefined) return undefined;
  // Written by `encodeWork`.
  const found = JSON.parse(decodeUtf8(bytes)) as { mark: string; height: number; sequence: number };
  return found.mark === mark ? { height: found.height, sequence: found.sequence } : undefined;
}

/** The indexes whose rows were made with another configuration, or are not finished. */
export function staleIndexes(reader: Reader, indexes: readonly ChainIndex[]): readonly ConfiguredIndex[] {
  return indexes.filter(isConfigured).filter((index) => !isUpToDate(reader, index));
}

/** Says of a chain that has just begun that the indexes were filled by their configurations from the start. */
export function markIndexes(store: Store, indexes: readonly ChainIndex[]): void {
  store.write((batch) => putTexts(batch, textsOf(indexes.filter(isConfigured))));
}

function textsOf(indexes: readonly ConfiguredIndex[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { configuration } of indexes)
    for (const table of configuration.tables) texts.set(table, configuration.text);
  return texts;
}

function putTexts(batch: WriteBatch, texts: ReadonlyMap<string, string>): void {
  for (const [table, text] of texts) batch.put(tables.meta, rowName(table), encodeUtf8(text));
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
