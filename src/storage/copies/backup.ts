/**
 * Copies stores that may be in use. A backup has the layout of a data directory, and a description in `backup.json`.
 * The name of an incomplete backup ends in `.incomplete`, and its stores cannot be opened.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BaseError } from "../../errors/base-error.ts";
import { makeDirectory } from "../../runtime/make-directory.ts";
import { dataFile, FORMAT_VERSION, flush, markComplete, markIncomplete } from "../disk/directory.ts";
import { diskReason } from "../disk/disk-error.ts";
import { type FileState, readNewestState } from "../disk/lmdb-pages.ts";
import { ChainFacts } from "./chain-facts.ts";
import { CopyError } from "./copy-error.ts";
import { checkTarget, removeDraft, withDraft } from "./copy-target.ts";
import { type DirectoryClaim, isClaimed } from "./directory-claim.ts";
import { checkFreeSpace } from "./free-space.ts";
import { PinnedStore, pinTogether } from "./pinned-store.ts";
import { StoreImage } from "./store-image.ts";

const DESCRIPTION_FILE = "backup.json";
const INCOMPLETE_SUFFIX = ".incomplete";
const SCHEDULED_NAME = /^backup-\d{8}T\d{6}Z$/;
const CHUNK_BYTES = 8 * 2 ** 20;
const SYNC_BYTES = 64 * 2 ** 20;
const MAX_SECRET_BYTES = 2 ** 20;
const MAX_DESCRIPTION_BYTES = 65_536;

export interface BackupRequest {
  /** New or empty directory. */
  readonly target: string;
  readonly network: string;
  /** Each store's name in the backup, and its current directory. */
  readonly stores: readonly (readonly [name: string, directory: string])[];
  /** Each secret file's path in the backup, and its current path. */
  readonly files: readonly (readonly [name: string, path: string])[];
  readonly reserveBytes: number;
  /** Ms since 1970. */
  readonly now: number;
}

export interface BackupOptions {
  readonly progress?: (doneBytes: number, totalBytes: number) => void;
  readonly isStopped?: () => boolean;
  readonly pause?: () => Promise<void>;
  readonly create?: (path: string) => Promise<Pick<FileHandle, "write" | "datasync" | "sync" | "close">>;
}

export interface BackupDescription {
  readonly created: string;
  /** Height and Base58 id of the newest block; undefined for a store of an older format. */
  readonly height?: number | undefined;
  readonly block?: string | undefined;
  readonly format: number;
  readonly network: string;
  /** Names of stores and secret files. */
  readonly contents: readonly string[];
  readonly bytes: number;
}

/**
 * Writes a backup, also while a node writes to the stores.
 * @throws CopyError, and the errors of `openStore`
 */
export async function writeBackup(
  request: BackupRequest,
  options: BackupOptions = {},
): Promise<BackupDescription> {
  const target = checkTarget(request.target, "backup");
  const draft = `${target}${INCOMPLETE_SUFFIX}`;
  await removeDraft(draft, "backup", (names) => names.includes(DESCRIPTION_FILE));
  const opened: PinnedStore[] = [];
  try {
    for (const [, directory] of request.stores)
      opened.push(await PinnedStore.open(directory, request.network));
    return await new BackupWriter(request, draft, options).write(target, opened);
  } catch (error) {
    const reason = error instanceof BaseError ? undefined : diskReason(dirname(target), error);
    if (reason === undefined) throw error;
    throw new CopyError(`Cannot write the backup ${target}: ${reason}`, { cause: error });
  } finally {
    for (const store of opened) await store.close();
  }
}

export function readBackup(directory: string): BackupDescription | undefined {
  const path = join(directory, DESCRIPTION_FILE);
  if (
    directory.endsWith(INCOMPLETE_SUFFIX) ||
    !existsSync(path) ||
    statSync(path).size > MAX_DESCRIPTION_BYTES
  )
    return undefined;
  let found: Partial<BackupDescription> | null;
  try {
    found = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof found?.created !== "string" || Number.isNaN(Date.parse(found.created))) return undefined;
  if (typeof found.network !== "string" || typeof found.bytes !== "number") return undefined;
  return found as BackupDescription;
}

/** Deletes incomplete scheduled backups that killed processes left. */
export async function removeIncompleteBackups(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    if (!name.endsWith(INCOMPLETE_SUFFIX) || !SCHEDULED_NAME.test(name.slice(0, -INCOMPLETE_SUFFIX.length)))
      continue;
    const draft = join(directory, name);
    if (existsSync(join(draft, DESCRIPTION_FILE)) && !(await isClaimed(draft)))
      await removeIncompleteBackup(draft);
  }
}

/**
 * Deletes a complete backup. If the process is killed meanwhile, an incomplete backup remains.
 * @param remove deletes a file or directory
 * @throws errors of the file system
 */
export async function removeBackup(path: string, remove = removePath): Promise<void> {
  const draft = `${path}${INCOMPLETE_SUFFIX}`;
  renameSync(path, draft);
  await removeIncompleteBackup(draft, remove);
}

function removePath(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}

/** Deletes the description last: it marks the directory as a backup. */
async function removeIncompleteBackup(draft: string, remove = removePath): Promise<void> {
  if (lstatSync(draft).isSymbolicLink()) return remove(draft);
  for (const name of readdirSync(draft)) if (name !== DESCRIPTION_FILE) await remove(join(draft, name));
  await remove(draft);
}

class BackupWriter {
  readonly #request: BackupRequest;
  readonly #draft: string;
  readonly #options: BackupOptions;
  readonly #facts = new ChainFacts();
  #doneBytes = 0;
  #totalBytes = 0;

  constructor(request: BackupRequest, draft: string, options: BackupOptions) {
    this.#request = request;
    this.#draft = draft;
    this.#options = options;
  }

  async write(target: string, stores: readonly PinnedStore[]): Promise<BackupDescription> {
    const { reserveBytes } = this.#request;
    const names = this.#request.stores.map(([name]) => name);
    const states = pinTogether(stores);
    const images: StoreImage[] = [];
    for (const [i, store] of stores.entries()) images.push(await this.#imageOf(store, states[i], names[i]));
    this.#totalBytes = images.reduce((sum, { bytes }) => sum + bytes, 0);
    checkFreeSpace(target, this.#totalBytes, reserveBytes);

    return withDraft(this.#draft, 0o700, (claim) => this.#writeDraft(claim, target, stores, images));
  }

  async #writeDraft(
    claim: DirectoryClaim,
    target: string,
    stores: readonly PinnedStore[],
    images: readonly StoreImage[],
  ): Promise<BackupDescription> {
    const { files, network, now } = this.#request;
    const names = this.#request.stores.map(([name]) => name);
    this.#writeDescription({ incomplete: true });
    for (const [i, image] of images.entries()) await this.#writeStore(names[i], image);
    const written = [];
    for (const [name, path] of files) if (await this.#copySecret(name, path)) written.push(name);
    const { height, block } = this.#facts;
    const description: BackupDescription = {
      created: new Date(now).toISOString(),
      ...(height > 0 && { height, block }),
      format: stores[0]?.format ?? FORMAT_VERSION,
      network,
      contents: [...names, ...written],
      bytes: this.#totalBytes,
    };
    claim.check();
    for (const [i, { format }] of stores.entries())
      markComplete(join(this.#draft, names[i]), { format, network });
    this.#writeDescription(description);
    claim.removeSocket();
    renameSync(this.#draft, target);
    flush(dirname(target));
    return description;
  }

  async #imageOf(store: PinnedStore, state: FileState, name: string): Promise<StoreImage> {
    const { pause } = this.#options;
    const isChain = name === "chain" && store.format === FORMAT_VERSION;
    return StoreImage.scan(store.file, state, {
      ...(isChain && { onRow: this.#facts.onRow }),
      ...(pause !== undefined && { pause }),
    });
  }

  async #writeStore(name: string, image: StoreImage): Promise<void> {
    const { create = createFile, progress, isStopped, pause } = this.#options;
    const directory = join(this.#draft, name);
    markIncomplete(directory, "backup");
    const path = dataFile(directory);
    const file = await create(path);
    try {
      let unsynced = 0;
      for await (const chunk of image.chunks(CHUNK_BYTES)) {
        await writeAll(file, chunk);
        this.#doneBytes += chunk.length;
        unsynced += chunk.length;
        if (unsynced >= SYNC_BYTES) {
          await file.datasync();
          unsynced = 0;
        }
        progress?.(this.#doneBytes, this.#totalBytes);
        if (isStopped?.() === true) throw new CopyError("Stopped. The backup was deleted");
      }
      await file.sync();
    } finally {
      await file.close();
    }
    // Checks that the copied pages belong to one state.
    const copy = await open(path);
    try {
      const checked = await StoreImage.scan(
        copy,
        readNewestState(copy.fd),
        pause === undefined ? {} : { pause },
      );
      if (checked.bytes !== image.bytes)
        throw new CopyError(`The copy of ${name} differs in size from the original`);
    } finally {
      await copy.close();
    }
  }

  async #copySecret(name: string, path: string): Promise<boolean> {
    if (!existsSync(path)) return false;
    const { size } = statSync(path);
    if (size > MAX_SECRET_BYTES) throw new CopyError(`${path} has ${size} bytes: it is not a wallet file`);
    const copy = join(this.#draft, name);
    makeDirectory(dirname(copy), 0o700);
    writeFileSync(copy, await readFile(path), { mode: 0o600, flag: "wx" });
    flush(copy);
    flush(dirname(copy));
    return true;
  }

  #writeDescription(description: object): void {
    const path = join(this.#draft, DESCRIPTION_FILE);
    const file = openSync(path, "w", 0o600);
    writeFileSync(file, `${JSON.stringify(description, undefined, 2)}\n`);
    fsyncSync(file);
    closeSync(file);
    flush(this.#draft);
  }
}

function createFile(path: string): Promise<FileHandle> {
  return open(path, "wx", 0o600);
}

export async function writeAll(file: Pick<FileHandle, "write">, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done);
    done += bytesWritten;
  }
}

/** Returns a name such as `backup-20261124T150000Z`. */
export function backupName(now: number): string {
  return `backup-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, "")}`;
}

export function listBackups(directory: string, network: string): { path: string; createdAt: number }[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => SCHEDULED_NAME.test(name))
    .map((name) => ({ path: join(directory, name), found: readBackup(join(directory, name)) }))
    .filter(({ found }) => found?.network === network)
    .map(({ path, found }) => ({ path, createdAt: Date.parse(found?.created ?? "") }))
    .sort((a, b) => a.createdAt - b.createdAt);
}
