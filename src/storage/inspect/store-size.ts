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

/** Size of the rows of a tree in `sortedRuns`, `runChunks` and `fencePointers`. */
export interface LsmTreeSize {
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
  readonly sortedRuns: readonly LsmTreeSize[];
  /** Inner pages of the B+ tree. */
  readonly branchPages: number;
  readonly freePages: number;
  /** Pages of the list of free pages, and the two meta pages. */
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
 * @throws DamagedFileError
 */
export async function storeSize(
  { file, state, format, fileBytes, isInUse }: StoredState,
  stored: StoredTables,
  pause: () => Promise<void>,
): Promise<StoreSize> {
  const sizes = new Map<number, TableSize>();
  const sortedRuns = new Map<number, LsmTreeSize>();
  const { pageSize: pageBytes } = state;
  const freePages = new UsedPages(state);
  let unassignedPages = 0;
  const onRow = (row: StoredRow): void => {
    const [prefix] = row.key;
    const size = sizes.get(prefix) ?? { name: stored.nameOf(row.key), rows: 0, bytes: 0, pages: 0 };
    sizes.set(prefix, size);
    size.rows++;
    size.bytes += row.key.length + row.valueBytes;
    size.pages += unassignedPages;
    unassignedPages = 0;
    addLsmTreeRow(sortedRuns, row);
  };
  const walk = walkTree(file.fd, state, state.main, true, {
    onPage: (_, isLeaf) => {
      if (isLeaf) unassignedPages++;
    },
    onOverflow: (_, count) => {
      unassignedPages += count;
    },
    onRow,
  });
  for (const _ of walk) await pause();
  const free = walkTree(file.fd, state, state.free, false, {
    onRow: (row) => {
      const invalidPage = freePages.addFree(row);
      if (invalidPage !== undefined)
        throw new DamagedFileError(`its data file is damaged: page ${invalidPage} cannot be free`);
    },
  });
  for (const _ of free) await pause();
  const overheadPages = 2 + pageCount(state.free);
  const usedPages = pageCount(state.main);
  return {
    format,
    isInUse,
    pageBytes,
    fileBytes,
    rows: Number(state.main.entries),
    tables: [...sizes.values()].sort((a, b) => b.pages - a.pages || b.bytes - a.bytes),
    sortedRuns: [...sortedRuns.values()],
    branchPages: Number(state.main.branchPages),
    freePages: freePages.count,
    overheadPages,
    lostPages: Number(state.lastPage) + 1 - overheadPages - usedPages - freePages.count,
    compactBytes: (2 + usedPages) * pageBytes,
  };
}

function pageCount({ branchPages, leafPages, overflowPages }: TreeState): number {
  return Number(branchPages + leafPages + overflowPages);
}

function addLsmTreeRow(sizes: Map<number, LsmTreeSize>, { key, valueBytes, value }: StoredRow): void {
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
