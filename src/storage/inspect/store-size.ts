import { DamagedFileError, type TreeState } from "../disk/lmdb-pages.ts";
import { type StoredRow, walkTree } from "../disk/lmdb-walk.ts";
import { sortedRunsValue } from "../lsm/layout.ts";
import { isComplete } from "../lsm/sorted-run.ts";
import { counters, lsmTrees, tables } from "../tables.ts";
import type { StoredState } from "./stored-state.ts";
import type { StoredTables } from "./stored-tables.ts";
import { UsedPages } from "./used-pages.ts";

export interface TableSize {
  readonly name: string;
  rows: number;
  bytes: number;
  /** A page with rows of several tables counts for the first of them. */
  pages: number;
}

/** A tree of sorted runs: its rows are in `sortedRuns`, `runChunks` and `fencePointers`. */
export interface RunsSize {
  readonly name: string;
  runs: number;
  entries: number;
  bytes: number;
}

export interface StoreSize {
  readonly format: number;
  readonly isInUse: boolean;
  readonly pageBytes: number;
  readonly fileBytes: number;
  readonly rows: number;
  readonly tables: readonly TableSize[];
  readonly sortedRuns: readonly RunsSize[];
  /** Pages of the tree without rows. */
  readonly branchPages: number;
  readonly freePages: number;
  /** Pages of the list of free pages, and the two pages of states. */
  readonly overheadPages: number;
  /** Pages that are neither in use nor known to be free. */
  readonly lostPages: number;
  /** File size after compaction. */
  readonly compactBytes: number;
}

const treeNames: ReadonlyMap<number, string> = new Map([
  ...Object.entries(lsmTrees).map(([name, { id }]) => [id, name] as const),
  ...Object.values(counters).map(({ name, tree }) => [tree.id, name] as const),
]);

/**
 * Reads every page of the tables once.
 * @param pause called between slices of the work
 * @throws DamagedFileError
 */
export async function storeSize(
  { file, state, format, fileBytes, isInUse }: StoredState,
  stored: StoredTables,
  pause: () => Promise<void>,
): Promise<StoreSize> {
  const sizes = new Map<number, TableSize>();
  const sortedRuns = new Map<number, RunsSize>();
  const { pageSize: pageBytes } = state;
  const pages = new UsedPages(state);
  let newPages = 0;
  const onRow = (row: StoredRow): void => {
    const [prefix] = row.key;
    const size = sizes.get(prefix) ?? { name: stored.nameOf(row.key), rows: 0, bytes: 0, pages: 0 };
    sizes.set(prefix, size);
    size.rows++;
    size.bytes += row.key.length + row.valueBytes;
    size.pages += newPages;
    newPages = 0;
    countRuns(sortedRuns, row);
  };
  const walk = walkTree(file.fd, state, state.main, true, {
    onPage: (_, isLeaf) => {
      if (isLeaf) newPages++;
    },
    onOverflow: (_, count) => {
      newPages += count;
    },
    onRow,
  });
  for (const _ of walk) await pause();
  const free = walkTree(file.fd, state, state.free, false, {
    onRow: (row) => {
      const wrong = pages.addFree(row);
      if (wrong !== undefined)
        throw new DamagedFileError(`its data file is damaged: page ${wrong} cannot be free`);
    },
  });
  for (const _ of free) await pause();
  const overheadPages = 2 + pagesOf(state.free);
  const usedPages = pagesOf(state.main);
  return {
    format,
    isInUse,
    pageBytes,
    fileBytes,
    rows: Number(state.main.entries),
    tables: [...sizes.values()].sort((a, b) => b.pages - a.pages || b.bytes - a.bytes),
    sortedRuns: [...sortedRuns.values()],
    branchPages: Number(state.main.branchPages),
    freePages: pages.count,
    overheadPages,
    lostPages: Number(state.lastPage) + 1 - overheadPages - usedPages - pages.count,
    compactBytes: (2 + usedPages) * pageBytes,
  };
}

function pagesOf({ branchPages, leafPages, overflowPages }: TreeState): number {
  return Number(branchPages + leafPages + overflowPages);
}

function countRuns(sizes: Map<number, RunsSize>, { key, valueBytes, value }: StoredRow): void {
  const [prefix, tree] = key;
  const { sortedRuns, runChunks, fencePointers } = tables;
  if (prefix !== sortedRuns.prefix && prefix !== runChunks.prefix && prefix !== fencePointers.prefix) return;
  const size = sizes.get(tree) ?? {
    name: treeNames.get(tree) ?? `tree ${tree}`,
    runs: 0,
    entries: 0,
    bytes: 0,
  };
  sizes.set(tree, size);
  size.bytes += key.length + valueBytes;
  if (prefix !== sortedRuns.prefix) return;
  for (const run of sortedRunsValue.decode(value())) {
    if (!isComplete(run)) continue;
    size.runs++;
    size.entries += run.count;
  }
}
