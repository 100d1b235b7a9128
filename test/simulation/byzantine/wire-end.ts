/** A connection of a program that speaks the protocol's wire format, and otherwise does what it likes. */
import type { Clock, Connection } from "../../../src/interfaces.ts";
import { ConnectionDecoder } from "../../../src/peers/wire/connection-decoder.ts";
import { encodeFrame } from "../../../src/peers/wire/frame.ts";
import { encodeHandshake, type Handshake } from "../../../src/peers/wire/handshake.ts";
import type { Message, ReceivedMessage } from "../../../src/peers/wire/messages.ts";

export interface WireEndOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** What it says of itself. */
  readonly handshake: Handshake;
  /** Whether it dialled: then it speaks first. */
  readonly dialled: boolean;
  /** Told when both have said who they are, and of all that comes behind. */
  readonly connected: (end: WireEnd) => void;
  readonly received: (end: WireEnd, message: ReceivedMessage) => void;
  readonly closed: (end: WireEnd) => void;
}

const REMEMBER_MS = 60_000;

export class WireEnd {
  readonly #connection: Connection;
  isOpen = true;

  constructor(options: WireEndOptions) {
    const { connection, clock, handshake, dialled } = options;
    const decoder = new ConnectionDecoder(clock, REMEMBER_MS);
    const greet = (): void => this.sendBytes(encodeHandshake(handshake));
    this.#connection = connection;
    connection.onClose(() => {
      this.isOpen = false;
      options.closed(this);
    });
    connection.onData((bytes) => {
      for (const message of decoder.decode(bytes)) {
        if (message.type !== "Handshake") options.received(this, message);
        else {
          if (!dialled) greet();
          options.connected(this);
        }
      }
    });
    if (dialled) greet();
  }

  /** IP address of the other side. */
  get host(): string {
    return this.#connection.host;
  }

  send(message: Message): void {
    this.sendBytes(encodeFrame(message));
  }

  /** Sends whatever it is. */
  sendBytes(bytes: Uint8Array): void {
    if (!this.isOpen) return;
    // It does not care whether that arrives.
    this.#connection.write(bytes).catch(() => {});
  }

  close(): void {
    this.#connection.close();
  }
}
