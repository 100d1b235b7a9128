/** Reads files of the operator up to a limit: a device has no end. */
import { closeSync, openSync, readSync } from "node:fs";

/**
 * Returns the text of a file, or of standard input for 0; undefined if it exceeds the limit in bytes.
 * @throws an error of the system
 */
export function readBounded(path: string | 0, limit: number): string | undefined {
  const file = path === 0 ? 0 : openSync(path, "r");
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for (;;) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, limit + 1 - size));
      // Reads at the current position, because pipes have no other.
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

const PIECE = 2 ** 16;
