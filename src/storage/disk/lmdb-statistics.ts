import type { Database } from "./lmdb-reader.ts";

/** The database numbers its commits. */
export interface StoreStatistics {
  readonly sizeBytes: number;
  readonly freeBytes: number;
  readonly newestCommit: number;
  /** Oldest commit that a reader sees; undefined without readers. */
  readonly oldestRead: number | undefined;
  /** In all threads and processes. */
  readonly readers: number;
}

interface TreeStatistics {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

interface DatabaseStatistics extends TreeStatistics {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly lastTxnId: number;
  readonly free: TreeStatistics;
}

const META_PAGES = 2;
/** A line of lmdb's table of readers: process, thread and the number of the commit; idle ones have `-`. */
const READER_LINE = /^\s*\d+ +\S+ +(\d+)$/gm;

/** Takes constant time. */
export function statisticsOf(db: Database): StoreStatistics {
  // Otherwise the thread's own transaction of this turn counts as a reader, and the figures may be older.
  db.resetReadTxn();
  const { free, ...main } = db.getStats() as DatabaseStatistics;
  const { pageSize, lastPageNumber, lastTxnId } = main;
  const pages = lastPageNumber + 1;
  const used = META_PAGES + pagesOf(main) + pagesOf(free);
  // The call above may have begun a transaction of its own.
  db.resetReadTxn();
  const reads = Array.from(String(db.readerList()).matchAll(READER_LINE), ([, commit]) => Number(commit));
  return {
    sizeBytes: pages * pageSize,
    freeBytes: Math.max(0, pages - used) * pageSize,
    newestCommit: lastTxnId,
    oldestRead: reads.length === 0 ? undefined : Math.min(...reads),
    readers: reads.length,
  };
}

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStatistics): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}
