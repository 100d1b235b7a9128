/** A connection of a program that speaks the wire format but is free to break the protocol. */
import type { Clock, Connection } from "../../../src/interfaces.ts";
import { ConnectionDecoder } from "../../../src/peers/wire/connection-decoder.ts";
import { encodeFrame } from "../../../src/peers/wire/frame.ts";
import { encodeHandshake, type Handshake } from "../../../src/peers/wire/handshake.ts";
import type { Message, ReceivedMessage } from "../../../src/peers/wire/messages.ts";

export interface WireEndOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** Its handshake. */
  readonly handshake: Handshake;
  /** Whether it dialled. The dialling side sends the first handshake. */
  readonly dialled: boolean;
  /** Called after both handshakes, and with every later message. */
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

  /** Sends arbitrary bytes. */
  sendBytes(bytes: Uint8Array): void {
    if (!this.isOpen) return;
    // Ignore write errors.
    this.#connection.write(bytes).catch(() => {});
  }

  close(): void {
    this.#connection.close();
  }
}
