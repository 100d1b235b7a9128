/**
 * What can be told of an LMDB data file without opening it: opening maps it, and whoever reads behind the end of a file
 * through a map is killed by the system.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

const MAGIC = 0xbeefc0de;
/** Length of the header of a page; what follows is counted from here. */
const HEADER = 24;
const META_LENGTH = 144;
const MIN_PAGE = 256;
const MAX_PAGE = 65_536;
/** Page number of a tree without pages. */
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
/** Kinds of pages, and of what a leaf holds. */
const BRANCH = 1;
const LEAF = 2;
const ON_OVERFLOW_PAGES = 1;
const TREE = 2;
/** A state was written but not known to be flushed. */
const UNFLUSHED = 0x1000;
/** No tree is deeper: a file that says so is damaged. */
const MAX_DEPTH = 32;
/** More missing pages than this are not looked up among the free ones. */
const MAX_MISSING_PAGES = 1_000_000;
/** How often a file is looked at that somebody writes to meanwhile. */
const MAX_ATTEMPTS = 10;

const TRUNCATED = "its data file is cut off: pages that are in use lie behind its end";

/**
 * Why a file cannot be an intact LMDB data file, or undefined: neither are its first pages those of one, or pages that
 * are in use lie behind its end. A healthy file may end before the last page that it counts: those that were free
 * already when they were to be written never are. So the end of a short file is judged by the list of free pages, and
 * where that does not explain it (the database now and then forgets a free page) by a walk through all that is in use.
 */
export function dataFileFault(path: string): string | undefined {
  const file = openSync(path, "r");
  try {
    let fault: string | undefined;
    let seen: bigint | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const first = readMeta(file, 0);
      if (first === undefined) return "its data file is not one of this database";
      const second = readMeta(file, first.pageSize);
      if (second === undefined || second.pageSize !== first.pageSize) return "its data file is damaged";
      const [newest, older] = second.transaction > first.transaction ? [second, first] : [first, second];
      // The same answer twice for the same state; another process may have written meanwhile.
      if (newest.transaction === seen) return fault;
      seen = newest.transaction;
      fault = isTruncated(file, newest) ? TRUNCATED : undefined;
      if (fault === undefined) return undefined;
      // After a crash of the machine the database goes back to the newest state that was flushed.
      if (newest.unflushed && newest.boot !== bootId()) {
        const flushed = readState(file, first.pageSize >> 1, first.pageSize);
        const safe = flushed !== undefined && flushed.transaction > 0n ? flushed : older;
        if (!isTruncated(file, safe)) return undefined;
      }
    }
    // Whoever writes to it so busily has it open, and whole.
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** A state of the file: where its trees are, free pages first. */
interface State {
  readonly pageSize: number;
  readonly roots: readonly [free: bigint, main: bigint];
  readonly lastPage: bigint;
  readonly transaction: bigint;
  readonly unflushed: boolean;
  /** Names the start of the machine in which it was written. */
  readonly boot: bigint;
}

function readMeta(file: number, offset: number): State | undefined {
  const bytes = Buffer.alloc(4);
  if (readSync(file, bytes, 0, 4, offset + HEADER) !== 4) return undefined;
  // In the byte order of the machine, which is little-endian wherever the database has binaries.
  if (bytes.readUInt32LE(0) !== MAGIC) return undefined;
  const state = readState(file, offset);
  if (state === undefined) return undefined;
  const { pageSize } = state;
  if (pageSize < MIN_PAGE || pageSize > MAX_PAGE || (pageSize & (pageSize - 1)) !== 0) return undefined;
  return state;
}

/** @param pageSize where the state does not say it */
function readState(file: number, offset: number, pageSize?: number): State | undefined {
  const bytes = Buffer.alloc(META_LENGTH);
  if (readSync(file, bytes, 0, META_LENGTH, offset + HEADER) !== META_LENGTH) return undefined;
  return {
    pageSize: pageSize ?? bytes.readUInt32LE(24),
    unflushed: (bytes.readUInt16LE(28) & UNFLUSHED) !== 0,
    roots: [bytes.readBigUInt64LE(64), bytes.readBigUInt64LE(112)],
    lastPage: bytes.readBigUInt64LE(120),
    transaction: bytes.readBigUInt64LE(128),
    boot: bytes.readBigInt64LE(136),
  };
}

/** As the database writes it: the beginning of the system's own id. */
function bootId(): bigint | undefined {
  try {
    const text = readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
    return BigInt(`0x${text.split("-")[0]}`);
  } catch {
    // Not on this system: then the state that was flushed counts as well.
    return undefined;
  }
}

function isTruncated(file: number, state: State): boolean {
  // Pages are written before the state that counts them: the size has to be looked at after it.
  const pages = BigInt(Math.floor(fstatSync(file).size / state.pageSize));
  if (state.lastPage < pages) return false;
  return !isTailFree(file, state, pages) && hasUsedPageFrom(file, state, pages);
}

/** Whether all pages from a number on are listed as free. */
function isTailFree(file: number, state: State, from: bigint): boolean {
  const missing = state.lastPage - from + 1n;
  if (missing > MAX_MISSING_PAGES) return false;
  const free = new Set<bigint>();
  const complete = walkTree(file, state, state.roots[0], from, (list) => {
    // Page numbers, one each; or, for pages in a row, minus their count and the first.
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

/** Whether a page in use has a number from this one on. */
function hasUsedPageFrom(file: number, state: State, from: bigint): boolean {
  return !state.roots.every((root) => walkTree(file, state, root, from));
}

/**
 * Walks through all pages of a tree.
 * @param take is given each value of the tree; otherwise what lies on pages of its own is not read
 * @returns false as soon as a page is numbered `end` or higher, or is none of a tree
 */
function walkTree(
  file: number,
  state: State,
  root: bigint,
  end: bigint,
  take?: (value: Buffer) => void,
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
    if (HEADER + 2 * count > pageSize) return false;
    for (let i = 0; i < count; i++) {
      const at = HEADER + page.readUInt16LE(HEADER + 2 * i);
      if (at + 8 > pageSize) return false;
      // Two halves of the length of a value, or of the number of a page, whose highest part stands for the kind.
      const low = page.readUInt32LE(at);
      const flags = page.readUInt16LE(at + 4);
      if (kind === BRANCH) {
        if (!visit(BigInt(low) + (BigInt(flags) << 32n), depth + 1)) return false;
        continue;
      }
      const value = at + 8 + page.readUInt16LE(at + 6);
      const apart = (flags & ON_OVERFLOW_PAGES) !== 0;
      if (value + (apart ? 24 : low) > pageSize) return false;
      if (apart) {
        const first = page.readBigUInt64LE(value);
        if (first + page.readBigUInt64LE(value + 16) > end) return false;
        const content = take && read(first, HEADER + low)?.subarray(HEADER);
        if (content !== undefined) take?.(content);
      } else if ((flags & TREE) !== 0) {
        if (!visit(page.readBigUInt64LE(value + 40), depth + 1)) return false;
      } else take?.(page.subarray(value, value + low));
    }
    return true;
  };
  return visit(root, 0);
}
