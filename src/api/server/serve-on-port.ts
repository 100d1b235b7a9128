/** The HTTP server in a thread of its own: it reads the chain by itself, and asks the node through a port. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChainReader, Clock, Log } from "../../interfaces.ts";
import type { Port, RpcLimits } from "../../runtime/rpc.ts";
import { namedClock } from "../../runtime/timers.ts";
import type { ApiInfo } from "../info.ts";
import { controlOverPort } from "../ports/control-port.ts";
import { eventsOverPort } from "../ports/events-port.ts";
import type { ReadingThread } from "../reading/reader-queue.ts";
import { createServer } from "./server.ts";

interface ServeOptions {
  /** Leads to `answerControl` in the node's thread. */
  readonly port: Port;
  /** Leads to `announceCommits` in the node's thread. */
  readonly events: Port;
  readonly reader: ChainReader;
  readonly info: ApiInfo;
  readonly clock: Clock;
  readonly log: Log;
  /** Address to listen on, e.g. `127.0.0.1`. */
  readonly host: string;
  /** Port to listen on; 0: any free one. */
  readonly apiPort: number;
  /** Where key routes are served, and nowhere else; undefined: with all others. Port 0: any free one. */
  readonly admin?: { readonly host: string; readonly port: number } | undefined;
  /** Gets a line for each request; none unless given. */
  readonly requestLog?: Log | undefined;
  /** Called with errors of listening ports, such as a failed accept. Logs them by default. */
  readonly onPortError?: ((name: string, error: unknown) => void) | undefined;
  readonly limits?: RpcLimits;
  /** Make what is long in the making; this thread itself unless given. */
  readonly readingThreads?: readonly ReadingThread[];
}

/** How long a client may take to read its answer when the server ends, ms. */
const CLOSE_TIMEOUT_MS = 5_000;

export interface RunningApi {
  readonly host: string;
  readonly apiPort: number;
  /** The port of key routes, where they have one of their own. */
  readonly adminPort: number | undefined;
  /**
   * Ends it: idle connections are closed, requests under way are answered, and what was not read by its client some
   * seconds later is given up.
   */
  close(): Promise<void>;
}

/** @throws Error of the socket with its `code` */
function listen(http: Server | undefined, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    http?.once("error", reject);
    http?.listen({ host, port }, () => {
      http.off("error", reject);
      resolve();
    });
  });
}

/**
 * Serves the API over a port to the node.
 * @throws Error of the socket with its `code`, e.g. `EADDRINUSE`
 */
export async function serveOnPort(options: ServeOptions): Promise<RunningApi> {
  const { port, reader, clock, log, host, apiPort, admin, requestLog, limits, readingThreads } = options;
  const info = { ...options.info, hasAdminPort: admin !== undefined };
  const control = controlOverPort(port, namedClock(clock, "questions to the node"), limits);
  const events = eventsOverPort(options.events, reader);
  const server = await createServer({
    reader,
    control,
    events,
    info,
    clock,
    log,
    requestLog,
    readingThreads,
  });
  try {
    await server.listen({ host, port: apiPort });
    if (admin !== undefined) await listen(server.adminServer, admin);
  } catch (error) {
    await server.close();
    throw error;
  }
  const onPortError = options.onPortError ?? ((name, error) => log.error(`${name} failed`, { error }));
  // Accepting may fail for a while, for example without free file handles. Open connections are not affected.
  for (const http of [server.server, server.adminServer])
    http?.on("error", (error) => onPortError("HTTP port", error));
  // Listening on an IP address, never on a pipe.
  const { port: listening } = server.server.address() as AddressInfo;
  const { port: adminPort } = (server.adminServer?.address() ?? {}) as Partial<AddressInfo>;
  const close = async (): Promise<void> => {
    const cancel = clock.after(CLOSE_TIMEOUT_MS, () => {
      server.server.closeAllConnections();
      server.adminServer?.closeAllConnections();
    });
    await server.close();
    cancel();
  };
  return { host, apiPort: listening, adminPort, close };
}
