import type { Server } from "node:net";
import { BaseError } from "../errors/base-error.ts";

/** Thrown for a port that is not the API's; the message names the port and its setting. */
export class PortError extends BaseError {}

/**
 * @param port 0: any free port
 * @throws Error of the socket with its `code`, e.g. `EADDRINUSE`
 */
export function listenAt(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
