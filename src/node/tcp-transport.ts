/** Connections over TCP. */
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { canonicalHost } from "../bytes/ip.ts";
import type { Connection, Listening, Transport } from "../interfaces.ts";

/** Connections that wait to be taken, in the system. */
const BACKLOG = 128;

/** Called with what a listener of a socket threw, and with errors of listening ports. */
export type SocketFailure = (name: string, error: unknown) => void;

/** A connection that was there once. */
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
  readonly #failed: SocketFailure;
  #told: (() => void)[] = [];
  #ended = false;
  /** Writes that the system has not taken yet. */
  readonly #writes = new Set<(error: Error) => void>();

  /** @param socket which is connected, and whose errors nobody else looks at */
  constructor(socket: Socket, failed: SocketFailure) {
    this.#socket = socket;
    this.#failed = failed;
    this.host = canonicalHost(socket.remoteAddress ?? "");
    this.port = socket.remotePort ?? 0;
    socket.setNoDelay(true);
    socket.pause();
    // What went wrong does not matter: the connection closes.
    socket.on("error", () => {});
    socket.once("close", () => this.#end());
  }

  get received(): number {
    return this.#socket.bytesRead;
  }

  get sent(): number {
    return this.#socket.bytesWritten;
  }

  onData(take: (bytes: Uint8Array) => Promise<void> | void): void {
    const socket = this.#socket;
    socket.on("data", (bytes: Buffer) => {
      let taken: Promise<void> | void;
      try {
        taken = take(bytes);
      } catch (error) {
        this.close();
        this.#failed("bytes of a peer", error);
        return;
      }
      if (taken === undefined) return;
      socket.pause();
      const goOn = (): void => {
        if (!this.#ended) socket.resume();
      };
      taken.then(goOn, goOn);
    });
    // Half a connection is none: nobody answers on it.
    socket.once("end", () => socket.destroy());
    socket.resume();
  }

  onClose(told: () => void): void {
    if (this.#ended) told();
    else this.#told.push(told);
  }

  write(bytes: Uint8Array): Promise<void> {
    if (this.#ended || this.#socket.destroyed) return Promise.reject(new ConnectionEndedError());
    return new Promise((resolve, reject) => {
      this.#writes.add(reject);
      this.#socket.write(bytes, (error) => {
        this.#writes.delete(reject);
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
    if (this.#ended) return;
    this.#ended = true;
    for (const reject of this.#writes) reject(new ConnectionEndedError());
    this.#writes.clear();
    for (const told of this.#told.splice(0)) {
      try {
        told();
      } catch (error) {
        this.#failed("end of a peer connection", error);
      }
    }
  }
}

/**
 * Returns the transport over TCP.
 * @param failed called with errors of listeners and ports. By default it throws, so that tests fail
 */
export function tcpTransportOf(failed: SocketFailure = rethrow): Transport {
  return { listen: (...asked) => listen(failed, ...asked), dial: (...asked) => dial(failed, ...asked) };
}

function rethrow(_name: string, error: unknown): never {
  throw error;
}

export const tcpTransport: Transport = tcpTransportOf();

function listen(
  failed: SocketFailure,
  ...[host, port, onConnection]: Parameters<Transport["listen"]>
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const accept = (socket: Socket): void => {
      try {
        onConnection(new TcpConnection(socket, failed));
      } catch (error) {
        socket.destroy();
        failed("inbound connection", error);
      }
    };
    const server: Server = createServer({ pauseOnConnect: true, noDelay: true }, accept);
    server.once("error", reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off("error", reject);
      // Accepting may fail for a while, for example without free file handles. Open connections are not affected.
      server.on("error", (error) => failed("port for peers", error));
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : port,
        close: () =>
          new Promise((closed) => {
            // It waits for connections to end, which are not its affair any more.
            server.close();
            closed();
          }),
      });
    });
  });
}

function dial(
  failed: SocketFailure,
  ...[host, port, patienceMs]: Parameters<Transport["dial"]>
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port, noDelay: true });
    const timer = setTimeout(() => fail(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      resolve(new TcpConnection(socket, failed));
    });
  });
}
