/** The HTTP server in a thread of its own: it reads the chain by itself, and asks the node through a port. */
import type { AddressInfo } from "node:net";
import type { ChainReader, Clock, Log } from "../../interfaces.ts";
import { type ControlLimits, type ControlPort, controlOverPort } from "./control-port.ts";
import { eventsOverPort } from "./events-port.ts";
import type { ReadingThread } from "./heavy-reads.ts";
import type { ApiInfo } from "./info.ts";
import { createServer } from "./server.ts";

export interface ServeOptions {
  /** Leads to `answerControl` in the node's thread. */
  readonly port: ControlPort;
  /** Leads to `announceCommits` in the node's thread. */
  readonly events: ControlPort;
  readonly reader: ChainReader;
  readonly info: ApiInfo;
  readonly clock: Clock;
  readonly log: Log;
  /** Address to listen on, e.g. `127.0.0.1`. */
  readonly host: string;
  /** Port to listen on; 0: any free one. */
  readonly apiPort: number;
  readonly limits?: ControlLimits;
  /** Make what is long in the making; this thread itself unless given. */
  readonly readingThreads?: readonly ReadingThread[];
}

/** How long a client may take to read its answer when the server ends, ms. */
const LAST_READS_MS = 5_000;

/** A server that listens. */
export interface RunningApi {
  readonly host: string;
  /** The port that it listens on. */
  readonly apiPort: number;
  /**
   * Ends it: idle connections are closed, requests under way are answered, and what was not read by its client some
   * seconds later is given up.
   */
  close(): Promise<void>;
}

/**
 * Serves the API over a port to the node.
 * @throws Error of the socket with its `code`, e.g. `EADDRINUSE`
 */
export async function serveOnPort(options: ServeOptions): Promise<RunningApi> {
  const { port, reader, info, clock, log, host, apiPort, limits, readingThreads } = options;
  const control = controlOverPort(port, clock, limits);
  const events = eventsOverPort(options.events, reader);
  const server = await createServer({ reader, control, events, info, clock, log, readingThreads });
  try {
    await server.listen({ host, port: apiPort });
  } catch (error) {
    await server.close();
    throw error;
  }
  // Listening on an IP address, never on a pipe.
  const { port: listening } = server.server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    const cancel = clock.after(LAST_READS_MS, () => server.server.closeAllConnections());
    await server.close();
    cancel();
  };
  return { host, apiPort: listening, close };
}
