/**
 * Ensures that one process owns a store. The owner listens on a socket and writes the socket's path into the store.
 * Another process connects to that socket, and takes over if nothing listens. The system closes the socket of a killed
 * process, so locks are never stale. Process ids are not compared, because each container numbers its processes from 1.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class StoreInUseError extends Error {
  override readonly name = "StoreInUseError";
  constructor(directory: string, owner: Owner) {
    super(`The data directory ${directory} is in use by another process (${owner.pid}); stop it first`);
  }
}

export interface Owner {
  readonly pid: number;
  readonly socket: string;
}

/**
 * The row that names the owner. `replace` is atomic across processes. If the row is empty or equals `expected`, it
 * writes `next` (undefined: removes the row). It returns the row as it is afterwards.
 */
export interface OwnerCell {
  replace(expected: Owner | undefined, next: Owner | undefined): Owner | undefined;
}

export interface Lock {
  release(): Promise<void>;
}

/** Longest socket path that every system accepts. */
const MAX_SOCKET_PATH_BYTES = 100;
/** A live process normally answers at once, because its system accepts the connection. */
const RESPONSE_TIMEOUT_MS = 2_000;

function socketName(id: Uint8Array): string {
  return `.holdfast-${Buffer.from(id).toString("hex")}.sock`;
}

export function isSocketName(name: string): boolean {
  return /^\.holdfast-[0-9a-f]{12}\.sock$/.test(name);
}

/** @throws StoreInUseError if the current owner is alive */
export async function acquireLock(directory: string, cell: OwnerCell): Promise<Lock> {
  const { server, socket } = await listen(directory);
  const self: Owner = { pid: process.pid, socket };
  let dead: Owner | undefined;
  for (;;) {
    const owner = cell.replace(dead, self);
    if (owner === undefined) throw new Error("The owner of the store vanished while it was replaced");
    if (owner.socket === socket) break;
    if (await isListening(owner.socket)) {
      await close(server);
      throw new StoreInUseError(directory, owner);
    }
    dead = owner;
  }
  if (dead !== undefined) remove(dead.socket);
  // Remove the sockets of processes that were killed before they owned the store.
  for (const name of readdirSync(directory)) {
    if (isSocketName(name) && join(directory, name) !== socket) remove(join(directory, name));
  }
  return {
    async release() {
      try {
        cell.replace(self, undefined);
      } finally {
        await close(server);
      }
    },
  };
}

/** Listens in the system's temporary directory if the path is too long or rejected. */
async function listen(directory: string): Promise<{ server: Server; socket: string }> {
  const name = socketName(randomBytes(6));
  const preferred = join(directory, name);
  const fallback = join(tmpdir(), name);
  if (Buffer.byteLength(preferred) <= MAX_SOCKET_PATH_BYTES) {
    try {
      return { server: await listenAt(preferred), socket: preferred };
    } catch (error) {
      // Some shared file systems do not support sockets. Other errors recur in the second attempt.
      if (preferred === fallback) throw error;
    }
  }
  return { server: await listenAt(fallback), socket: fallback };
}

function listenAt(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject);
    server.listen(path, () => {
      // The lock alone must not keep the process alive.
      server.unref();
      resolve(server);
    });
  });
}

/**
 * Returns the sockets in a directory that a process listens on, so its store is in use if there is one. Opens and
 * changes nothing. Returns undefined if the owner's socket would be elsewhere, because the path is too long.
 */
export async function liveSockets(directory: string): Promise<string[] | undefined> {
  if (Buffer.byteLength(join(directory, socketName(new Uint8Array(6)))) > MAX_SOCKET_PATH_BYTES)
    return undefined;
  const paths = existsSync(directory) ? readdirSync(directory).filter(isSocketName) : [];
  const alive = await Promise.all(paths.map((name) => isListening(join(directory, name))));
  return paths.filter((_, i) => alive[i]).map((name) => join(directory, name));
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const finish = (alive: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(alive);
    };
    // A process that is too busy to answer is alive.
    const timer = setTimeout(() => finish(true), RESPONSE_TIMEOUT_MS);
    socket.once("connect", () => finish(true));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      finish(error.code !== "ECONNREFUSED" && error.code !== "ENOENT");
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
