import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { BaseError } from "../../errors/base-error.ts";
import { makeDirectory } from "../../runtime/make-directory.ts";
import { networkText } from "../network-identity.ts";
import { dataFileFault } from "./lmdb-file.ts";
import { isSocketName } from "./lock.ts";

/** Raise this version when the encoding of stored rows changes. */
export const FORMAT_VERSION = 7;
/** `upgrade.ts` can upgrade this and newer formats when a store is opened for writing. */
const OLDEST_FORMAT = 4;

const MARKER_FILE = "holdfast-store.json";
const INCOMPLETE_FILE = "holdfast-incomplete.json";
const DATA_FILE = "data.mdb";
const LOCK_FILE = `${DATA_FILE}-lock`;

const REMEDY = "restore a complete copy, or move the directory away and import the chain again";

export class StoreFormatError extends BaseError {
  constructor(directory: string, found: number) {
    super(
      `The data directory ${directory} has format ${found}, this version reads format ${FORMAT_VERSION}`,
      {
        hint: isUpgradable(found)
          ? "start the node once (holdfast start) to upgrade it"
          : `${found > FORMAT_VERSION ? "use the newer version that wrote it, or export its blocks with that version" : "export its blocks with the version that wrote it"} (holdfast export FILE), move the directory away, and import them with this version (holdfast import FILE)`,
      },
    );
  }
}

export function isUpgradable(format: number): boolean {
  return format >= OLDEST_FORMAT && format < FORMAT_VERSION;
}

export class WrongNetworkError extends BaseError {
  constructor(directory: string, found: string, expected: string) {
    super(
      `The data directory ${directory} belongs to the network ${networkText(found)}, not to ${networkText(expected)}`,
    );
  }
}

/** Thrown before the directory is modified. */
export class ForeignDirectoryError extends BaseError {
  constructor(directory: string, reason: string) {
    super(`The directory ${directory} cannot be used: ${reason}`);
  }
}

export type IncompleteKind = "backup" | "restore";

const INCOMPLETE_REASONS: Readonly<Record<IncompleteKind, string>> = {
  backup: "it is an incomplete backup: delete it and use a complete one",
  restore:
    "a snapshot was not restored completely: repeat `holdfast snapshot restore` to continue, or delete the directory",
};

/** Marks a directory as incomplete, so that its store cannot be opened. */
export function markIncomplete(directory: string, kind: IncompleteKind): void {
  makeDirectory(directory, 0o700);
  const path = join(directory, INCOMPLETE_FILE);
  writeFileSync(path, `${JSON.stringify({ incomplete: kind })}\n`);
  flush(path);
  flush(directory);
}

export function markComplete(
  directory: string,
  { format, network }: { format: number; network: string },
): void {
  const marker = { format, network, written: true, id: randomUUID() } as const;
  renameSync(writeDraftMarker(directory, marker), join(directory, MARKER_FILE));
  flush(directory);
  rmSync(join(directory, INCOMPLETE_FILE), { force: true });
  flush(directory);
}

export function incompleteKind(directory: string): IncompleteKind | undefined {
  let text: string;
  try {
    text = readFileSync(join(directory, INCOMPLETE_FILE), "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  // A killed process may have left the file empty.
  return text.includes("restore") ? "restore" : "backup";
}

function checkComplete(directory: string): void {
  const kind = incompleteKind(directory);
  if (kind !== undefined) throw new ForeignDirectoryError(directory, INCOMPLETE_REASONS[kind]);
}

export function dataFile(directory: string): string {
  return join(directory, DATA_FILE);
}

export function lockFile(directory: string): string {
  return join(directory, LOCK_FILE);
}

export function compactDraft(directory: string): string {
  return `${dataFile(directory)}.compact`;
}

interface Marker {
  readonly format: number;
  readonly network: string;
  /** Once this is true, a missing data file means data loss. */
  readonly written?: true | undefined;
  /** Each copy of a store has its own id. A store of an older version has no id until it is opened. */
  readonly id?: string | undefined;
}

/**
 * Checks a directory's files, format and network before the database is opened. If `create` is true, turns an absent or
 * empty directory into a store, and requires write access.
 * @returns `isMarkerCurrent`: a store was written, and the marker has the current format and an `id`
 * @throws ForeignDirectoryError, StoreFormatError, WrongNetworkError: the directory is unchanged
 */
export function prepareDirectory(
  directory: string,
  network: string,
  create: boolean,
): {
  readonly isWritten: boolean;
  readonly isMarkerCurrent: boolean;
  readonly format: number;
  readonly id: string | undefined;
} {
  if (existsSync(directory) && !statSync(directory).isDirectory()) {
    throw new ForeignDirectoryError(directory, "it is a file");
  }
  checkComplete(directory);
  const path = join(directory, MARKER_FILE);
  if (!existsSync(path)) {
    const foreignNames = existsSync(directory)
      ? readdirSync(directory).filter((name) => !isLeftover(name))
      : [];
    if (foreignNames.length > 0) {
      throw new ForeignDirectoryError(
        directory,
        `it is not empty (${foreignNames[0]}) and was not made by this program`,
      );
    }
    if (!create) throw new ForeignDirectoryError(directory, "it contains no store");
    makeDirectory(directory, 0o700);
    const draft = writeDraftMarker(directory, { format: FORMAT_VERSION, network });
    try {
      // Unlike a rename, a link does not replace another process's marker.
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }
  const marker = readMarker(directory, network);
  const isWritten = marker.written === true;
  checkFiles(directory, isWritten, create);
  const { format, id } = marker;
  const isMarkerCurrent = isWritten && format === FORMAT_VERSION && id !== undefined;
  return { isWritten, isMarkerCurrent, format, id };
}

/**
 * Returns true if the directory has no chain. Returns false for foreign files, which `openStore` reports.
 * @throws ForeignDirectoryError, StoreFormatError, WrongNetworkError
 */
export function isUnwritten(directory: string, network: string): boolean {
  if (!existsSync(directory)) return true;
  checkComplete(directory);
  if (!statSync(directory).isDirectory() || existsSync(dataFile(directory))) return false;
  if (existsSync(join(directory, MARKER_FILE))) return readMarker(directory, network).written !== true;
  return readdirSync(directory).every(isLeftover);
}

export function markWritten(directory: string, network: string, id: string): void {
  const draft = writeDraftMarker(directory, { format: FORMAT_VERSION, network, written: true, id });
  renameSync(draft, join(directory, MARKER_FILE));
  flush(directory);
}

/** Damaged files can crash the database. */
function checkFiles(directory: string, isWritten: boolean, needsWriting: boolean): void {
  const data = dataFile(directory);
  for (const name of [DATA_FILE, LOCK_FILE]) {
    const path = join(directory, name);
    if (!existsSync(path)) continue;
    if (!statSync(path).isFile())
      throw new ForeignDirectoryError(directory, `its ${name} is not a file: remove it`);
    if (needsWriting) accessSync(path, constants.R_OK | constants.W_OK);
  }
  if (needsWriting) accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  if (existsSync(data) && statSync(data).size > 0) {
    const fault = dataFileFault(data);
    if (fault !== undefined) throw new ForeignDirectoryError(directory, `${fault}; ${REMEDY}`);
  } else if (isWritten) {
    const fault = `its data file ${DATA_FILE} is ${existsSync(data) ? "empty" : "missing"}, although a chain was stored in it`;
    throw new ForeignDirectoryError(directory, `${fault}; ${REMEDY}`);
  } else if (!needsWriting) throw new ForeignDirectoryError(directory, "it contains no data file");
}

export function emptyStoreError(directory: string): ForeignDirectoryError {
  return new ForeignDirectoryError(directory, `its data file holds no chain; ${REMEDY}`);
}

function isLeftover(name: string): boolean {
  return isSocketName(name) || name.startsWith(`${MARKER_FILE}.`);
}

function writeDraftMarker(directory: string, marker: Marker): string {
  const draft = join(directory, `${MARKER_FILE}.${process.pid}`);
  writeFileSync(draft, `${JSON.stringify(marker)}\n`);
  flush(draft);
  return draft;
}

/** Waits until a file or directory is on the disk. */
export function flush(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function readMarker(directory: string, network: string): Marker {
  const path = join(directory, MARKER_FILE);
  if (!statSync(path).isFile())
    throw new ForeignDirectoryError(directory, `its ${MARKER_FILE} is not a file: remove it`);
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ForeignDirectoryError(directory, `its ${MARKER_FILE} is damaged`);
  }
  if (!isMarker(found)) throw new ForeignDirectoryError(directory, `its ${MARKER_FILE} is damaged`);
  if (found.format !== FORMAT_VERSION && !isUpgradable(found.format))
    throw new StoreFormatError(directory, found.format);
  if (found.network !== network) throw new WrongNetworkError(directory, found.network, network);
  return found;
}

function isMarker(value: unknown): value is Marker {
  if (typeof value !== "object" || value === null) return false;
  const { format, network, written, id } = value as { readonly [name in keyof Marker]: unknown };
  return (
    Number.isInteger(format) &&
    typeof network === "string" &&
    (written === undefined || written === true) &&
    (id === undefined || typeof id === "string")
  );
}
