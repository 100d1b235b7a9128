/** Page 04 §17.1, §17.3. */
import { DecodeError, reasonOf } from "../../bytes/errors.ts";
import { ipBytes } from "../../bytes/ip.ts";
import { JsonError, parseJson } from "../../bytes/json.ts";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.ts";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import {
  DEFAULT_PORT,
  formatPeerAddress,
  type PeerAddress,
  PeerAddressError,
  parsePeerAddress,
} from "../peer-address.ts";
import type { PeerDatabase } from "./peer-database.ts";
import type { PeersFile } from "./peers-file.ts";

const SAVE_INTERVAL_MS = 30_000;
const MAX_FILE_LENGTH = 1_048_576;

/** Parses the reference's format: a JSON array of `"<ip>:<port>"`. @throws DecodeError */
export function parsePeersFile(bytes: Uint8Array): PeerAddress[] {
  if (bytes.length >= MAX_FILE_LENGTH) throw new DecodeError(`the file exceeds ${MAX_FILE_LENGTH} bytes`);
  try {
    const list = parseJson(decodeUtf8(bytes));
    if (!Array.isArray(list)) throw new DecodeError("the file is not a JSON array");
    return list.map((entry) => {
      if (typeof entry !== "string") throw new DecodeError("an entry is not a string");
      return parsePeerAddress(entry, DEFAULT_PORT);
    });
  } catch (error) {
    if (error instanceof JsonError || error instanceof PeerAddressError) throw new DecodeError(error.message);
    throw error;
  }
}

export function peersFileBytes(addresses: readonly PeerAddress[]): Uint8Array {
  const texts = addresses.filter(({ host }) => ipBytes(host) !== undefined).map(formatPeerAddress);
  return encodeUtf8(JSON.stringify(texts.sort()));
}

export class KnownPeersStore {
  readonly #database: PeerDatabase;
  readonly #file: PeersFile;
  readonly #clock: Clock;
  readonly #log: Log;
  #writtenText: string | undefined;
  #saving: Promise<void> = Promise.resolve();
  #hasFailed = false;
  #cancel: Cancel | undefined;
  #hasEnded = false;
  /** True while the file must not be overwritten: before it is read, or if it is unreadable, or invalid and not moved. */
  #isUnread = true;

  constructor(database: PeerDatabase, file: PeersFile, clock: Clock, log: Log) {
    this.#database = database;
    this.#file = file;
    this.#clock = clock;
    this.#log = log;
  }

  /** Never rejects: moves an invalid file aside, and leaves an unreadable one unchanged. */
  async start(): Promise<void> {
    try {
      const bytes = await this.#file.read(MAX_FILE_LENGTH);
      if (bytes !== undefined) {
        for (const address of parsePeersFile(bytes)) this.#database.touch(address);
        this.#writtenText = decodeUtf8(bytes);
      }
    } catch (error) {
      if (!(error instanceof DecodeError)) {
        this.#log.warn(
          `Cannot read the known peers in ${this.#file.path}: changes are not saved`,
          reason(error),
        );
        return;
      }
      if (!(await this.#moveAside(error))) return;
    }
    this.#isUnread = false;
    this.#scheduleSave();
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.#hasEnded = true;
    this.#cancel?.();
    await this.#save();
  }

  #scheduleSave(): void {
    if (this.#hasEnded) return;
    this.#cancel = this.#clock.after(SAVE_INTERVAL_MS, () => {
      this.#save().then(() => this.#scheduleSave());
    });
  }

  #save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    if (this.#isUnread) return;
    const bytes = peersFileBytes(this.#database.knownPeers().map(({ address }) => address));
    const text = decodeUtf8(bytes);
    if (text === this.#writtenText) return;
    try {
      await this.#file.write(bytes);
      this.#writtenText = text;
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed)
        this.#log.warn(`Cannot write the known peers to ${this.#file.path}`, reason(error));
      this.#hasFailed = true;
    }
  }

  /** Returns false if the file is still in its place. */
  async #moveAside(error: unknown): Promise<boolean> {
    const { path } = this.#file;
    try {
      const newPath = await this.#file.setAside();
      this.#log.warn(`Invalid file of known peers ${path}: moved to ${newPath}`, reason(error));
      return true;
    } catch (failure) {
      const facts = { ...reason(error), notMoved: reasonOf(failure) };
      this.#log.warn(`Invalid file of known peers ${path}: cannot move it, so changes are not saved`, facts);
      return false;
    }
  }
}

function reason(error: unknown): Record<string, unknown> {
  return { reason: reasonOf(error) };
}
