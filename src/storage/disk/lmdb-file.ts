/**
 * Checks an LMDB data file before the database opens it. The database maps the file into memory, and the system kills a
 * process that reads such a map beyond the end of the file.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

const MAGIC = 0xbeefc0de;
/** Offsets in a page count from the end of its header. */
const HEADER_BYTES = 24;
const META_BYTES = 144;
const MIN_PAGE_BYTES = 256;
const MAX_PAGE_BYTES = 65_536;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const BRANCH = 1;
const LEAF = 2;
/** Flags of a leaf node: its value is on overflow pages, or is another tree. */
const ON_OVERFLOW_PAGES = 1;
const TREE = 2;
/** Flag of a state that may not be on the disk. */
const UNFLUSHED = 0x1000;
/** A deeper tree means that the file is damaged. */
const MAX_DEPTH = 32;
const MAX_MISSING_PAGES = 1_000_000;
/** Another process may write to the file between attempts. */
const MAX_ATTEMPTS = 10;

const TRUNCATED = "its data file is truncated: pages in use are beyond its end";

/**
 * Returns why a file is damaged: its first pages are invalid, or pages in use are beyond its end.
 *
 * An intact file may be too short for all its pages, since pages that are freed before they are written never reach the
 * disk. Therefore the missing pages are looked up in the list of free pages. The database sometimes loses a free page
 * from this list, so if one is not in the list, all pages in use are visited.
 */
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
      // Two attempts found the same state: no other process wrote in between, so the result is valid.
      if (newest.transaction === checkedTransaction) return fault;
      checkedTransaction = newest.transaction;
      fault = isTruncated(file, newest) ? TRUNCATED : undefined;
      if (fault === undefined) return undefined;
      // After a crash of the machine, the database returns to the newest flushed state.
      if (newest.unflushed && newest.boot !== bootId()) {
        const flushed = readState(file, first.pageSize >> 1, first.pageSize);
        const recovered = flushed !== undefined && flushed.transaction > 0n ? flushed : older;
        if (!isTruncated(file, recovered)) return undefined;
      }
    }
    // A process that writes this often has the file open, so the file is intact.
    return undefined;
  } finally {
    closeSync(file);
  }
}

interface State {
  readonly pageSize: number;
  readonly roots: readonly [free: bigint, main: bigint];
  readonly lastPage: bigint;
  readonly transaction: bigint;
  readonly unflushed: boolean;
  readonly boot: bigint;
}

function readMeta(file: number, offset: number): State | undefined {
  const bytes = Buffer.alloc(4);
  if (readSync(file, bytes, 0, 4, offset + HEADER_BYTES) !== 4) return undefined;
  // Numbers are little-endian on all platforms with database binaries.
  if (bytes.readUInt32LE(0) !== MAGIC) return undefined;
  const state = readState(file, offset);
  if (state === undefined) return undefined;
  const { pageSize } = state;
  if (pageSize < MIN_PAGE_BYTES || pageSize > MAX_PAGE_BYTES || (pageSize & (pageSize - 1)) !== 0)
    return undefined;
  return state;
}

function readState(file: number, offset: number, pageSize?: number): State | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(file, bytes, 0, META_BYTES, offset + HEADER_BYTES) !== META_BYTES) return undefined;
  return {
    pageSize: pageSize ?? bytes.readUInt32LE(24),
    unflushed: (bytes.readUInt16LE(28) & UNFLUSHED) !== 0,
    roots: [bytes.readBigUInt64LE(64), bytes.readBigUInt64LE(112)],
    lastPage: bytes.readBigUInt64LE(120),
    transaction: bytes.readBigUInt64LE(128),
    boot: bytes.readBigInt64LE(136),
  };
}

/** Returns the first part of the system's boot id, which the database stores. */
function bootId(): bigint | undefined {
  try {
    const text = readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
    return BigInt(`0x${text.split("-")[0]}`);
  } catch {
    // Without a boot id, the flushed state is checked too.
    return undefined;
  }
}

function isTruncated(file: number, state: State): boolean {
  // Pages are written before the state that counts them, so read the size after the state.
  const pages = BigInt(Math.floor(fstatSync(file).size / state.pageSize));
  if (state.lastPage < pages) return false;
  return !isTailFree(file, state, pages) && hasUsedPageFrom(file, state, pages);
}

function isTailFree(file: number, state: State, from: bigint): boolean {
  const missing = state.lastPage - from + 1n;
  if (missing > MAX_MISSING_PAGES) return false;
  const free = new Set<bigint>();
  const complete = walkTree(file, state, state.roots[0], from, (list) => {
    // A value is a count, then page numbers. A run of pages is its negated length, then its first page.
    const count = Math.min(Number(list.readBigInt64LE(0)), list.length / 8 - 1);
    let run = 1n;
    for (let i = 1; i <= count; i++) {
      const entry = list.readBigInt64LE(8 * i);
      if (entry < 0n) run = -entry;
      else if (entry > 0n) {
        for (let page = entry > from ? entry : from; page < entry + run && page <= state.lastPage; page++)
          free.add(page);
        run = 1n;
      }
    }
  });
  return complete && BigInt(free.size) === missing;
}

function hasUsedPageFrom(file: number, state: State, from: bigint): boolean {
  return !state.roots.every((root) => walkTree(file, state, root, from));
}

/**
 * @param onValue receives each value of the tree; without it, overflow pages are not read
 * @returns false as soon as a page number is `end` or higher, or a page is not a tree page
 */
function walkTree(
  file: number,
  state: State,
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
      // In a branch, these are the two halves of a page number; in a leaf, the length of a value and its flags.
      const low = page.readUInt32LE(at);
      const flags = page.readUInt16LE(at + 4);
      if (kind === BRANCH) {
        if (!visit(BigInt(low) + (BigInt(flags) << 32n), depth + 1)) return false;
        continue;
      }
      const value = at + 8 + page.readUInt16LE(at + 6);
      const isOnOverflow = (flags & ON_OVERFLOW_PAGES) !== 0;
      if (value + (isOnOverflow ? 24 : low) > pageSize) return false;
      if (isOnOverflow) {
        const first = page.readBigUInt64LE(value);
        if (first + page.readBigUInt64LE(value + 16) > end) return false;
        const content = onValue && read(first, HEADER_BYTES + low)?.subarray(HEADER_BYTES);
        if (content !== undefined) onValue?.(content);
      } else if ((flags & TREE) !== 0) {
        if (!visit(page.readBigUInt64LE(value + 40), depth + 1)) return false;
      } else onValue?.(page.subarray(value, value + low));
    }
    return true;
  };
  return visit(root, 0);
}
