import type { Database } from "./lmdb-reader.ts";

export interface StoreStatistics {
  readonly sizeBytes: number;
  readonly freeBytes: number;
  readonly newestCommit: number;
  /** Oldest commit that an open snapshot shows. */
  readonly oldestReadCommit: number | undefined;
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
/** A line of lmdb's table of readers: process, thread, commit. Idle readers have `-` as commit, and do not match. */
const READER_LINE = /^\s*\d+ +\S+ +(\d+)$/gm;

export function statisticsOf(db: Database): StoreStatistics {
  // Without this, the transaction of this thread counts as a reader.
  db.resetReadTxn();
  const { free, ...main } = db.getStats() as DatabaseStatistics;
  const { pageSize, lastPageNumber, lastTxnId } = main;
  const pages = lastPageNumber + 1;
  const used = META_PAGES + pagesOf(main) + pagesOf(free);
  db.resetReadTxn();
  const reads = Array.from(String(db.readerList()).matchAll(READER_LINE), ([, commit]) => Number(commit));
  return {
    sizeBytes: pages * pageSize,
    freeBytes: Math.max(0, pages - used) * pageSize,
    newestCommit: lastTxnId,
    oldestReadCommit: reads.length === 0 ? undefined : Math.min(...reads),
    readers: reads.length,
  };
}

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStatistics): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}
