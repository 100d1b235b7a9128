/** Connections over TCP. */
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { canonicalHost } from "../bytes/ip.ts";
import type { Connection, Listening, Transport } from "../interfaces.ts";

/** Connections that wait to be taken, in the system. */
const BACKLOG = 128;

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
  #told: (() => void)[] = [];
  #ended = false;
  /** Writes that the system has not taken yet. */
  readonly #writes = new Set<(error: Error) => void>();

  /** @param socket which is connected, and whose errors nobody else looks at */
  constructor(socket: Socket) {
    this.#socket = socket;
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
      const taken = take(bytes);
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
    for (const told of this.#told.splice(0)) told();
  }
}

export const tcpTransport: Transport = {
  listen(host, port, onConnection): Promise<Listening> {
    return new Promise((resolve, reject) => {
      const server: Server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) =>
        onConnection(new TcpConnection(socket)),
      );
      server.once("error", reject);
      server.listen({ host, port, backlog: BACKLOG }, () => {
        server.off("error", reject);
        // Accepting may fail for a while, for want of file handles say: those who are connected stay.
        server.on("error", () => {});
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
  },
  dial(host, port, patienceMs): Promise<Connection> {
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
        resolve(new TcpConnection(socket));
      });
    });
  },
};
