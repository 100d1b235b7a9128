import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** Forwards TCP connections to another port, and disturbs them. */
export interface TcpProxy {
  readonly port: number;
  /** Port to which new connections are forwarded. */
  target: number;
  /** Connections that were accepted so far. */
  readonly accepted: number;
  /** While true, bytes from the server are not forwarded. */
  isStalled: boolean;
  /** Size of the pieces in which bytes arrive at the client; undefined: as they come. */
  pieceBytes: number | undefined;
  /** Time before each piece, ms. */
  pieceDelayMs: number;
  /** After this number of bytes to the client, each connection is cut off; undefined: never. */
  cutAfter: number | undefined;
  /** Destroys all connections. */
  cut(): void;
  close(): Promise<void>;
}

/** Opens a proxy on a free port of the loopback address. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isStalled = false;
  let accepted = 0;
  const server = createServer((client) => {
    accepted++;
    const upstream = connect(proxy.target, "127.0.0.1");
    let forwarded = 0;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (bytes) => upstream.write(bytes));
    const forward = async (bytes: Buffer): Promise<void> => {
      const { cutAfter, pieceBytes = bytes.length, pieceDelayMs } = proxy;
      if (pieceDelayMs > 0) upstream.pause();
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        if (pieceDelayMs > 0) await delay(pieceDelayMs);
        const left = (cutAfter ?? Number.POSITIVE_INFINITY) - forwarded;
        const piece = bytes.subarray(at, at + Math.min(pieceBytes, left));
        forwarded += piece.length;
        client.write(piece);
        if (piece.length === left) {
          client.end();
          upstream.destroy();
          return;
        }
      }
      if (client.writableLength > 64 * 1024) {
        upstream.pause();
        client.once("drain", () => {
          if (!isStalled) upstream.resume();
        });
      } else if (pieceDelayMs > 0 && !isStalled) upstream.resume();
    };
    // Others may resume the connection while pieces wait: later bytes must not overtake them.
    let forwarding = Promise.resolve();
    upstream.on("data", (bytes: Buffer) => {
      forwarding = forwarding.then(() => forward(bytes));
    });
    if (isStalled) upstream.pause();
    upstreams.add(upstream);
    upstream.on("close", () => upstreams.delete(upstream));
  });
  const upstreams = new Set<Socket>();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    get accepted() {
      return accepted;
    },
    get isStalled() {
      return isStalled;
    },
    set isStalled(value: boolean) {
      isStalled = value;
      for (const upstream of upstreams) value ? upstream.pause() : upstream.resume();
    },
    pieceBytes: undefined,
    pieceDelayMs: 0,
    cutAfter: undefined,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
