import type { Server } from "node:net";

export interface ListenFailure extends NodeJS.ErrnoException {
  /** The name in `--<setting>-port` and `--<setting>-host`. */
  readonly setting?: "api" | "admin" | "metrics" | "control";
}

/**
 * Listens on a port.
 * @param port 0: any free port
 * @throws ListenFailure with `setting` and the `code` of the system, e.g. `EADDRINUSE`
 */
export function listenAt(
  server: Server,
  host: string,
  port: number,
  setting?: ListenFailure["setting"],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(Object.assign(error, { setting }));
    server.once("error", fail);
    server.listen({ host, port }, () => {
      server.off("error", fail);
      resolve();
    });
  });
}
