/** What can be told of an LMDB data file without opening it: opening maps it, and a cut-off map kills the process. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const MAGIC = 0xbeefc0de;
/** Offset of the meta data in its page, behind the page header. */
const META = 24;
const MIN_PAGE = 256;
const MAX_PAGE = 65_536;
/** Page number of a tree without pages. */
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/**
 * Why a file cannot be an intact LMDB data file, or undefined. Looks at the two meta pages: magic number,
 * version, page size, and whether the roots of the newest state lie within the file.
 */
export function dataFileFault(path: string): string | undefined {
  const file = openSync(path, "r");
  try {
    const size = fstatSync(file).size;
    const first = readMeta(file, 0);
    if (first === undefined) return "its data file is not one of this database";
    const second = readMeta(file, first.pageSize);
    if (second === undefined || second.pageSize !== first.pageSize) return "its data file is damaged";
    const newest = second.transaction > first.transaction ? second : first;
    const pages = BigInt(Math.floor(size / first.pageSize));
    for (const root of newest.roots) if (root !== NO_PAGE && root >= pages) return "its data file is cut off";
    // The last pages may be free ones that were never written, but only a handful.
    if (newest.lastPage >= pages + 1_024n) return "its data file is cut off";
    return undefined;
  } finally {
    closeSync(file);
  }
}

interface Meta {
  readonly pageSize: number;
  readonly roots: readonly bigint[];
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

function readMeta(file: number, offset: number): Meta | undefined {
  const bytes = Buffer.alloc(META + 144);
  if (readSync(file, bytes, 0, bytes.length, offset) !== bytes.length) return undefined;
  // In the byte order of the machine, which is little-endian wherever the database has binaries.
  if (bytes.readUInt32LE(META) !== MAGIC) return undefined;
  const pageSize = bytes.readUInt32LE(META + 24);
  if (pageSize < MIN_PAGE || pageSize > MAX_PAGE || (pageSize & (pageSize - 1)) !== 0) return undefined;
  return {
    pageSize,
    roots: [bytes.readBigUInt64LE(META + 64), bytes.readBigUInt64LE(META + 112)],
    lastPage: bytes.readBigUInt64LE(META + 120),
    transaction: bytes.readBigUInt64LE(META + 128),
  };
}
