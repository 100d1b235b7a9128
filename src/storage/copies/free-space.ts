import { existsSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CopyError } from "./copy-error.ts";

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20).toLocaleString("en-US")} MiB`;

/**
 * @param reserveBytes space that must remain free after `bytes` are written
 * @throws CopyError if the disk has less free space
 */
export function checkFreeSpace(path: string, bytes: number, reserveBytes: number): void {
  let existing = resolve(path);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  const free = bavail * bsize;
  if (free >= bytes + reserveBytes) return;
  throw new CopyError(
    `The disk of ${path} has ${mebibytes(free)} free; ${mebibytes(bytes)} are needed, and ${mebibytes(reserveBytes)} must stay free (--disk-pause-free)`,
  );
}
