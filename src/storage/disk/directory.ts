/** The directory of a store: whether it is ours, of which format and network. Looked at before anything is opened. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { BaseError } from "../../errors/base-error.ts";
import { dataFileFault } from "./lmdb-file.ts";
import { isSocketName } from "./lock.ts";

/** Version of the layout of tables.ts. Raise it when stored rows are no longer read as they were written. */
export const FORMAT_VERSION = 6;
/** The oldest one that is brought to this one when it is opened for writing: `upgrade.ts`. */
const OLDEST_FORMAT = 4;

const MARKER = "holdfast-store.json";
const DATA = "data.mdb";
/** The database's own, beside the data file. */
const LOCK = `${DATA}-lock`;

const REMEDY = "put a whole copy back, or move the directory away and import the chain again";

/** The store was written by a version with another layout. */
export class StoreFormatError extends BaseError {
  constructor(directory: string, found: number) {
    super(
      `The data directory ${directory} has format ${found}, this version reads format ${FORMAT_VERSION}`,
      {
        hint: isUpgradable(found)
          ? "start the node once (holdfast start), which brings it up to date"
          : "write its blocks to a file with the version that wrote it (holdfast export FILE), move the directory away, " +
            "and take them in with this one (holdfast import FILE)",
      },
    );
  }
}

/** Whether a store of this format becomes one of `FORMAT_VERSION` when it is opened for writing. */
export function isUpgradable(format: number): boolean {
  return format >= OLDEST_FORMAT && format < FORMAT_VERSION;
}

/** The store holds the chain of another network. */
export class WrongNetworkError extends BaseError {
  constructor(directory: string, found: string, wanted: string) {
    super(`The data directory ${directory} belongs to the network ${found}, not to ${wanted}`);
  }
}

/** The directory is not a store of ours, or a damaged one. Nothing in it was touched. */
export class ForeignDirectoryError extends BaseError {
  constructor(directory: string, reason: string) {
    super(`The directory ${directory} cannot be used: ${reason}`);
  }
}

/** Path of the data file in a store's directory. */
export function dataFile(directory: string): string {
  return join(directory, DATA);
}

/** What a directory says of itself in its marker. */
interface Marker {
  readonly format: number;
  readonly network: string;
  /** The data file was written: from now on it is a loss when there is none. Absent until then. */
  readonly written?: true | undefined;
}

/**
 * Checks a directory, and makes it a store where it is absent or empty and `create` is set.
 * @param network identity of the network: what must not change under a chain, as a text
 * @returns whether a store was written in it before, and whether its marker says so and is of this format
 * @throws ForeignDirectoryError, StoreFormatError, WrongNetworkError, having changed nothing
 * @throws the system's errors
 */
export function prepareDirectory(
  directory: string,
  network: string,
  create: boolean,
): { readonly written: boolean; readonly isMarked: boolean } {
  if (existsSync(directory) && !statSync(directory).isDirectory()) {
    throw new ForeignDirectoryError(directory, "it is a file");
  }
  const path = join(directory, MARKER);
  if (!existsSync(path)) {
    const others = existsSync(directory) ? readdirSync(directory).filter((name) => !isLeftover(name)) : [];
    if (others.length > 0) {
      throw new ForeignDirectoryError(
        directory,
        `it is not empty (${others[0]}) and was not made by this program`,
      );
    }
    if (!create) throw new ForeignDirectoryError(directory, "there is no store in it");
    makeDirectory(directory);
    const draft = draftMarker(directory, { format: FORMAT_VERSION, network });
    try {
      // A link, unlike a renaming, does not replace what another process put there meanwhile.
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }
  const marker = readMarker(directory, network);
  const written = marker.written === true;
  checkFiles(directory, written, create);
  return { written, isMarked: written && marker.format === FORMAT_VERSION };
}

/**
 * Whether no store was ever written in a directory, that of a start that was killed at once included. Where something
 * else is in it, opening it says so.
 * @throws ForeignDirectoryError, StoreFormatError, WrongNetworkError
 * @throws the system's errors
 */
export function isUnwritten(directory: string, network: string): boolean {
  if (!existsSync(directory)) return true;
  if (!statSync(directory).isDirectory() || existsSync(dataFile(directory))) return false;
  if (existsSync(join(directory, MARKER))) return readMarker(directory, network).written !== true;
  return readdirSync(directory).every(isLeftover);
}

/**
 * Notes that a store was written in a directory, once its data file is on the disk.
 * @throws the system's errors
 */
export function markWritten(directory: string, network: string): void {
  const draft = draftMarker(directory, { format: FORMAT_VERSION, network, written: true });
  renameSync(draft, join(directory, MARKER));
  flush(directory);
}

/** Whether database and system can work with the files as they are: what the database meets otherwise may end us. */
function checkFiles(directory: string, written: boolean, create: boolean): void {
  const data = dataFile(directory);
  for (const name of [DATA, LOCK]) {
    const path = join(directory, name);
    if (!existsSync(path)) continue;
    if (!statSync(path).isFile())
      throw new ForeignDirectoryError(directory, `its ${name} is not a file: remove it`);
    if (create) accessSync(path, constants.R_OK | constants.W_OK);
  }
  if (create) accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  if (existsSync(data) && statSync(data).size > 0) {
    const fault = dataFileFault(data);
    if (fault !== undefined) throw new ForeignDirectoryError(directory, `${fault}; ${REMEDY}`);
  } else if (written) {
    const fault = `its data file ${DATA} is ${existsSync(data) ? "empty" : "missing"}, though a chain was stored in it`;
    throw new ForeignDirectoryError(directory, `${fault}; ${REMEDY}`);
  } else if (!create) throw new ForeignDirectoryError(directory, "there is no data file in it");
}

/** The data file holds no store, though its directory says that it does. */
export function emptyStoreError(directory: string): ForeignDirectoryError {
  return new ForeignDirectoryError(directory, `its data file holds no chain; ${REMEDY}`);
}

function makeDirectory(directory: string): void {
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  // Where it cannot be made, the system's own answer to that is not always the reason.
  if (existing !== directory && statSync(existing).isDirectory())
    accessSync(existing, constants.W_OK | constants.X_OK);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** What a start that was killed at once may leave in an otherwise empty directory. */
function isLeftover(name: string): boolean {
  return isSocketName(name) || name.startsWith(`${MARKER}.`);
}

/** Writes a marker beside its place, onto the disk. */
function draftMarker(directory: string, marker: Marker): string {
  const draft = join(directory, `${MARKER}.${process.pid}`);
  writeFileSync(draft, `${JSON.stringify(marker)}\n`);
  flush(draft);
  return draft;
}

function flush(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function readMarker(directory: string, network: string): Marker {
  const path = join(directory, MARKER);
  if (!statSync(path).isFile())
    throw new ForeignDirectoryError(directory, `its ${MARKER} is not a file: remove it`);
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ForeignDirectoryError(directory, `its ${MARKER} is damaged`);
  }
  if (!isMarker(found)) throw new ForeignDirectoryError(directory, `its ${MARKER} is damaged`);
  if (found.format !== FORMAT_VERSION && !isUpgradable(found.format))
    throw new StoreFormatError(directory, found.format);
  if (found.network !== network) throw new WrongNetworkError(directory, found.network, network);
  return found;
}

function isMarker(value: unknown): value is Marker {
  if (typeof value !== "object" || value === null) return false;
  const { format, network, written } = value as { format?: unknown; network?: unknown; written?: unknown };
  return (
    Number.isInteger(format) && typeof network === "string" && (written === undefined || written === true)
  );
}
