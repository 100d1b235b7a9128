/** Lets threads share a port. Each needs its own file handle, which Node.js closes when the thread ends. */
import { fork } from "node:child_process";
import type { Server } from "node:net";
import { fileURLToPath } from "node:url";
import { BaseError } from "../../errors/base-error.ts";

export class SharePortError extends BaseError {
  constructor(reason: string) {
    super(`Cannot share the HTTP port between threads: ${reason}`, {
      hint: "use --http-threads 1, or allow the node to start processes",
    });
  }
}

/** A listening socket that does not accept connections yet. */
export interface ListeningHandle {
  readonly fd: number;
}

interface ServerWithHandle extends Server {
  /** Not documented, but the same in Node.js 20 to 24. */
  readonly _handle?: ListeningHandle | null;
}

export function handleOf(server: ServerWithHandle): ListeningHandle {
  // Safe: the caller's server listens.
  return server._handle as ListeningHandle;
}

/** Position of the socket in the helper process's `stdio`. */
export const INHERITED_FD = 4;

/**
 * Duplicates another thread's listening socket.
 * @param fd of that thread's server; the thread must still run
 * @throws SharePortError
 */
export function sharePort(fd: number): Promise<ListeningHandle> {
  return new Promise((resolve, reject) => {
    const helper = fork(fileURLToPath(new URL("./share-port-process.js", import.meta.url)), {
      stdio: ["ignore", "ignore", "pipe", "ipc", fd],
      execArgv: [],
      // The process needs no secrets.
      env: {},
    });
    let reason = "";
    helper.stderr?.on("data", (text: Buffer) => {
      reason = (reason + text).slice(0, 1_000);
    });
    helper.once("message", (_message, handle) => resolve(handle as unknown as ListeningHandle));
    helper.once("error", (error) => reject(new SharePortError(error.message)));
    helper.once("close", (code) => reject(new SharePortError(reason.trim() || `code ${code}`)));
  });
}
