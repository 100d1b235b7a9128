import { existsSync, readdirSync, statSync } from "node:fs";
import { CopyError } from "./copy-error.ts";

/** @throws CopyError if the target exists and is not an empty directory */
export function checkTarget(target: string, what: "backup" | "snapshot"): void {
  if (!existsSync(target)) return;
  if (!statSync(target).isDirectory()) throw new CopyError(`${target} is a file: give a new directory`);
  if (readdirSync(target).length > 0)
    throw new CopyError(`${target} is not empty: a ${what} never replaces files, so give a new directory`);
}
