/** Runs the HTTP server in a thread that reads the chain and calls the node through a message port. */
import type { AddressInfo } from "node:net";
import { listenAt } from "../../runtime/listen.ts";
import type { Port, RpcLimits } from "../../runtime/rpc.ts";
import { handleOf, type ListeningHandle, SharePortError } from "../../runtime/threads/share-port.ts";
import { namedClock } from "../../runtime/timers.ts";
import { controlOverPort, DEFAULT_LIMITS } from "../ports/control-port.ts";
import { eventsOverPort } from "../ports/events-port.ts";
import { type ApiOptions, createServer } from "./server.ts";

interface ServeOptions extends Omit<ApiOptions, "control" | "events" | "backpressure"> {
  /** `answerControl` answers at its other end. */
  readonly port: Port;
  /** `announceCommits` sends at its other end. */
  readonly events: Port;
  readonly host: string;
  /** 0 for any free port. */
  readonly apiPort: number;
  /** Shares another thread's port instead of opening `apiPort`. */
  readonly handle?: ListeningHandle | undefined;
  /** Port for key routes; default: `apiPort`. 0 for any free port. */
  readonly admin?: { readonly host: string; readonly port: number } | undefined;
  /** True if another thread serves key routes on a port of their own. */
  readonly hasAdminThread?: boolean | undefined;
  /** Handles errors of listening ports; default: logs them. */
  readonly onPortError?: ((name: string, error: unknown) => void) | undefined;
  readonly limits?: RpcLimits;
}

const CLOSE_TIMEOUT_MS = 5_000;

export interface RunningApi {
  readonly host: string;
  readonly apiPort: number;
  readonly adminPort: number | undefined;
  /** Handle of the API's port, for other threads. */
  readonly handle: ListeningHandle;
  /** Finishes running requests. After `CLOSE_TIMEOUT_MS`, closes all connections. */
  close(): Promise<void>;
}

/** @throws Error of the socket with its `code`, e.g. `EADDRINUSE`; SharePortError */
export async function serveOnPort(options: ServeOptions): Promise<RunningApi> {
  const { port, reader, clock, log, host, apiPort, admin, limits } = options;
  const info = { ...options.info, hasAdminPort: admin !== undefined || options.hasAdminThread === true };
  const control = controlOverPort(port, namedClock(clock, "control calls"), {
    ...(limits ?? DEFAULT_LIMITS),
    calls: options.counts?.calls,
  });
  const events = eventsOverPort(options.events, reader);
  const server = await createServer({ ...options, control, events, info });
  try {
    const target = options.handle === undefined ? { port: apiPort } : { handle: options.handle };
    await server.listen({ host, ...target });
    // The handle of an ended thread may belong to another port now.
    const actualPort = (server.server.address() as AddressInfo).port;
    if (options.handle !== undefined && actualPort !== apiPort)
      throw new SharePortError(`the handle belongs to port ${actualPort}`);
    if (admin !== undefined && server.adminServer !== undefined)
      await listenAt(server.adminServer, admin.host, admin.port);
  } catch (error) {
    await server.close();
    throw error;
  }
  const onPortError = options.onPortError ?? ((name, error) => log.error(`${name} failed`, { error }));
  // Continue: accepting a connection can fail temporarily.
  for (const http of [server.server, server.adminServer])
    http?.on("error", (error) => onPortError("HTTP port", error));
  // Safe cast: the server listens on a port.
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
  return { host, apiPort: listening, adminPort, handle: handleOf(server.server), close };
}
