/**
 * Ensures that one process owns a store. The owner listens on a socket in the directory and writes the
 * socket's name into the store. The system closes the socket of a killed process.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join } from "node:path";

export class StoreInUseError extends Error {
  override readonly name = "StoreInUseError";
  constructor(directory: string, owner: Owner) {
    super(`The data directory ${directory} is in use by another process (${owner.pid}); stop it first`);
  }
}

export interface Owner {
  readonly pid: number;
  /** Name of a socket in the store's directory, or path of a socket elsewhere. */
  readonly socket: string;
  /** Device and inode of the data file, if the socket is elsewhere. */
  readonly file?: string | undefined;
}

export function parseOwner(row: string): Owner {
  let found: Partial<Record<keyof Owner, unknown>> | null = null;
  try {
    found = JSON.parse(row);
  } catch {
    // A copy from an untrusted source may contain any text.
  }
  const { pid, socket, file } = found ?? {};
  if (typeof pid !== "number" || typeof socket !== "string") return { pid: 0, socket: "" };
  return { pid, socket, file: typeof file === "string" ? file : undefined };
}

/** The row that names the owner. */
export interface OwnerCell {
  /**
   * If the row is empty or equals `expected`, writes `next`, or removes the row if `next` is undefined. Returns the
   * row's new content. Atomic across processes.
   */
  replace(expected: Owner | undefined, next: Owner | undefined): Owner | undefined;
}

export interface Lock {
  release(): Promise<void>;
}

/** Longest socket path that every system accepts. */
const MAX_SOCKET_PATH_BYTES = 100;
/** Normally the system accepts a connection for a live process at once. */
const RESPONSE_TIMEOUT_MS = 2_000;

export function socketName(id: Uint8Array): string {
  return `.holdfast-${Buffer.from(id).toString("hex")}.sock`;
}

export function isSocketName(name: string): boolean {
  return /^\.holdfast-[0-9a-f]{12}\.sock$/.test(name);
}

/** Becomes the owner of the store. @throws StoreInUseError if the current owner is alive */
export async function acquireLock(directory: string, dataFile: string, cell: OwnerCell): Promise<Lock> {
  const { server, self, path } = await listen(directory, dataFile);
  let deadOwner: Owner | undefined;
  for (;;) {
    const owner = cell.replace(deadOwner, self);
    if (owner === undefined) throw new Error("The store's owner row disappeared while being replaced");
    if (owner.socket === self.socket) break;
    const socket = socketOf(owner, directory, dataFile);
    if (socket !== undefined) {
      if (await isListening(socket)) {
        await close(server);
        throw new StoreInUseError(directory, owner);
      }
      remove(socket);
    }
    deadOwner = owner;
  }
  // Killed processes may have left sockets.
  for (const name of readdirSync(directory)) {
    if (isSocketName(name) && join(directory, name) !== path) remove(join(directory, name));
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

/** Returns the path of an owner's socket; undefined if the socket's name is invalid or the data file is a copy. */
function socketOf({ socket, file }: Owner, directory: string, dataFile: string): string | undefined {
  const name = basename(socket);
  if (!isSocketName(name)) return undefined;
  const inside = join(directory, name);
  if (!isAbsolute(socket)) return inside;
  if (existsSync(inside)) return inside;
  return file === undefined || file === fileIdentity(dataFile) ? socket : undefined;
}

/** Returns a text that is unique among existing files. */
export function fileIdentity(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return `${dev}:${ino}`;
}

/** Listens in the directory, or in the system's temporary directory if the path is too long or rejected. */
async function listen(
  directory: string,
  dataFile: string,
): Promise<{ server: Server; self: Owner; path: string }> {
  const name = socketName(randomBytes(6));
  const path = join(directory, name);
  const fallback = join(tmpdir(), name);
  if (!isTooLong(path)) {
    try {
      return { server: await listenAt(path), self: { pid: process.pid, socket: name }, path };
    } catch (error) {
      // Some shared file systems do not support sockets.
      if (path === fallback) throw error;
    }
  }
  const self = { pid: process.pid, socket: fallback, file: fileIdentity(dataFile) };
  return { server: await listenAt(fallback), self, path: fallback };
}

export const isTooLong = (path: string): boolean => Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES;

export function listenAt(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject);
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

/**
 * Returns the paths of a directory's sockets on which a process listens. If there are any, the store is in use. Returns
 * undefined if the directory's path is too long for sockets.
 */
export async function liveSockets(directory: string): Promise<string[] | undefined> {
  if (isTooLong(join(directory, socketName(new Uint8Array(6))))) return undefined;
  const paths = existsSync(directory) ? readdirSync(directory).filter(isSocketName) : [];
  const alive = await Promise.all(paths.map((name) => isListening(join(directory, name))));
  return paths.filter((_, i) => alive[i]).map((name) => join(directory, name));
}

export async function isListening(path: string): Promise<boolean> {
  if (!isTooLong(path)) return canConnect(path);
  // Connect through a symbolic link with a short path.
  const alias = join(tmpdir(), `.holdfast-${randomBytes(6).toString("hex")}`);
  symlinkSync(path, alias);
  try {
    return await canConnect(alias);
  } finally {
    rmSync(alias, { force: true });
  }
}

function canConnect(path: string): Promise<boolean> {
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

export function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

export function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
