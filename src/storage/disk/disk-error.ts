/** `--help` loads this file, which therefore must not import the database. */
import { statfsSync } from "node:fs";
import { getSystemErrorName } from "node:util";

const systemReasons: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is exceeded",
  EFBIG: "the file exceeds the size limit of the system",
  EROFS: "the file system is read-only",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EIO: "the disk reported an I/O error",
  ENOMEM: "the system has no memory or address space left for it",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOTDIR: "a part of its path is not a directory",
  EISDIR: "it is a directory, not a file",
  ELOOP: "its path contains a loop of symbolic links",
  ENAMETOOLONG: "its path is too long",
  ENOENT: "a part of its path is missing",
  ENOTSUP: "its file system cannot hold new directories",
};
/** After this error, the database must be reopened. */
const MDB_PANIC = -30_795;
const databaseReasons: Readonly<Record<number, string>> = {
  [MDB_PANIC]: "the disk failed during a commit",
  [-30_796]: "its data file is damaged",
  [-30_794]: "its data file was written by another version of the database",
  [-30_793]: "its data file is not an LMDB file",
  [-30_792]: "its data file has reached its maximum size",
};
/** Below this free space, EIO is reported as a full disk. */
const MIN_FREE_BYTES = 1_048_576;

export class DiskError extends Error {
  override readonly name = "DiskError";
  /** True if retries cannot succeed before the store is reopened. */
  readonly lasting: boolean;

  constructor(message: string, { cause, lasting = false }: { cause?: unknown; lasting?: boolean } = {}) {
    super(message, { cause });
    this.lasting = lasting;
  }
}

/** Returns undefined for errors that are not of the disk or the database. */
export function diskErrorOf(
  directory: string,
  operation: "opened" | "written",
  error: unknown,
): DiskError | undefined {
  if (error instanceof DiskError) return error;
  const { code, reason } = causeOf(directory, error);
  if (reason === undefined) return undefined;
  const { path } = error as { readonly path?: unknown };
  const where = typeof path === "string" && path !== directory ? ` (${path})` : "";
  const message = `The data directory ${directory} cannot be ${operation}: ${reason}${where}`;
  return new DiskError(message, { cause: error, lasting: code === MDB_PANIC });
}

export function diskReason(directory: string, error: unknown): string | undefined {
  return causeOf(directory, error).reason;
}

function causeOf(
  directory: string,
  error: unknown,
): { readonly code: unknown; readonly reason?: string | undefined } {
  const { code: reportedCode, message } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  // In a read error, only the message names a panic.
  const code = String(message).includes("MDB_PANIC") ? MDB_PANIC : reportedCode;
  const normalizedCode = typeof code === "number" && code > 0 ? getSystemErrorName(-code) : code;
  if (typeof normalizedCode === "number")
    return { code: normalizedCode, reason: databaseReasons[normalizedCode] };
  if (typeof normalizedCode !== "string") return { code: normalizedCode };
  return {
    code: normalizedCode,
    reason: systemReasons[normalizedCode === "EIO" && isFull(directory) ? "ENOSPC" : normalizedCode],
  };
}

/** @throws DiskError if `work` throws an error of the disk or the database */
export async function withDiskErrors<T>(directory: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskErrorOf(directory, "opened", error) ?? error;
  }
}

function isFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < MIN_FREE_BYTES;
  } catch {
    return false;
  }
}
