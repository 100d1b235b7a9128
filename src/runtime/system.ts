import { randomBytes } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import type { Clock, Random } from "../interfaces.ts";

export interface OperatorFiles {
  /**
   * Reads a file's first bytes; undefined if it is missing.
   * @throws an error of `node:fs` if it is unreadable
   */
  read(path: string, length: number): Promise<Uint8Array | undefined>;
  remove(path: string): Promise<void>;
}

/** In ms. Node.js fires a longer timer at once. */
const MAX_TIMER_DELAY_MS = 0x7fff_ffff;

export const systemClock: Clock = {
  now: () => Date.now(),
  system: () => Date.now(),
  // `performance.now` starts at zero in each thread.
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1_000 + nanoseconds / 1_000_000;
  },
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(Math.max(delayMs, 0), MAX_TIMER_DELAY_MS));
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = { bytes: (length) => new Uint8Array(randomBytes(length)) };

export const systemFiles: OperatorFiles = {
  async read(path, length) {
    let file: FileHandle;
    try {
      file = await open(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  },
  remove: (path) => rm(path, { force: true }),
};
