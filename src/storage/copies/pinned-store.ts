/** Keeps one state of a store readable while a process writes to the store. */
import { type FileHandle, open } from "node:fs/promises";
import { dataFile, prepareDirectory } from "../disk/directory.ts";
import { type FileState, readNewestState } from "../disk/lmdb-pages.ts";
import { type Database, LmdbSnapshot, openDatabase } from "../disk/lmdb-reader.ts";
import { FencePointers } from "../lsm/fence-pointers.ts";

const MAX_ATTEMPTS = 10_000;

class UnsteadyStoreError extends Error {
  override readonly name = "UnsteadyStoreError";
  constructor() {
    super("The node commits too often to copy its stores at one moment: try again");
  }
}

export class PinnedStore {
  readonly directory: string;
  readonly format: number;
  readonly file: FileHandle;
  readonly #database: Database;
  #snapshot: LmdbSnapshot | undefined;

  private constructor(directory: string, format: number, file: FileHandle, database: Database) {
    this.directory = directory;
    this.format = format;
    this.file = file;
    this.#database = database;
  }

  /** Accepts older formats that can be upgraded. @throws the errors of `openStore` */
  static async open(directory: string, network: string): Promise<PinnedStore> {
    const { format } = prepareDirectory(directory, network, false);
    const file = await open(dataFile(directory));
    try {
      return new PinnedStore(directory, format, file, openDatabase(dataFile(directory), true));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Returns the newest state, and prevents reuse of its pages until `close`. */
  pin(): FileState {
    this.#snapshot?.close();
    this.#snapshot = new LmdbSnapshot(this.#database, new FencePointers());
    // The snapshot also protects the pages of newer states.
    return this.newest();
  }

  newest(): FileState {
    return readNewestState(this.file.fd);
  }

  async close(): Promise<void> {
    this.#snapshot?.close();
    await this.#database.close();
    await this.file.close();
  }
}

/** Pins states that the stores have at the same moment. @throws UnsteadyStoreError */
export function pinTogether(stores: readonly PinnedStore[]): FileState[] {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const states = stores.map((store) => store.pin());
    if (stores.every((store, i) => store.newest().transaction === states[i].transaction)) return states;
  }
  throw new UnsteadyStoreError();
}
