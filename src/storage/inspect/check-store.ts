import { FORMAT_VERSION } from "../disk/directory.ts";
import { DamagedFileError, statePageFault } from "../disk/lmdb-pages.ts";
import { type WalkVisitor, walkTree } from "../disk/lmdb-walk.ts";
import { RowChecker } from "./check-rows.ts";
import type { StoredState } from "./stored-state.ts";
import type { StoredTables } from "./stored-tables.ts";
import { UsedPages } from "./used-pages.ts";

export interface StoreFault {
  /** A table, `free pages`, or `tree` for all tables. */
  readonly table: string;
  readonly page: number | undefined;
  readonly problem: string;
}

export interface StoreCheck {
  readonly rows: number;
  readonly pages: number;
  /** Of the newest block; 0 without a chain. */
  readonly height: number;
  readonly faults: readonly StoreFault[];
  /** Number of faults that are not in `faults`. */
  readonly unlisted: number;
  /** False if the store has an older format: its rows were not checked. */
  readonly areRowsChecked: boolean;
}

const MAX_FAULTS = 50;

/**
 * Reads every page of the store once.
 * @param pause called between slices of the work
 */
export async function checkStore(
  { file, state, format, isInUse }: StoredState,
  stored: StoredTables,
  network: string,
  { pause, progress }: { pause: () => Promise<void>; progress?: (done: number, total: number) => void },
): Promise<StoreCheck> {
  const faults: StoreFault[] = [];
  let unlisted = 0;
  let currentPage: number | undefined;
  let isReadable = true;
  const report = (table: string, problem: string): void => {
    if (faults.length >= MAX_FAULTS) unlisted++;
    else
      faults.push({ table, page: currentPage, problem: problem.replace(/^its data file is damaged: /, "") });
  };
  const used = new UsedPages(state);
  const addPages = (first: number, count: number): void => {
    const repeated = used.addRun(first, count);
    if (repeated !== undefined) throw new DamagedFileError(`page ${repeated} is used twice`);
  };
  const visitorOf = (nameOf: (key: Buffer | undefined) => string): WalkVisitor => ({
    onPage: (number) => {
      currentPage = number;
      addPages(number, 1);
    },
    onOverflow: addPages,
    onFault: (error, number, key) => {
      isReadable = false;
      currentPage = number;
      report(nameOf(key), error.message);
    },
  });
  // A process that uses the store may change these pages. LMDB checked them when it opened the file.
  for (currentPage = 0; currentPage < 2 && !isInUse; currentPage++) {
    const fault = statePageFault(file.fd, currentPage, state);
    if (fault !== undefined) report("tree", fault);
  }
  const total = Number(state.lastPage) + 1;
  const isCurrent = format === FORMAT_VERSION;
  const rows = new RowChecker(stored, network, format, report);
  const main = walkTree(file.fd, state, state.main, true, {
    ...visitorOf((key) => (key === undefined ? "tree" : stored.nameOf(key))),
    ...(isCurrent && { onRow: rows.add }),
  });
  for (const _ of main) {
    progress?.(used.count, total);
    await pause();
  }
  currentPage = undefined;
  if (isCurrent && isReadable) rows.end();

  let newestTransaction = 0n;
  const free = walkTree(file.fd, state, state.free, false, {
    ...visitorOf(() => "free pages"),
    onRow: (row) => {
      const transaction = row.key.length === 8 ? row.key.readBigUInt64LE(0) : 0n;
      if (transaction <= newestTransaction || transaction > state.transaction)
        throw new DamagedFileError("keys out of order");
      newestTransaction = transaction;
      const wrong = used.addFree(row);
      if (wrong !== undefined) throw new DamagedFileError(`page ${wrong} is not free, or listed twice`);
    },
  });
  for (const _ of free) await pause();
  return {
    rows: Number(state.main.entries),
    pages: used.count + 2,
    height: rows.height,
    faults,
    unlisted,
    areRowsChecked: isCurrent,
  };
}
