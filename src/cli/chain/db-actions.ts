import { existsSync, statSync } from "node:fs";
import { anchorTables } from "../../anchoring/tables.ts";
import { durationText } from "../../bytes/durations.ts";
import type { Settings } from "../../config/settings.ts";
import { existingStores, networkIdentity, openNodeStore } from "../../node/composition.ts";
import { systemClock } from "../../runtime/system.ts";
import type { AnyTable } from "../../storage/batch/overlay.ts";
import { compactStore } from "../../storage/copies/compact-store.ts";
import { compactDraft, dataFile } from "../../storage/disk/directory.ts";
import { DamagedFileError } from "../../storage/disk/lmdb-pages.ts";
import { checkStore, type StoreFault } from "../../storage/inspect/check-store.ts";
import { type StoreSize, storeSize } from "../../storage/inspect/store-size.ts";
import { readStoredState, type StoredState } from "../../storage/inspect/stored-state.ts";
import { StoredTables } from "../../storage/inspect/stored-tables.ts";
import { tables } from "../../storage/tables.ts";
import { CommandError, ExitCode, failure } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { countText, formatCount } from "../numbers.ts";
import { columns, sizeText } from "../running/plain-text.ts";
import { runStoppable } from "../stopping.ts";
import { noChainError } from "./offline-node.ts";
import { Progress } from "./progress.ts";
import { warningLog } from "./warnings.ts";

/** Limit for reading a store in use, because the node cannot reuse pages meanwhile. */
const MAX_LIVE_READ_MS = 600_000;

const damagedError = (message: string): CommandError => new CommandError(ExitCode.dataDirectory, message);

const tablesOf = (store: string): StoredTables =>
  new StoredTables(
    Object.values(store === "anchors" ? { meta: tables.meta, ...anchorTables } : tables) as AnyTable[],
  );

async function storesWithChain(settings: Settings): ReturnType<typeof existingStores> {
  const stores = await existingStores(settings);
  if (!stores.some(([name]) => name === "chain")) throw noChainError(settings);
  return stores;
}

function pauseUnlessStopped(stop: AbortSignal, text: string): () => Promise<void> {
  return async () => {
    await new Promise((resolve) => setImmediate(resolve));
    if (stop.aborted) throw failure(text);
  };
}

async function withStoredState<T>(
  settings: Settings,
  directory: string,
  stop: AbortSignal,
  read: (stored: StoredState, pause: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const startedAt = systemClock.monotonic();
  const pause = pauseUnlessStopped(stop, "Stopped.");
  try {
    return await readStoredState(directory, networkIdentity(settings.profile), (stored) =>
      read(stored, async () => {
        await pause();
        if (stored.isInUse && systemClock.monotonic() - startedAt > MAX_LIVE_READ_MS)
          throw failure(
            `Reading ${directory} takes longer than ten minutes, and the running node cannot reuse space of its file meanwhile. Stop the node, or read a backup`,
          );
      }),
    );
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    throw damagedError(`${directory}: ${error.message}. \`holdfast db check\` lists all faults`);
  }
}

/** @throws CommandError */
export async function showStatistics(settings: Settings, isJson: boolean, io: Io): Promise<void> {
  const sizes: (StoreSize & { readonly store: string; readonly file: string })[] = [];
  for (const [store, directory] of await storesWithChain(settings)) {
    const size = await runStoppable(io, (stop) =>
      withStoredState(settings, directory, stop, (stored, pause) =>
        storeSize(stored, tablesOf(store), pause),
      ),
    );
    sizes.push({ store, file: dataFile(directory), ...size });
  }
  if (isJson) io.out(`${JSON.stringify(sizes, undefined, 2)}\n`);
  else io.out(sizes.map(sizeTable).join("\n"));
}

function alignedTable(rows: readonly (readonly string[])[]): string {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column].length));
  return columns(rows.map((row) => row.map((cell, i) => (i === 0 ? cell : cell.padStart(width(i))))));
}

function sizeTable(size: StoreSize & { readonly store: string; readonly file: string }): string {
  const { pageBytes, fileBytes, freePages, lostPages, compactBytes } = size;
  const share = (bytes: number): string => `${((100 * bytes) / fileBytes).toFixed(1)}%`;
  const onDisk = (pages: number): [string, string] => [sizeText(pages * pageBytes), share(pages * pageBytes)];
  const use = size.isInUse ? "in use" : "not in use";
  const spare = Math.max(0, fileBytes - compactBytes);
  const runs = size.sortedRuns.map(({ name, runs: count, entries, bytes }) => [
    name,
    formatCount(count),
    formatCount(entries),
    sizeText(bytes),
  ]);
  return [
    `${size.store}: ${size.file}, format ${size.format}, ${use}\n`,
    alignedTable([
      ["Table", "Rows", "Keys and values", "On disk", "Share"],
      ...size.tables.map(({ name, rows, bytes, pages }) => [
        name,
        formatCount(rows),
        sizeText(bytes),
        ...onDisk(pages),
      ]),
      ["[tree]", "", "", ...onDisk(size.branchPages)],
      ["[overhead]", "", "", ...onDisk(size.overheadPages)],
      ["[free]", "", "", ...onDisk(freePages)],
      ...(lostPages > 0 ? [["[lost]", "", "", ...onDisk(lostPages)]] : []),
      ["File", formatCount(size.rows), "", sizeText(fileBytes), ""],
    ]),
    runs.length === 0
      ? ""
      : `\n${alignedTable([["Sorted runs", "Runs", "Entries", "Keys and values"], ...runs])}`,
    `\n\`holdfast db compact\` would give back ${sizeText(spare)} (${share(spare)}).\n`,
  ].join("");
}

/** @throws CommandError with code 4 if there are faults */
export async function checkStores(settings: Settings, io: Io): Promise<void> {
  const network = networkIdentity(settings.profile);
  let faults = 0;
  for (const [store, directory] of await storesWithChain(settings)) {
    const progress = new Progress(io, systemClock, `Checking ${store}`, "pages");
    const found = await runStoppable(io, (stop) =>
      withStoredState(settings, directory, stop, (stored, pause) =>
        checkStore(stored, tablesOf(store), network, {
          pause,
          progress: (done, total) => progress.show({ done, total, count: done }),
        }),
      ),
    ).finally(() => progress.end());
    const height = found.height > 0 ? `, up to height ${formatCount(found.height)}` : "";
    const checked = `${countText(found.rows, "row")} on ${countText(found.pages, "page")}${height}, in ${durationText(progress.elapsed)}`;
    for (const fault of found.faults) io.out(`${store}: ${faultText(fault)}\n`);
    if (found.unlisted > 0) io.out(`${store}: … and ${formatCount(found.unlisted)} more\n`);
    if (found.faults.length === 0) io.out(`${store}: no faults in ${checked}.\n`);
    if (!found.areRowsChecked)
      io.out(
        `${store}: only the pages were checked: the rows have an older format, which the next start upgrades.\n`,
      );
    faults += found.faults.length + found.unlisted;
  }
  if (faults > 0)
    throw damagedError(
      `${countText(faults, "fault")}. Restore a backup, or export the blocks and import them into an empty directory.`,
    );
  io.out(
    "Not checked: signatures, and whether the rows follow from the blocks: `holdfast verify` checks both.\n",
  );
}

function faultText({ table, page, problem }: StoreFault): string {
  return `${table}: ${page === undefined ? "" : `page ${page}: `}${problem}`;
}

/** @throws CommandError, CopyError */
export async function compactStores(settings: Settings, io: Io): Promise<void> {
  for (const [store, directory] of await storesWithChain(settings)) {
    await runStoppable(io, async (stop) => {
      const draft = compactDraft(directory);
      const leftover = existsSync(draft) ? statSync(draft).size : undefined;
      const opened = await openNodeStore(settings, { directory, log: warningLog(io), signal: stop });
      if (leftover !== undefined)
        io.out(`Removed ${draft} (${sizeText(leftover)}), which a killed compaction left.\n`);
      const progress = new Progress(io, systemClock, `Compacting ${store}`, "MB");
      try {
        const { before, after } = await compactStore(directory, {
          reserveBytes: settings.disk.pauseBelowBytes,
          pause: pauseUnlessStopped(stop, `Stopped. The store ${directory} is unchanged.`),
          progress: (done, total) => progress.show({ done, total, count: Math.floor(done / 1e6) }),
        });
        progress.end();
        io.out(
          `${store}: ${sizeText(before)} before, ${sizeText(after)} now, in ${durationText(progress.elapsed)}.\n`,
        );
      } catch (error) {
        if (!(error instanceof DamagedFileError)) throw error;
        throw damagedError(
          `${directory}: ${error.message}. It is unchanged; \`holdfast db check\` lists all faults`,
        );
      } finally {
        progress.end();
        await opened.close();
      }
    });
  }
}
