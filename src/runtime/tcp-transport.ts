import { createConnection, createServer, type Server, type Socket } from "node:net";
import { canonicalHost } from "../bytes/ip.ts";
import type { Connection, Listening, Log, Transport } from "../interfaces.ts";
import { contain } from "./contain.ts";

/** Connections that the system queues for `accept`. */
const BACKLOG = 128;

interface SocketErrorHandlers {
  /** Receives errors of a listening port. */
  readonly onPortError: (error: unknown) => void;
  readonly log: Pick<Log, "error">;
}

class ConnectionEndedError extends Error {
  override readonly name = "ConnectionEndedError";
  constructor() {
    super("The connection has ended");
  }
}

class TcpConnection implements Connection {
  readonly host: string;
  readonly port: number;
  readonly #socket: Socket;
  readonly #log: Pick<Log, "error">;
  #closeListeners: (() => void)[] = [];
  #hasEnded = false;
  readonly #pendingWrites = new Set<(error: Error) => void>();

  /** @param socket connected; its errors are handled here */
  constructor(socket: Socket, log: Pick<Log, "error">) {
    this.#socket = socket;
    this.#log = log;
    this.host = canonicalHost(socket.remoteAddress ?? "");
    this.port = socket.remotePort ?? 0;
    socket.setNoDelay(true);
    socket.pause();
    socket.on("error", () => {});
    socket.once("close", () => this.#end());
  }

  get received(): number {
    return this.#socket.bytesRead;
  }

  get sent(): number {
    return this.#socket.bytesWritten;
  }

  onData(listener: (bytes: Uint8Array) => Promise<void> | void): void {
    const socket = this.#socket;
    socket.on("data", (bytes: Buffer) => {
      const handled = contain(
        {
          log: this.#log,
          message: "Cannot handle the data of a connection",
          onFailure: () => this.close(),
        },
        () => listener(bytes),
      );
      if (handled === undefined) return;
      socket.pause();
      handled.then(() => {
        if (!this.#hasEnded) socket.resume();
      });
    });
    // Half-closed connections are not supported.
    socket.once("end", () => socket.destroy());
    socket.resume();
  }

  onClose(listener: () => void): void {
    if (this.#hasEnded) listener();
    else this.#closeListeners.push(listener);
  }

  write(bytes: Uint8Array): Promise<void> {
    if (this.#hasEnded || this.#socket.destroyed) return Promise.reject(new ConnectionEndedError());
    return new Promise((resolve, reject) => {
      this.#pendingWrites.add(reject);
      this.#socket.write(bytes, (error) => {
        this.#pendingWrites.delete(reject);
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
  }

  close(): void {
    this.#socket.destroy();
    this.#end();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const reject of this.#pendingWrites) reject(new ConnectionEndedError());
    this.#pendingWrites.clear();
    for (const listener of this.#closeListeners.splice(0))
      contain({ log: this.#log, message: "Cannot handle the end of a connection" }, listener);
  }
}

/** @param handlers default: errors are thrown */
export function createTcpTransport(handlers: SocketErrorHandlers = rethrowing): Transport {
  return { listen: (...args) => listen(handlers, ...args), dial: (...args) => dial(handlers, ...args) };
}

function rethrow(error: unknown): never {
  throw error;
}

const rethrowing: SocketErrorHandlers = {
  onPortError: rethrow,
  log: { error: (_, facts) => rethrow(facts?.error) },
};

function listen(
  { onPortError, log }: SocketErrorHandlers,
  ...[host, port, onConnection]: Parameters<Transport["listen"]>
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const accept = (socket: Socket): void => {
      const onFailure = (): void => {
        socket.destroy();
      };
      contain({ log, message: "Cannot accept a connection", onFailure }, () =>
        onConnection(new TcpConnection(socket, log)),
      );
    };
    const server: Server = createServer({ pauseOnConnect: true, noDelay: true }, accept);
    server.once("error", reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off("error", reject);
      // Accepting may fail later, e.g. without free file handles.
      server.on("error", onPortError);
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : port,
        close: () =>
          new Promise((resolveClosed) => {
            // Do not await `close`: it waits for open connections.
            server.close();
            resolveClosed();
          }),
      });
    });
  });
}

function dial(
  { log }: SocketErrorHandlers,
  ...[host, port, timeoutMs]: Parameters<Transport["dial"]>
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port, noDelay: true });
    const timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      resolve(new TcpConnection(socket, log));
    });
  });
}
