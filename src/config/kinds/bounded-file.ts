/** Reads files up to a size limit, because a device file can be endless. */
import { closeSync, openSync, readSync } from "node:fs";

/**
 * UTF-8 text of a file, or of standard input for 0; undefined if it exceeds `limit` bytes.
 * @throws system errors
 */
export function readBounded(path: string | 0, limit: number): string | undefined {
  const file = path === 0 ? 0 : openSync(path, "r");
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, limit + 1 - size));
      const count = readSync(file, chunk, 0, chunk.length, null);
      if (count === 0) return Buffer.concat(chunks).toString("utf8");
      size += count;
      if (size > limit) return undefined;
      chunks.push(chunk.subarray(0, count));
    }
  } finally {
    if (path !== 0) closeSync(file);
  }
}

const CHUNK_BYTES = 2 ** 16;
