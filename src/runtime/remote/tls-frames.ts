/** Frames over TLS: a length (u32, big-endian), then that many bytes. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import { FrameSplitter, LENGTH_BYTES } from "../../bytes/frame-splitter.ts";
import type { Clock, Log } from "../../interfaces.ts";
import { contain } from "../contain.ts";
import { listenAt } from "../listen.ts";
import { OriginSlots } from "../origin-slots.ts";
import {
  type FrameConnection,
  HANDSHAKE_TIMEOUT_MS,
  MAX_TOKEN_BYTES,
  RemoteControlError,
} from "./remote-rpc.ts";

const MAX_CONNECTIONS = 64;
export const MAX_CONNECTIONS_PER_ORIGIN = 8;
/** More unsent bytes close the connection. */
const MAX_UNSENT_BYTES = 32 * 2 ** 20;

class FrameTooLongError extends Error {}

class TlsFrames implements FrameConnection {
  maxFrameBytes = MAX_TOKEN_BYTES;
  onFrame: (frame: Uint8Array) => void = () => {};
  onClose: () => void = () => {};
  readonly #socket: TLSSocket;

  constructor(socket: TLSSocket, log: Log) {
    this.#socket = socket;
    const splitter = new FrameSplitter((length) => {
      if (length > this.maxFrameBytes) throw new FrameTooLongError();
    });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    const receive = (bytes: Buffer): void => {
      try {
        for (const frame of splitter.split(bytes)) {
          if (socket.destroyed) return;
          this.onFrame(frame);
        }
      } catch (error) {
        if (!(error instanceof FrameTooLongError)) throw error;
        socket.destroy();
      }
    };
    const onFailure = () => socket.destroy();
    socket.on("data", (bytes: Buffer) => {
      contain({ log, message: "Remote control: cannot process a frame", onFailure }, () => receive(bytes));
    });
    // A close event follows.
    socket.on("error", () => {});
    socket.once("close", () => this.onClose());
  }

  send(frame: Uint8Array): void {
    if (this.#socket.destroyed) return;
    const length = Buffer.allocUnsafe(LENGTH_BYTES);
    length.writeUInt32BE(frame.length);
    this.#socket.write(length);
    this.#socket.write(frame);
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) this.#socket.destroy();
  }

  close(): void {
    // Sends written bytes first.
    this.#socket.destroySoon();
  }
}

export interface TlsListenOptions {
  readonly host: string;
  readonly port: number;
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
  readonly log: Log;
  readonly onConnection: (connection: FrameConnection) => void;
}

/** @throws Error of the socket, with a `code`, or of OpenSSL if the certificate or key is invalid */
export async function listenForFrames({
  host,
  port,
  certificate,
  key,
  log,
  onConnection,
}: TlsListenOptions): Promise<{ readonly port: number; close(): Promise<void> }> {
  const slots = new OriginSlots(MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ORIGIN);
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer(
    { cert: certificate, key, minVersion: "TLSv1.2", handshakeTimeout: HANDSHAKE_TIMEOUT_MS },
    (socket) => onConnection(new TlsFrames(socket, log)),
  );
  // Count connections before the handshake, which is expensive.
  server.prependListener("connection", (socket) => {
    const release = slots.take(socket.remoteAddress ?? "");
    if (release === undefined) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      release();
    });
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  await listenAt(server, host, port, "control");
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export interface TlsConnectOptions {
  readonly host: string;
  readonly port: number;
  /** PEM of the accepted authority or server certificate; default: the authorities of Node.js. */
  readonly ca?: string | undefined;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}

/** Connects, and verifies the certificate. @throws RemoteControlError */
export function connectForFrames({
  host,
  port,
  ca,
  clock,
  log,
}: TlsConnectOptions): Promise<FrameConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, minVersion: "TLSv1.2", ...(ca !== undefined && { ca }) });
    const fail = (reason: string): void => {
      cancel();
      socket.destroy();
      reject(new RemoteControlError(`Cannot connect to ${host}:${port}: ${reason}`));
    };
    const cancel = clock.after(HANDSHAKE_TIMEOUT_MS, () => fail("no answer"));
    const onError = (error: Error): void => fail(error.message);
    socket.once("error", onError);
    socket.once("secureConnect", () => {
      cancel();
      socket.off("error", onError);
      resolve(new TlsFrames(socket, log));
    });
  });
}
