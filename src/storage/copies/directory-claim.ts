/** A process claims a directory by listening on a socket, as in `disk/lock.ts`. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  close,
  fileIdentity,
  isListening,
  isSocketName,
  isTooLong,
  listenAt,
  remove,
  socketName,
} from "../disk/lock.ts";
import { CopyError } from "./copy-error.ts";

const SOCKET_ID_BYTES = 6;

export function claimedError(directory: string): CopyError {
  return new CopyError(`Another process writes ${directory}: wait until it ends`);
}

export interface DirectoryClaim {
  /** False if the directory was removed or replaced. */
  isCurrent(): boolean;
  /** @throws CopyError if the claim is not current */
  check(): void;
  /** Removes the socket, so that the directory can be renamed. */
  removeSocket(): void;
  release(): Promise<void>;
}

function fallbackSocketPath(directory: string): string {
  const hash = createHash("sha256").update(fileIdentity(directory)).digest();
  return join(tmpdir(), socketName(hash.subarray(0, SOCKET_ID_BYTES)));
}

function socketPathsIn(directory: string): string[] {
  return readdirSync(directory)
    .filter(isSocketName)
    .map((name) => join(directory, name));
}

async function liveSocketPaths(directory: string): Promise<string[]> {
  const paths = [...socketPathsIn(directory), fallbackSocketPath(directory)];
  const alive = await Promise.all(paths.map(isListening));
  return paths.filter((_, i) => alive[i]);
}

export async function isClaimed(directory: string): Promise<boolean> {
  return existsSync(directory) && (await liveSocketPaths(directory)).length > 0;
}

/**
 * Claims an existing directory until the claim is released or the process ends.
 * @throws CopyError if another process claims it
 */
export async function claimDirectory(directory: string): Promise<DirectoryClaim> {
  if (await isClaimed(directory)) throw claimedError(directory);
  const identity = fileIdentity(directory);
  const insidePath = join(directory, socketName(randomBytes(SOCKET_ID_BYTES)));
  const { server, path } = await listen(insidePath, directory);
  if ((await liveSocketPaths(directory)).some((other) => other !== path)) {
    await close(server);
    throw claimedError(directory);
  }
  // Killed processes may have left sockets.
  for (const socket of socketPathsIn(directory)) if (socket !== path) remove(socket);
  const isCurrent = (): boolean => existsSync(directory) && fileIdentity(directory) === identity;
  return {
    isCurrent,
    check() {
      if (!isCurrent()) throw new CopyError(`${directory} was removed or replaced while it was written`);
    },
    removeSocket: () => remove(path),
    async release() {
      remove(path);
      await close(server);
    },
  };
}

async function listen(insidePath: string, directory: string): Promise<{ server: Server; path: string }> {
  if (!isTooLong(insidePath)) {
    try {
      return { server: await listenAt(insidePath), path: insidePath };
    } catch {
      // Some shared file systems do not support sockets.
    }
  }
  const path = fallbackSocketPath(directory);
  remove(path);
  return { server: await listenAt(path), path };
}
