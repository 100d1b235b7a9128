import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a directory and missing parents. For paths that users choose: the recursive `mkdir` of Node.js hangs below
 * `/proc`.
 * @param mode permissions of new directories, before the umask
 * @throws errors of the file system; one with code `ENOTSUP` if an existing directory cannot hold directories
 */
export function makeDirectory(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let next = resolve(path); !existsSync(next) && dirname(next) !== next; next = dirname(next))
    missing.push(next);
  for (const directory of missing.reverse()) makeOne(directory, mode);
}

function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process may have created it.
    if (code === "EEXIST" && statSync(directory).isDirectory()) return;
    const parent = dirname(directory);
    if (code !== "ENOENT" || !existsSync(parent)) throw error;
    const message = `ENOTSUP: the file system of ${parent} cannot hold new directories, mkdir '${directory}'`;
    throw Object.assign(new Error(message, { cause: error }), {
      code: "ENOTSUP",
      syscall: "mkdir",
      path: directory,
    });
  }
}
