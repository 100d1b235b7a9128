/** Visits and checks every page that a data file's state uses. */
import { fstatSync, readSync } from "node:fs";
import {
  BRANCH,
  DamagedFileError,
  FIRST_PAGE,
  type FileState,
  HEADER_BYTES,
  LEAF,
  MAX_DEPTH,
  NO_PAGE,
  ON_OVERFLOW_PAGES,
  OVERFLOW,
  type TreeState,
} from "./lmdb-pages.ts";

const PAGES_PER_STEP = 256;
const NODE_HEADER_BYTES = 8;
const OVERFLOW_REFERENCE_BYTES = 24;

/** `key` and `value` are valid until the visitor returns. */
export interface StoredRow {
  readonly key: Buffer;
  readonly valueBytes: number;
  value(): Buffer;
}

export interface WalkVisitor {
  onPage?(number: number, isLeaf: boolean): void;
  onOverflow?(first: number, count: number, valueBytes: number): void;
  onRow?(row: StoredRow): void;
  /**
   * Receives each fault. The walk then skips the page or row. Without `onFault`, the walk throws the first fault.
   * @param page undefined: the tree as a whole
   * @param key the nearest known key at or before the fault; undefined if unknown
   */
  onFault?(error: DamagedFileError, page: number | undefined, key: Buffer | undefined): void;
}

/** A child of a branch page, or a row of a leaf page. Offsets count from the start of the page. */
export interface PageNode {
  readonly at: number;
  readonly keyAt: number;
  readonly valueAt: number;
  readonly end: number;
  /** Lower 32 bits of the child's page number, or length of the row's value. */
  readonly low: number;
  /** Upper 16 bits of the child's page number, or flags of the row. */
  readonly flags: number;
}

/** @throws DamagedFileError if the node is not inside the page */
export function readNode(page: Buffer, index: number, isBranch: boolean): PageNode {
  const at = HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + 2 * index);
  const upper = HEADER_BYTES + page.readUInt16LE(22);
  if (at < upper || at + NODE_HEADER_BYTES > page.length) throw damaged(page, "a row outside of the page");
  const low = page.readUInt32LE(at);
  const flags = page.readUInt16LE(at + 4);
  const keyAt = at + NODE_HEADER_BYTES;
  const valueAt = keyAt + page.readUInt16LE(at + 6);
  const length = isBranch ? 0 : (flags & ON_OVERFLOW_PAGES) !== 0 ? OVERFLOW_REFERENCE_BYTES : low;
  const end = valueAt + length;
  if (end > page.length) throw damaged(page, "a row that ends outside of the page");
  return { at, keyAt, valueAt, end, low, flags };
}

/** @throws DamagedFileError if the page's bounds are impossible */
export function nodeCount(page: Buffer): number {
  const lower = page.readUInt16LE(20);
  const upper = page.readUInt16LE(22);
  if (lower % 2 !== 0 || lower > upper || HEADER_BYTES + upper > page.length)
    throw damaged(page, "impossible bounds");
  return lower / 2;
}

/** @throws DamagedFileError if rows overlap or leave gaps: LMDB never writes such pages */
function checkFilled(page: Buffer, isBranch: boolean): void {
  let unused = page.length - HEADER_BYTES - page.readUInt16LE(22);
  for (let i = 0; i < nodeCount(page); i++) {
    const { at, end } = readNode(page, i, isBranch);
    unused -= end - at + ((end - at) % 2);
  }
  if (unused !== 0) throw damaged(page, "rows that overlap or leave gaps");
}

export function childPage({ low, flags }: PageNode): number {
  return flags * 2 ** 32 + low;
}

function damaged(page: Buffer, what: string): DamagedFileError {
  return new DamagedFileError(`its data file is damaged: page ${page.readBigUInt64LE(0)} has ${what}`);
}

/**
 * Visits a tree in key order. Yields after some pages, so that the caller can pause.
 * @param isOrdered false for the tree of free pages, whose keys are not ordered by bytes
 * @throws DamagedFileError if a page is invalid or used twice, or the depth or counts of `tree` are wrong
 */
export function* walkTree(
  file: number,
  state: FileState,
  tree: TreeState,
  isOrdered: boolean,
  visitor: WalkVisitor,
): Generator<void> {
  const counts = { branch: 0n, leaf: 0n, overflow: 0n, entries: 0n };
  const { size: fileBytes } = fstatSync(file);
  let pages = 0;
  let faults = 0;
  let previousKey: Buffer | undefined;
  let minKey: Buffer | undefined;

  const reportFault = (error: unknown, page: number | undefined, key: Buffer | undefined): void => {
    if (visitor.onFault === undefined || !(error instanceof DamagedFileError)) throw error;
    faults++;
    visitor.onFault(error, page, key);
  };

  const read = (number: number, count: number): Buffer => {
    if (!(number >= FIRST_PAGE && number + count - 1 <= state.lastPage))
      throw new DamagedFileError(
        `its data file is damaged: a tree refers to page ${number}, outside pages ${FIRST_PAGE} to ${state.lastPage}`,
      );
    const bytes = Buffer.allocUnsafe(count * state.pageSize);
    if (readSync(file, bytes, 0, bytes.length, number * state.pageSize) !== bytes.length)
      throw new DamagedFileError("its data file is truncated: pages in use are beyond its end");
    if (bytes.readBigUInt64LE(0) !== BigInt(number) || bytes.readBigUInt64LE(8) > state.transaction)
      throw new DamagedFileError(`its data file is damaged: page ${number} has the content of another page`);
    return bytes;
  };
  const visitOverflow = (page: Buffer, { valueAt, low }: PageNode): (() => Buffer) => {
    const first = Number(page.readBigUInt64LE(valueAt));
    const needed = Math.floor((HEADER_BYTES - 1 + low) / state.pageSize) + 1;
    const count = Number(page.readBigUInt64LE(valueAt + 16));
    // In the tree of free pages, LMDB may shorten a value without freeing its overflow pages.
    if (isOrdered ? count !== needed : count < needed) throw damaged(page, "a wrong overflow length");
    const head = read(first, 1);
    if (head.readUInt16LE(18) !== OVERFLOW || head.readUInt32LE(20) !== count)
      throw damaged(head, "a kind other than overflow, or a wrong length");
    if (BigInt(first + count - 1) > state.lastPage || (first + count) * state.pageSize > fileBytes)
      throw damaged(page, "an overflow beyond the last page");
    counts.overflow += BigInt(count);
    visitor.onOverflow?.(first, count, low);
    return () => read(first, count).subarray(HEADER_BYTES, HEADER_BYTES + low);
  };
  const visitRow = (page: Buffer, index: number): void => {
    const node = readNode(page, index, false);
    if ((node.flags & ~ON_OVERFLOW_PAGES) !== 0) throw damaged(page, "a row of an unknown kind");
    const key = page.subarray(node.keyAt, node.valueAt);
    if (isOrdered) {
      if (key.length === 0) throw damaged(page, "an empty key");
      if (previousKey !== undefined && Buffer.compare(previousKey, key) >= 0)
        throw damaged(page, "keys out of order");
      if (minKey !== undefined && Buffer.compare(minKey, key) > 0)
        throw damaged(page, "a key of another page");
      minKey = undefined;
      previousKey = key;
    }
    counts.entries++;
    const value =
      (node.flags & ON_OVERFLOW_PAGES) !== 0
        ? visitOverflow(page, node)
        : () => page.subarray(node.valueAt, node.valueAt + node.low);
    visitor.onRow?.({ key, valueBytes: node.low, value });
  };
  const visitLeaf = (page: Buffer, number: number): void => {
    for (let i = 0; i < nodeCount(page); i++) {
      try {
        visitRow(page, i);
      } catch (error) {
        reportFault(error, number, previousKey);
      }
    }
  };
  function* visit(number: number, depth: number): Generator<void> {
    const page = read(number, 1);
    const isLeaf = depth === tree.depth;
    if (page.readUInt16LE(18) !== (isLeaf ? LEAF : BRANCH)) throw damaged(page, "the wrong kind");
    checkFilled(page, !isLeaf);
    visitor.onPage?.(number, isLeaf);
    if (++pages > state.lastPage)
      throw new DamagedFileError("its data file is damaged: a page is used twice");
    if (pages % PAGES_PER_STEP === 0) yield;
    if (isLeaf) {
      counts.leaf++;
      visitLeaf(page, number);
      return;
    }
    counts.branch++;
    for (let i = 0; i < nodeCount(page); i++) {
      let child: number | undefined;
      try {
        const node = readNode(page, i, true);
        child = childPage(node);
        // The first key of a branch page has no meaning.
        if (i > 0 && isOrdered) {
          const key = page.subarray(node.keyAt, node.valueAt);
          if (previousKey !== undefined && Buffer.compare(previousKey, key) >= 0)
            throw damaged(page, "keys out of order");
          minKey = key;
        }
        yield* visit(child, depth + 1);
      } catch (error) {
        reportFault(error, child ?? number, minKey ?? previousKey);
      }
    }
  }
  if (tree.root !== NO_PAGE) {
    try {
      if (tree.depth < 1 || tree.depth > MAX_DEPTH)
        throw new DamagedFileError(`its data file is damaged: a tree has the depth ${tree.depth}`);
      yield* visit(Number(tree.root), 1);
    } catch (error) {
      reportFault(error, Number(tree.root), undefined);
    }
  }
  const { branchPages, leafPages, overflowPages, entries } = tree;
  if (faults > 0) return;
  if (
    counts.branch !== branchPages ||
    counts.leaf !== leafPages ||
    counts.overflow !== overflowPages ||
    counts.entries !== entries
  )
    reportFault(
      new DamagedFileError(
        `its data file is damaged: it has ${counts.entries} rows on ${counts.branch + counts.leaf + counts.overflow} pages, ` +
          `and should have ${entries} on ${branchPages + leafPages + overflowPages}`,
      ),
      undefined,
      undefined,
    );
}
