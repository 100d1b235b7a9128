import { type FileHandle, open } from "node:fs/promises";
import { PinnedStore } from "../copies/pinned-store.ts";
import { dataFile, ForeignDirectoryError, prepareDirectory } from "../disk/directory.ts";
import { DamagedFileError, type FileState, readNewestState } from "../disk/lmdb-pages.ts";
import { liveSockets } from "../disk/lock.ts";

export interface StoredState {
  readonly file: FileHandle;
  readonly state: FileState;
  readonly format: number;
  readonly fileBytes: number;
  /** True if another process may use the store. That process does not reuse this state's pages until `reading` ends. */
  readonly isInUse: boolean;
}

/**
 * Calls `reading` with the newest state, without a lock.
 * @throws the errors of `prepareDirectory`
 * @throws ForeignDirectoryError if another process began to write meanwhile
 */
export async function readStoredState<T>(
  directory: string,
  network: string,
  reading: (stored: StoredState) => Promise<T>,
): Promise<T> {
  const sockets = await liveSockets(directory);
  if (sockets === undefined || sockets.length > 0) {
    const pinned = await PinnedStore.open(directory, network);
    try {
      const state = pinned.pin();
      const { size: fileBytes } = await pinned.file.stat();
      return await reading({ file: pinned.file, state, format: pinned.format, fileBytes, isInUse: true });
    } finally {
      await pinned.close();
    }
  }
  const { format } = prepareDirectory(directory, network, false);
  const file = await open(dataFile(directory));
  try {
    const state = newestState(directory, file);
    const { size: fileBytes } = await file.stat();
    const result = await reading({ file, state, format, fileBytes, isInUse: false });
    if (readNewestState(file.fd).transaction !== state.transaction)
      throw new ForeignDirectoryError(directory, "a node started during this command: repeat the command");
    return result;
  } finally {
    await file.close();
  }
}

function newestState(directory: string, file: FileHandle): FileState {
  try {
    return readNewestState(file.fd);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    throw new ForeignDirectoryError(directory, error.message);
  }
}
