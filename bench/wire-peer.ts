/** A bare peer connection, and nodes of the development network that it connects to. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ConnectionDecoder, type Received } from "../src/peers/wire/connection-decoder.ts";
import { encodeFrame } from "../src/peers/wire/frame.ts";
import { encodeHandshake } from "../src/peers/wire/handshake.ts";
import type { Message } from "../src/peers/wire/messages.ts";
import { systemClock } from "../src/runtime/system.ts";
import { type Served, serve } from "./support.ts";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
let nonces = 1n;

/** Connects to a node, performs the handshake, and reports each message when it arrives. */
export class WirePeer {
  private constructor(private readonly socket: Socket) {}

  /** @param localAddress source address on this machine */
  static async to(
    port: number,
    hear: (message: Received) => void = () => {},
    localAddress = "127.0.0.1",
  ): Promise<WirePeer> {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    socket.setNoDelay(true);
    await once(socket, "connect");
    // A node that closes a connection may reset it.
    socket.on("error", () => {});
    const decoder = new ConnectionDecoder(systemClock, 0);
    const greeted = new Promise<void>((resolve, reject) => {
      socket.once("close", () => reject(new Error("The node closed the connection")));
      socket.on("data", (bytes) => {
        for (const message of decoder.decode(bytes)) {
          if (message.type === "Handshake") resolve();
          hear(message);
        }
      });
    });
    greeted.catch(() => {});
    socket.write(
      encodeHandshake({
        applicationName: "ltoZ",
        version: { major: 1, minor: 8, patch: 0 },
        nodeName: "bench",
        nonce: nonces++,
        declaredAddress: undefined,
        time: BigInt(Date.now()),
      }),
    );
    await greeted;
    return new WirePeer(socket);
  }

  get isClosed(): boolean {
    return this.socket.closed;
  }

  /** Resolves when there is room for more, or when the connection has ended. */
  async say(...messages: Message[]): Promise<void> {
    if (this.socket.write(Buffer.concat(messages.map(encodeFrame)))) return;
    const told = new AbortController();
    const { signal } = told;
    await Promise.race([once(this.socket, "drain", { signal }), once(this.socket, "close", { signal })]);
    told.abort();
  }

  /** Sends bytes that need not be a valid message. */
  sayBytes(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  close(): void {
    this.socket.destroy();
  }
}

export interface BenchNode extends Served {
  readonly p2pPort: number;
  stop(): Promise<void>;
}

/** Starts a node of the development network that accepts connections. */
export async function startNode(home: string, ...args: string[]): Promise<BenchNode> {
  let output = "";
  const served = await serve(
    [
      cli,
      "start",
      ...["--data-dir", home, "--api-port", "0", "--p2p-port", "0", "--no-peers-exchange"],
      ...["--max-single-host-connections", "200", "--max-inbound-connections", "200"],
      ...args,
    ],
    (chunk) => {
      output += chunk;
    },
  );
  const port = (): string | undefined => /Peers can connect at 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
  while (port() === undefined) await delay(20);
  return {
    ...served,
    p2pPort: Number(port()),
    async stop() {
      const ended = once(served.process, "exit");
      served.process.kill("SIGTERM");
      await ended;
    },
  };
}

/** Returns the answer of a route. */
export async function ask<T>({ url }: Served, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(url + path, {
    ...(body === undefined
      ? {}
      : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
