import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { chmod, chown, type FileHandle, open } from "node:fs/promises";
import { BaseError } from "../../errors/base-error.ts";
import { compactDraft, dataFile, flush, lockFile } from "../disk/directory.ts";
import { diskReason } from "../disk/disk-error.ts";
import { readNewestState } from "../disk/lmdb-pages.ts";
import { writeAll } from "./backup.ts";
import { CopyError } from "./copy-error.ts";
import { checkFreeSpace } from "./free-space.ts";
import { RowDigest } from "./row-digest.ts";
import { StoreImage } from "./store-image.ts";

const CHUNK_BYTES = 8 * 2 ** 20;

export interface CompactionFiles {
  create(path: string): Promise<Pick<FileHandle, "write" | "sync" | "close">>;
  rename(from: string, to: string): void;
  remove(path: string): void;
  flush(directory: string): void;
}

export interface CompactionOptions {
  readonly reserveBytes: number;
  /** If this throws, the store is unchanged. */
  readonly pause: () => Promise<void>;
  readonly progress?: (doneBytes: number, totalBytes: number) => void;
  readonly files?: CompactionFiles;
}

const systemFiles: CompactionFiles = {
  create: (path) => open(path, "wx", 0o600),
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  flush,
};

/**
 * Writes a compact copy next to the data file, checks the copy, and atomically replaces the data file with the copy.
 * The caller must have the store open for writing, and close it afterwards.
 * @returns the data file's sizes in bytes
 * @throws CopyError: the store is unchanged, unless the message says otherwise
 * @throws DamagedFileError
 */
export async function compactStore(
  directory: string,
  { reserveBytes, pause, progress, files = systemFiles }: CompactionOptions,
): Promise<{ readonly before: number; readonly after: number }> {
  const path = dataFile(directory);
  const draft = compactDraft(directory);
  const source = await open(path);
  let isReplaced = false;
  try {
    const before = (await source.stat()).size;
    const digest = new RowDigest();
    const image = await StoreImage.scan(source, readNewestState(source.fd), { pause, onRow: digest.add });
    checkFreeSpace(draft, image.bytes, reserveBytes);
    await writeImage(await files.create(draft), image, pause, progress);
    await checkDraft(draft, image.bytes, digest, pause);
    await copyOwnership(path, draft);
    await pause();
    files.rename(draft, path);
    isReplaced = true;
    // The lock file describes the readers and commits of the old data file.
    files.remove(lockFile(directory));
    files.flush(directory);
    return { before, after: image.bytes };
  } catch (error) {
    if (!isReplaced) removeDraft(draft, files);
    const reason = error instanceof BaseError ? undefined : diskReason(directory, error);
    if (reason === undefined) throw error;
    throw new CopyError(
      isReplaced
        ? `The store ${directory} was compacted, but its lock file cannot be removed: ${reason}. Remove ${lockFile(directory)}`
        : `Cannot compact the store ${directory}: ${reason}. It is unchanged`,
      { cause: error },
    );
  } finally {
    await source.close();
  }
}

async function writeImage(
  file: Awaited<ReturnType<CompactionFiles["create"]>>,
  image: StoreImage,
  pause: () => Promise<void>,
  progress: CompactionOptions["progress"],
): Promise<void> {
  let done = 0;
  try {
    for await (const chunk of image.chunks(CHUNK_BYTES)) {
      await writeAll(file, chunk);
      done += chunk.length;
      progress?.(done, image.bytes);
      await pause();
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function checkDraft(
  draft: string,
  bytes: number,
  expected: RowDigest,
  pause: () => Promise<void>,
): Promise<void> {
  const file = await open(draft);
  try {
    const found = new RowDigest();
    const checked = await StoreImage.scan(file, readNewestState(file.fd), { pause, onRow: found.add });
    if (checked.bytes !== bytes || found.end() !== expected.end())
      throw new CopyError(`The compacted copy ${draft} differs from the store, which is unchanged`);
  } finally {
    await file.close();
  }
}

/** The node may run as a different user than this command. */
async function copyOwnership(path: string, draft: string): Promise<void> {
  const { uid, gid, mode } = statSync(path);
  const created = statSync(draft);
  if (created.uid !== uid || created.gid !== gid) await chown(draft, uid, gid);
  await chmod(draft, mode & 0o777);
}

function removeDraft(draft: string, files: CompactionFiles): void {
  try {
    if (existsSync(draft)) files.remove(draft);
  } catch (error) {
    // `openStore` removes the draft later.
    if (diskReason(draft, error) === undefined) throw error;
  }
}
