/** The directory of a store: whether it is ours, of which format and network. Looked at before anything is opened. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { dataFileFault } from "./lmdb-file.ts";
import { isSocketName } from "./lock.ts";

/** Version of the layout of tables.ts. Raise it when stored rows are no longer read as they were written. */
export const FORMAT_VERSION = 3;

const MARKER = "holdfast-store.json";
const DATA = "data.mdb";

/** The store was written by a version with another layout. */
export class StoreFormatError extends Error {
  override readonly name = "StoreFormatError";
  constructor(directory: string, found: number) {
    super(
      `The data directory ${directory} has format ${found}, this version reads format ${FORMAT_VERSION}: ` +
        "use the version that wrote it, or another directory",
    );
  }
}

/** The store holds the chain of another network. */
export class WrongNetworkError extends Error {
  override readonly name = "WrongNetworkError";
  constructor(directory: string, found: string, wanted: string) {
    super(`The data directory ${directory} belongs to the network ${found}, not to ${wanted}`);
  }
}

/** The directory is not a store of ours, or a damaged one. Nothing in it was touched. */
export class ForeignDirectoryError extends Error {
  override readonly name = "ForeignDirectoryError";
  constructor(directory: string, reason: string) {
    super(`The directory ${directory} cannot be used: ${reason}`);
  }
}

/** Path of the data file in a store's directory. */
export function dataFile(directory: string): string {
  return join(directory, DATA);
}

/**
 * Checks a directory, and makes it a store where it is absent or empty and `create` is set.
 * @param network identity of the network: what must not change under a chain, as a text
 * @throws ForeignDirectoryError, StoreFormatError, WrongNetworkError, having changed nothing
 */
export function prepareDirectory(directory: string, network: string, create: boolean): void {
  if (existsSync(directory) && !statSync(directory).isDirectory()) {
    throw new ForeignDirectoryError(directory, "it is a file");
  }
  const marker = join(directory, MARKER);
  if (!existsSync(marker)) {
    const others = existsSync(directory) ? readdirSync(directory).filter((name) => !isLeftover(name)) : [];
    if (others.length > 0) {
      throw new ForeignDirectoryError(
        directory,
        `it is not empty (${others[0]}) and was not made by this program`,
      );
    }
    if (!create) throw new ForeignDirectoryError(directory, "there is no store in it");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeMarker(directory, marker, network);
  }
  checkMarker(directory, readFileSync(marker, "utf8"), network);
  const data = dataFile(directory);
  if (existsSync(data) && statSync(data).size > 0) {
    const fault = dataFileFault(data);
    if (fault !== undefined) throw new ForeignDirectoryError(directory, fault);
  } else if (!create) throw new ForeignDirectoryError(directory, "there is no data file in it");
}

/** What a start that was killed at once may leave in an otherwise empty directory. */
function isLeftover(name: string): boolean {
  return isSocketName(name) || name.startsWith(`${MARKER}.`);
}

function writeMarker(directory: string, marker: string, network: string): void {
  const draft = join(directory, `${MARKER}.${process.pid}`);
  writeFileSync(draft, `${JSON.stringify({ format: FORMAT_VERSION, network })}\n`);
  try {
    // A link, unlike a renaming, does not replace what another process put there meanwhile.
    linkSync(draft, marker);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function checkMarker(directory: string, text: string, network: string): void {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw new ForeignDirectoryError(directory, `its ${MARKER} is damaged`);
  }
  if (!isMarker(found)) throw new ForeignDirectoryError(directory, `its ${MARKER} is damaged`);
  if (found.format !== FORMAT_VERSION) throw new StoreFormatError(directory, found.format);
  if (found.network !== network) throw new WrongNetworkError(directory, found.network, network);
}

function isMarker(value: unknown): value is { readonly format: number; readonly network: string } {
  if (typeof value !== "object" || value === null) return false;
  const { format, network } = value as { format?: unknown; network?: unknown };
  return Number.isInteger(format) && typeof network === "string";
}
