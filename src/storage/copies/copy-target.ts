import { existsSync, lstatSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { makeDirectory } from "../../runtime/make-directory.ts";
import { isSocketName } from "../disk/lock.ts";
import { CopyError } from "./copy-error.ts";
import { claimDirectory, claimedError, type DirectoryClaim, isClaimed } from "./directory-claim.ts";

export type CopyKind = "backup" | "snapshot";

/**
 * Returns the absolute path without links, because the draft must be in the target's real parent directory.
 * @throws CopyError if the target exists and is not an empty directory, or is the root of a file system
 */
export function checkTarget(givenPath: string, kind: CopyKind): string {
  const path = resolve(givenPath);
  if (!existsSync(path)) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new CopyError(`${path} is a link to a missing directory: give a new directory`);
    return path;
  }
  const target = realpathSync(path);
  if (!statSync(target).isDirectory()) throw new CopyError(`${target} is a file: give a new directory`);
  if (readdirSync(target).length > 0)
    throw new CopyError(`${target} is not empty: a ${kind} never replaces files, so give a new directory`);
  if (statSync(target).dev !== statSync(dirname(target)).dev)
    throw new CopyError(`${target} is the root of a file system: give a new directory in it`);
  return target;
}

/**
 * Removes the draft that a killed process left.
 * @param isDraft returns true if files with these names can be a draft
 * @throws CopyError for other files, or if a process writes the draft
 */
export async function removeDraft(
  draft: string,
  kind: CopyKind,
  isDraft: (names: readonly string[]) => boolean,
): Promise<void> {
  if (!existsSync(draft)) return;
  const names = statSync(draft).isDirectory()
    ? readdirSync(draft).filter((name) => !isSocketName(name))
    : [draft];
  if (names.length > 0 && !isDraft(names))
    throw new CopyError(`${draft} exists and is not an incomplete ${kind}: remove it`);
  if (await isClaimed(draft)) throw claimedError(draft);
  rmSync(draft, { recursive: true, force: true });
}

/**
 * Creates a draft, and claims it while `write` runs.
 * @param write in this order: calls `claim.check`, completes the draft, calls `claim.removeSocket`, renames the draft
 * @throws CopyError if the draft already exists
 */
export async function withDraft<T>(
  draft: string,
  mode: number,
  write: (claim: DirectoryClaim) => Promise<T>,
): Promise<T> {
  if (existsSync(draft)) throw claimedError(draft);
  makeDirectory(draft, mode);
  const claim = await claimDirectory(draft);
  try {
    return await write(claim);
  } catch (error) {
    // If the removal fails too, an unusable draft remains.
    if (claim.isCurrent()) rmSync(draft, { recursive: true, force: true });
    throw error;
  } finally {
    await claim.release();
  }
}
