/** Files that an operator names, of which no more is read than one may have: a device would have no end. */
import { closeSync, openSync, readSync } from "node:fs";

/** The text of a file; undefined when it has more than so many bytes. @throws an error of the system */
export function readBounded(path: string | 0, limit: number): string | undefined {
  const file = path === 0 ? 0 : openSync(path, "r");
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for (;;) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, limit + 1 - size));
      // From where the last one ended, as pipes have it.
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
