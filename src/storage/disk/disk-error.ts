/** What a disk refuses, in words for an operator. Knows nothing of the database, so that `--help` need not load it. */
import { statfsSync } from "node:fs";
import { getSystemErrorName } from "node:util";

/** The system's names of what may go wrong with a disk, and what they mean. */
const systemReasons: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "the file would be larger than the system allows",
  EROFS: "the file system is read-only",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EIO: "the disk reports a fault",
  ENOMEM: "the system gives no memory or no addresses for it",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "there is a folder where a file is expected",
  ELOOP: "its path leads in a circle",
  ENAMETOOLONG: "its path is too long",
  ENOENT: "a part of its path is missing",
};
/** Codes of the database itself. After the first it writes nothing until it is opened anew. */
const MDB_PANIC = -30_795;
const databaseReasons: Readonly<Record<number, string>> = {
  [MDB_PANIC]: "the disk failed while a state was confirmed",
  [-30_796]: "its data file is damaged",
  [-30_794]: "its data file was written by another version of the database",
  [-30_793]: "its data file is not one of this database",
  [-30_792]: "its data file has reached its largest size",
};
/** A disk with less room is full: the system may report the write that met its end as a fault of the disk. */
const MIN_FREE_BYTES = 1_048_576;

/** The disk, or the system before it, does not give or take what is asked of it. */
export class DiskError extends Error {
  override readonly name = "DiskError";
  /** Trying again is of no use: the store has to be opened anew. */
  readonly lasting: boolean;

  constructor(message: string, { cause, lasting = false }: { cause?: unknown; lasting?: boolean } = {}) {
    super(message, { cause });
    this.lasting = lasting;
  }
}

/**
 * What an error says of the disk; undefined when it is about something else.
 * @param doing what could not be done to the data directory
 */
export function diskErrorOf(
  directory: string,
  doing: "opened" | "written",
  error: unknown,
): DiskError | undefined {
  if (error instanceof DiskError) return error;
  const { code: given, message: text } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  // Under which code it comes depends on who asks.
  const code = String(text).includes("MDB_PANIC") ? MDB_PANIC : given;
  const name = typeof code === "number" && code > 0 ? getSystemErrorName(-code) : code;
  const reason =
    typeof name === "number"
      ? databaseReasons[name]
      : typeof name === "string"
        ? systemReasons[name === "EIO" && isFull(directory) ? "ENOSPC" : name]
        : undefined;
  if (reason === undefined) return undefined;
  const { path } = error as { readonly path?: unknown };
  const where = typeof path === "string" && path !== directory ? ` (${path})` : "";
  const message = `The data directory ${directory} cannot be ${doing}: ${reason}${where}`;
  return new DiskError(message, { cause: error, lasting: name === MDB_PANIC });
}

/**
 * Works with files of the data directory.
 * @throws DiskError where the disk refuses something
 */
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
    // The disk does not even say that: it is not for want of room.
    return false;
  }
}
