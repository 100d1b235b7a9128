/** A log file shared by threads. Writes are synchronous, to keep the last lines before a crash. */
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { reasonOf } from "../../bytes/errors.ts";
import type { Clock } from "../../interfaces.ts";
import { makeDirectory } from "../make-directory.ts";

const ROTATION_RETRY_DELAY_MS = 60_000;
const FILE_MODE = 0o640;
const DIRECTORY_MODE = 0o750;

export interface LogFileOptions {
  readonly path: string;
  /** 0: no limit. */
  readonly maxBytes: number;
  /** 0: no limit. */
  readonly maxAgeMs: number;
  /** Number of older files to keep: `<path>.1` (the newest), `<path>.2`, … */
  readonly keep: number;
}

interface LogFileDependencies {
  readonly clock: Pick<Clock, "system" | "monotonic">;
  /** Receives notices, and lines that cannot be written. Must not throw. */
  readonly fallback: (line: string) => void;
  /** Returns the number of written bytes. */
  readonly write?: ((fd: number, bytes: Uint8Array, offset: number) => number) | undefined;
}

interface OpenFile {
  readonly fd: number;
  readonly device: number;
  readonly inode: number;
  /** In ms since 1970. */
  readonly createdAt: number;
}

export class LogFile {
  readonly #options: LogFileOptions;
  readonly #dependencies: LogFileDependencies;
  #file: OpenFile | undefined;
  /** Earliest monotonic time of the next rotation, ms. */
  #nextRotationAt = Number.NEGATIVE_INFINITY;
  /** True if the last write ended within a line. */
  #endsMidLine = false;
  #lastWriteFailed = false;

  constructor(options: LogFileOptions, dependencies: LogFileDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /**
   * Opens the file before the first line.
   * @throws errors of the file system, and an `Error` if the path is not a regular file
   */
  open(): void {
    this.#openAtPath();
  }

  /** Rotates a file that is too old, or that another thread filled. Never throws. */
  rotateIfDue(): void {
    try {
      this.#fileFor(0);
    } catch {
      // The next `write` reports the failure.
    }
  }

  /** Appends a line with its line break. Never throws. */
  write(line: string): void {
    const { path } = this.#options;
    const { fallback } = this.#dependencies;
    const bytes = Buffer.from(line);
    try {
      this.#append(this.#fileFor(bytes.length), bytes);
      if (this.#lastWriteFailed) fallback(`The log continues in ${path}\n`);
      this.#lastWriteFailed = false;
    } catch (error) {
      if (!this.#lastWriteFailed)
        fallback(`Cannot write the log file ${path} (${reasonOf(error)}): log lines go here instead\n`);
      this.#lastWriteFailed = true;
      fallback(line);
    }
  }

  /** Returns the file for `length` more bytes, after rotating it if necessary. @throws errors of the file system */
  #fileFor(length: number): OpenFile {
    const { file, size } = this.#openAtPath();
    const now = this.#dependencies.clock.monotonic();
    return this.#isDue(file, size, length) && now >= this.#nextRotationAt ? this.#rotate(file, now) : file;
  }

  /** Reopens a file that another program has replaced or removed. */
  #openAtPath(): { readonly file: OpenFile; readonly size: number } {
    const found = statSync(this.#options.path, { throwIfNoEntry: false });
    const file = this.#file;
    if (file !== undefined && found?.ino === file.inode && found.dev === file.device)
      return { file, size: found.size };
    this.#close();
    this.#file = this.#open();
    return { file: this.#file, size: found?.size ?? 0 };
  }

  #open(): OpenFile {
    const { path } = this.#options;
    makeDirectory(dirname(path), DIRECTORY_MODE);
    // Opening a pipe would block until it has a reader.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw new Error("it is not a regular file");
    const fd = openSync(path, "a", FILE_MODE);
    const { dev, ino, birthtimeMs } = fstatSync(fd);
    // Some file systems record no creation time.
    const createdAt = birthtimeMs > 0 ? birthtimeMs : this.#dependencies.clock.system();
    return { fd, device: dev, inode: ino, createdAt };
  }

  #close(): void {
    const file = this.#file;
    this.#file = undefined;
    this.#endsMidLine = false;
    try {
      if (file !== undefined) closeSync(file.fd);
    } catch {
      // A delayed write failed. The descriptor is released.
    }
  }

  #append(file: OpenFile, line: Buffer): void {
    const { write = writeSync } = this.#dependencies;
    const bytes = this.#endsMidLine ? Buffer.concat([Buffer.from("\n"), line]) : line;
    for (let written = 0; written < bytes.length; ) {
      written += write(file.fd, bytes, written);
      this.#endsMidLine = written < bytes.length;
    }
  }

  #isDue({ createdAt }: OpenFile, size: number, length: number): boolean {
    const { maxBytes, maxAgeMs } = this.#options;
    if (size === 0) return false;
    return (
      (maxBytes > 0 && size + length > maxBytes) ||
      (maxAgeMs > 0 && this.#dependencies.clock.system() - createdAt >= maxAgeMs)
    );
  }

  /** If renaming fails, keeps the current file. */
  #rotate(file: OpenFile, now: number): OpenFile {
    const { path } = this.#options;
    try {
      // Rename the target of a symbolic link.
      const target = realpathSync(path);
      this.#shiftOlderFiles(target);
      renameSync(target, `${target}.1`);
    } catch (error) {
      this.#nextRotationAt = now + ROTATION_RETRY_DELAY_MS;
      this.#dependencies.fallback(
        `Cannot rotate the log file ${path} (${reasonOf(error)}): it continues to grow\n`,
      );
      return file;
    }
    this.#close();
    this.#file = this.#open();
    return this.#file;
  }

  #shiftOlderFiles(path: string): void {
    const { keep } = this.#options;
    const prefix = `${basename(path)}.`;
    const numbers = readdirSync(dirname(path))
      .filter((name) => name.startsWith(prefix) && /^[1-9][0-9]{0,5}$/.test(name.slice(prefix.length)))
      .map((name) => Number(name.slice(prefix.length)))
      .sort((a, b) => b - a);
    for (const number of numbers) {
      const older = join(dirname(path), `${prefix}${number}`);
      if (number >= keep) rmSync(older);
      else renameSync(older, `${path}.${number + 1}`);
    }
  }
}
