import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { makeDirectory } from "../../runtime/make-directory.ts";
import {
  claimDirectory,
  type DirectoryClaim,
  DirectoryClaimedError,
  isClaimed,
} from "../disk/directory-claim.ts";
import { isSocketName } from "../disk/lock.ts";
import { CopyError } from "./copy-error.ts";

export type CopyKind = "backup" | "snapshot";

/** @throws CopyError if the target exists and is not an empty directory */
export function checkTarget(target: string, what: CopyKind): void {
  if (!existsSync(target)) return;
  if (!statSync(target).isDirectory()) throw new CopyError(`${target} is a file: give a new directory`);
  if (readdirSync(target).length > 0)
    throw new CopyError(`${target} is not empty: a ${what} never replaces files, so give a new directory`);
}

/**
 * Removes the draft that a killed process left.
 * @param isDraft judges the names of the files in a directory
 * @throws CopyError for other files; DirectoryClaimedError if a process writes the draft
 */
export async function removeDraft(
  draft: string,
  what: CopyKind,
  isDraft: (names: readonly string[]) => boolean,
): Promise<void> {
  if (!existsSync(draft)) return;
  const names = statSync(draft).isDirectory()
    ? readdirSync(draft).filter((name) => !isSocketName(name))
    : [draft];
  if (names.length > 0 && !isDraft(names))
    throw new CopyError(`${draft} exists and is not an incomplete ${what}: remove it`);
  if (await isClaimed(draft)) throw new DirectoryClaimedError(draft);
  rmSync(draft, { recursive: true, force: true });
}

/**
 * Creates a draft, and claims it while `write` runs. Deletes it if that fails.
 * @param write calls `check` of the claim before it completes the draft, and `removeFile` before it renames it
 * @throws DirectoryClaimedError, and what `write` throws
 */
export async function withDraft<T>(
  draft: string,
  mode: number,
  write: (claim: DirectoryClaim) => Promise<T>,
): Promise<T> {
  if (existsSync(draft)) throw new DirectoryClaimedError(draft);
  makeDirectory(draft, mode);
  const claim = await claimDirectory(draft);
  try {
    return await write(claim);
  } catch (error) {
    // If this fails too, a draft remains that cannot be used.
    if (claim.isCurrent()) rmSync(draft, { recursive: true, force: true });
    throw error;
  } finally {
    await claim.release();
  }
}
