/** Checks an LMDB data file before the database maps it: a read beyond the end of a mapped file kills the process. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import {
  BRANCH,
  type FileState,
  freeRuns,
  HEADER_BYTES,
  LEAF,
  MAX_DEPTH,
  NO_PAGE,
  ON_OVERFLOW_PAGES,
  readMeta,
  readState,
  TREE,
} from "./lmdb-pages.ts";

const MAX_MISSING_PAGES = 1_000_000;
const MAX_ATTEMPTS = 10;

const TRUNCATED = "its data file is truncated: pages in use are beyond its end";

/** Returns why a file is damaged; undefined if it is intact. */
export function dataFileFault(path: string): string | undefined {
  const file = openSync(path, "r");
  try {
    let fault: string | undefined;
    let checkedTransaction: bigint | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const first = readMeta(file, 0);
      if (first === undefined) return "its data file is not an LMDB file";
      const second = readMeta(file, first.pageSize);
      if (second === undefined || second.pageSize !== first.pageSize) return "its data file is damaged";
      const [newest, older] = second.transaction > first.transaction ? [second, first] : [first, second];
      // Two attempts found the same state: no process wrote in between.
      if (newest.transaction === checkedTransaction) return fault;
      checkedTransaction = newest.transaction;
      fault = isTruncated(file, newest) ? TRUNCATED : undefined;
      if (fault === undefined) return undefined;
      // After a crash, the database returns to the newest flushed state.
      if (newest.isUnflushed && newest.bootId !== readBootId()) {
        const flushed = readState(file, first.pageSize >> 1, first.pageSize);
        const recovered = flushed !== undefined && flushed.transaction > 0n ? flushed : older;
        if (!isTruncated(file, recovered)) return undefined;
      }
    }
    // A process keeps committing, so the file is intact.
    return undefined;
  } finally {
    closeSync(file);
  }
}

function readBootId(): bigint | undefined {
  try {
    const text = readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
    return BigInt(`0x${text.split("-")[0]}`);
  } catch {
    return undefined;
  }
}

function isTruncated(file: number, state: FileState): boolean {
  // Read the size after the state: the database writes pages before the state that uses them.
  const pages = BigInt(Math.floor(fstatSync(file).size / state.pageSize));
  if (state.lastPage < pages) return false;
  return !isTailFree(file, state, pages) && hasUsedPageFrom(file, state, pages);
}

function isTailFree(file: number, state: FileState, from: bigint): boolean {
  const missing = state.lastPage - from + 1n;
  if (missing > MAX_MISSING_PAGES) return false;
  const free = new Set<bigint>();
  const isListIntact = hasOnlyPagesBelow(file, state, state.free.root, from, (list) => {
    for (const [first, count] of freeRuns(list))
      for (let page = first > from ? first : from; page < first + count && page <= state.lastPage; page++)
        free.add(page);
  });
  return isListIntact && BigInt(free.size) === missing;
}

function hasUsedPageFrom(file: number, state: FileState, from: bigint): boolean {
  return ![state.free.root, state.main.root].every((root) => hasOnlyPagesBelow(file, state, root, from));
}

/**
 * Returns true if the pages of a tree are valid and below `end`.
 * @param onValue receives each value of the tree; without it, overflow pages are not read
 */
function hasOnlyPagesBelow(
  file: number,
  state: FileState,
  root: bigint,
  end: bigint,
  onValue?: (value: Buffer) => void,
): boolean {
  const { pageSize } = state;
  const read = (page: bigint, length: number): Buffer | undefined => {
    const bytes = Buffer.alloc(length);
    return readSync(file, bytes, 0, length, Number(page) * pageSize) === length ? bytes : undefined;
  };
  const visit = (number: bigint, depth: number): boolean => {
    if (number === NO_PAGE) return true;
    const page = number < end && depth < MAX_DEPTH ? read(number, pageSize) : undefined;
    const kind = page && page.readUInt16LE(18) & (BRANCH | LEAF);
    if (page === undefined || (kind !== BRANCH && kind !== LEAF)) return false;
    const count = page.readUInt16LE(20) >> 1;
    if (HEADER_BYTES + 2 * count > pageSize) return false;
    for (let i = 0; i < count; i++) {
      const at = HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + 2 * i);
      if (at + 8 > pageSize) return false;
      // In a branch: the two halves of a page number. In a leaf: the length of a value and its flags.
      const low = page.readUInt32LE(at);
      const flags = page.readUInt16LE(at + 4);
      if (kind === BRANCH) {
        if (!visit(BigInt(low) + (BigInt(flags) << 32n), depth + 1)) return false;
        continue;
      }
      const valueAt = at + 8 + page.readUInt16LE(at + 6);
      const isOnOverflow = (flags & ON_OVERFLOW_PAGES) !== 0;
      if (valueAt + (isOnOverflow ? 24 : low) > pageSize) return false;
      if (isOnOverflow) {
        const first = page.readBigUInt64LE(valueAt);
        if (first + page.readBigUInt64LE(valueAt + 16) > end) return false;
        const content = onValue && read(first, HEADER_BYTES + low)?.subarray(HEADER_BYTES);
        if (content !== undefined) onValue?.(content);
      } else if ((flags & TREE) !== 0) {
        if (!visit(page.readBigUInt64LE(valueAt + 40), depth + 1)) return false;
      } else onValue?.(page.subarray(valueAt, valueAt + low));
    }
    return true;
  };
  return visit(root, 0);
}
