import { statSync } from "node:fs";

/**
 * Returns true if other users may read or write a file. A file of another user may be readable for its group, unless
 * this process is root. A missing file is not exposed.
 * @param uid user of this process; undefined on Windows
 * @throws other system errors
 */
export function isExposed(path: string, uid = process.getuid?.()): boolean {
  if (uid === undefined) return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  // Pipes and devices, e.g. /dev/stdin, keep no content.
  if (stats?.isFile() !== true) return false;
  return (stats.mode & (stats.uid === uid || uid === 0 ? 0o077 : 0o027)) !== 0;
}

export function exposedText(path: string): string {
  return `Other users of this machine may read or write ${path}: set its mode to 600`;
}
