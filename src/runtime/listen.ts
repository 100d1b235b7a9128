import type { Server } from "node:net";

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
