/**
 * One process a store. The owner listens on a socket of its own and has its name in the store; whoever opens the
 * store later and reaches nobody there takes over. The system closes the socket of a killed process, so there
 * is no stale lock, and process numbers, which start anew in every container, decide nothing.
 */
import { randomBytes } from "node:crypto";
import { readdirSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Another process has the store open. */
export class StoreInUseError extends Error {
  override readonly name = "StoreInUseError";
  constructor(directory: string, owner: Owner) {
    super(`The data directory ${directory} is in use by another process (${owner.pid}); stop that one first`);
  }
}

/** Who has the store open. */
export interface Owner {
  readonly pid: number;
  /** Path of the socket that it listens on. */
  readonly socket: string;
}

/**
 * The place in the store that holds the owner's name. `replace` is atomic over processes: it writes `next` if the
 * place is empty or still holds `expected`, and returns what it holds afterwards.
 */
export interface OwnerCell {
  replace(expected: Owner | undefined, next: Owner | undefined): Owner | undefined;
}

/** The store is ours until `release`. */
export interface Lock {
  release(): Promise<void>;
}

/** Longest path of a socket that every system takes. */
const MAX_SOCKET_PATH_BYTES = 100;
/** How long an owner that does not answer is waited for, milliseconds; the system answers for a live process at once. */
const RESPONSE_TIMEOUT_MS = 2_000;

/** Whether a file of the directory belongs to a lock. */
export function isSocketName(name: string): boolean {
  return /^\.holdfast-[0-9a-f]{12}\.sock$/.test(name);
}

/**
 * Takes the store.
 * @throws StoreInUseError when its owner lives
 */
export async function acquireLock(directory: string, cell: OwnerCell): Promise<Lock> {
  const { server, socket } = await listen(directory);
  const us: Owner = { pid: process.pid, socket };
  let dead: Owner | undefined;
  for (;;) {
    const owner = cell.replace(dead, us);
    if (owner === undefined) throw new Error("The owner of the store vanished while it was replaced");
    if (owner.socket === socket) break;
    if (await isListening(owner.socket)) {
      await close(server);
      throw new StoreInUseError(directory, owner);
    }
    dead = owner;
  }
  if (dead !== undefined) remove(dead.socket);
  // Left by processes that were killed before they had taken the store.
  for (const name of readdirSync(directory)) {
    if (isSocketName(name) && join(directory, name) !== socket) remove(join(directory, name));
  }
  return {
    async release() {
      try {
        cell.replace(us, undefined);
      } finally {
        await close(server);
      }
    },
  };
}

/** Listens on a socket of our own: in the directory, or where its path is too long or refused, in the system's own. */
async function listen(directory: string): Promise<{ server: Server; socket: string }> {
  const name = `.holdfast-${randomBytes(6).toString("hex")}.sock`;
  const near = join(directory, name);
  const far = join(tmpdir(), name);
  if (Buffer.byteLength(near) <= MAX_SOCKET_PATH_BYTES) {
    try {
      return { server: await listenAt(near), socket: near };
    } catch (error) {
      // Some shared file systems hold no sockets; any other failure shows in the second attempt as well.
      if (near === far) throw error;
    }
  }
  return { server: await listenAt(far), socket: far };
}

function listenAt(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject);
    server.listen(path, () => {
      // The lock does not keep a process alive that has nothing else to do.
      server.unref();
      resolve(server);
    });
  });
}

/** Whether somebody listens at a path. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const finish = (alive: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(alive);
    };
    // A process that is there but too busy to answer, is there.
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
