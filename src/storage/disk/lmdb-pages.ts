/**
 * Reads pages of an LMDB data file (format 2) without the database. A page begins with its number, the number of the
 * transaction that wrote it, and its kind. Pages 0 and 1 each describe a state of the file.
 */
import { readSync } from "node:fs";
import { BaseError } from "../../errors/base-error.ts";

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
/** The offsets in a page count from the end of its header. */
export const HEADER_BYTES = 24;
const META_BYTES = 144;
export const MIN_PAGE_BYTES = 256;
const MAX_PAGE_BYTES = 65_536;
export const NO_PAGE = 0xffff_ffff_ffff_ffffn;
export const FIRST_PAGE = 2n;
/** Kinds of pages. */
export const BRANCH = 1;
export const LEAF = 2;
export const OVERFLOW = 4;
const META = 8;
/** Flags of a row: its value is on overflow pages, or is a tree. */
export const ON_OVERFLOW_PAGES = 1;
export const TREE = 2;
/** Flag of a state that may not have been flushed. */
const UNFLUSHED = 0x1000;
/** A file with a deeper tree is damaged. */
export const MAX_DEPTH = 32;
const MAX_ATTEMPTS = 100;

export interface TreeState {
  readonly depth: number;
  readonly branchPages: bigint;
  readonly leafPages: bigint;
  readonly overflowPages: bigint;
  readonly entries: bigint;
  readonly root: bigint;
}

export interface FileState {
  readonly pageSize: number;
  readonly mapSize: bigint;
  readonly flags: readonly [free: number, main: number];
  /** Lists of free pages, by the transaction that freed them. */
  readonly free: TreeState;
  readonly main: TreeState;
  readonly lastPage: bigint;
  readonly transaction: bigint;
  readonly isUnflushed: boolean;
  readonly bootId: bigint;
}

/** LMDB cannot read this file safely. */
export class DamagedFileError extends BaseError {
  /** @param reason starts with "its data file" */
  constructor(reason: string) {
    super(reason);
  }
}

export function readMeta(file: number, offset: number): FileState | undefined {
  const bytes = Buffer.alloc(8);
  if (readSync(file, bytes, 0, 8, offset + HEADER_BYTES) !== 8) return undefined;
  // Numbers are little-endian on all platforms with database binaries.
  if (bytes.readUInt32LE(0) !== MAGIC || bytes.readUInt32LE(4) !== DATA_VERSION) return undefined;
  const state = readState(file, offset);
  if (state === undefined) return undefined;
  const { pageSize } = state;
  if (pageSize < MIN_PAGE_BYTES || pageSize > MAX_PAGE_BYTES || (pageSize & (pageSize - 1)) !== 0)
    return undefined;
  return state;
}

/** @param pageSize the file's page size, if the state does not contain it */
export function readState(file: number, offset: number, pageSize?: number): FileState | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(file, bytes, 0, META_BYTES, offset + HEADER_BYTES) !== META_BYTES) return undefined;
  const tree = (at: number): TreeState => ({
    depth: bytes.readUInt16LE(at + 6),
    branchPages: bytes.readBigUInt64LE(at + 8),
    leafPages: bytes.readBigUInt64LE(at + 16),
    overflowPages: bytes.readBigUInt64LE(at + 24),
    entries: bytes.readBigUInt64LE(at + 32),
    root: bytes.readBigUInt64LE(at + 40),
  });
  const freeFlags = bytes.readUInt16LE(28);
  return {
    pageSize: pageSize ?? bytes.readUInt32LE(24),
    mapSize: bytes.readBigUInt64LE(16),
    flags: [freeFlags & ~UNFLUSHED, bytes.readUInt16LE(76)],
    isUnflushed: (freeFlags & UNFLUSHED) !== 0,
    free: tree(24),
    main: tree(72),
    lastPage: bytes.readBigUInt64LE(120),
    transaction: bytes.readBigUInt64LE(128),
    bootId: bytes.readBigInt64LE(136),
  };
}

/**
 * Reads the newest state of a file that another process may write to.
 * @throws DamagedFileError if the file has no valid states
 */
export function readNewestState(file: number): FileState {
  let before: bigint | undefined;
  let newest: FileState | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const first = readMeta(file, 0);
    if (first === undefined) throw new DamagedFileError("its data file is not an LMDB file");
    const second = readMeta(file, first.pageSize);
    if (second === undefined || second.pageSize !== first.pageSize)
      throw new DamagedFileError("its data file is damaged");
    newest = second.transaction > first.transaction ? second : first;
    // Equal results show that no process wrote a state meanwhile.
    if (newest.transaction === before) return newest;
    before = newest.transaction;
  }
  throw new DamagedFileError("its data file changes too often to be read");
}

/** Flags stored with the tree of free pages. */
const FREE_FLAGS = 0x4008;
const MAX_MAP_BYTES = 2n ** 47n;

/** Returns what is wrong with page 0 or 1, in a file that no other process writes to. */
export function statePageFault(file: number, page: number, { pageSize }: FileState): string | undefined {
  const header = Buffer.alloc(HEADER_BYTES + 16);
  readSync(file, header, 0, header.length, page * pageSize);
  if (header.readUInt32LE(0) !== page || header.readUInt16LE(18) !== META) return "not the page of a state";
  const state = readMeta(file, page * pageSize);
  const other = readMeta(file, (1 - page) * pageSize);
  if (state === undefined || other === undefined) return "an invalid state";
  const { mapSize, transaction, lastPage, flags, free, main } = state;
  if (header.readBigUInt64LE(HEADER_BYTES + 8) !== 0n || flags[0] !== FREE_FLAGS || flags[1] !== 0)
    return "unknown flags";
  if (mapSize < (lastPage + 1n) * BigInt(pageSize) || mapSize > MAX_MAP_BYTES) return "an impossible size";
  const distance = transaction - other.transaction;
  // A new file, or a compact one, has no earlier state.
  const isFirst = transaction === 0n || other.transaction === 0n;
  if (transaction % 2n !== BigInt(page) || (!isFirst && distance !== 1n && distance !== -1n))
    return "a wrong transaction";
  return [free, main].every(({ root }) => root === NO_PAGE || (root >= FIRST_PAGE && root <= lastPage))
    ? undefined
    : "a tree outside of the file";
}

/** Parses a list of free pages. */
export function* freeRuns(list: Buffer): Generator<readonly [first: bigint, count: bigint]> {
  // A list is a count, then page numbers. A run of several pages is its negated length, then its first page.
  const count = Math.min(Number(list.readBigInt64LE(0)), list.length / 8 - 1);
  let run = 1n;
  for (let i = 1; i <= count; i++) {
    const entry = list.readBigInt64LE(8 * i);
    if (entry < 0n) run = -entry;
    else if (entry > 0n) {
      yield [entry, run];
      run = 1n;
    }
  }
}

/** Returns pages 0 and 1 of a file that has only this state. */
export function metaPages(state: FileState): Buffer {
  const { pageSize } = state;
  const pages = Buffer.alloc(2 * pageSize);
  for (const number of [0, 1]) {
    const page = pages.subarray(number * pageSize, (number + 1) * pageSize);
    const meta = page.subarray(HEADER_BYTES);
    page.writeUInt32LE(number, 0);
    page.writeUInt16LE(META, 18);
    meta.writeUInt32LE(MAGIC, 0);
    meta.writeUInt32LE(DATA_VERSION, 4);
    meta.writeBigUInt64LE(state.mapSize, 16);
    meta.writeUInt32LE(pageSize, 24);
    meta.writeUInt16LE(state.flags[0], 28);
    meta.writeBigUInt64LE(NO_PAGE, 64);
    meta.writeUInt16LE(state.flags[1], 76);
    meta.writeBigUInt64LE(NO_PAGE, 112);
    meta.writeBigUInt64LE(FIRST_PAGE - 1n, 120);
    // The database uses the state with the higher transaction, and expects odd transactions in page 1.
    if (number === 0) continue;
    const { depth, branchPages, leafPages, overflowPages, entries, root } = state.main;
    meta.writeUInt16LE(depth, 78);
    for (const [i, value] of [branchPages, leafPages, overflowPages, entries, root].entries())
      meta.writeBigUInt64LE(value, 80 + 8 * i);
    meta.writeBigUInt64LE(state.lastPage, 120);
    meta.writeBigUInt64LE(state.transaction | 1n, 128);
  }
  return pages;
}
