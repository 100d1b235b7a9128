/** Reads files of the operator up to a limit, because a device file has no end. */
import { closeSync, openSync, readSync } from "node:fs";

/**
 * Reads a file, or standard input for 0; undefined if it has more than `limit` bytes.
 * @throws system errors
 */
export function readBounded(path: string | 0, limit: number): string | undefined {
  const file = path === 0 ? 0 : openSync(path, "r");
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for (;;) {
      const piece = Buffer.allocUnsafe(Math.min(READ_LENGTH, limit + 1 - size));
      const count = readSync(file, piece, 0, piece.length, null);
      if (count === 0) return Buffer.concat(pieces).toString("utf8");
      size += count;
      if (size > limit) return undefined;
      pieces.push(piece.subarray(0, count));
    }
  } finally {
    if (path !== 0) closeSync(file);
  }
}

const READ_LENGTH = 2 ** 16;
