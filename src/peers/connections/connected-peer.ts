import { canonicalHost } from "../../bytes/ip.ts";
import type { Clock } from "../../interfaces.ts";
import { encodeFrame } from "../wire/frame.ts";
import type { Handshake } from "../wire/handshake.ts";
import type { Message } from "../wire/messages.ts";
import { type Contribution, Credit } from "./credit.ts";
import type { Link } from "./link.ts";
import type { Peer } from "./peer.ts";

export class ConnectedPeer implements Peer {
  readonly label: string;
  readonly host: string;
  readonly port: number;
  readonly inbound: boolean;
  readonly handshake: Handshake;
  readonly earnedCredit: Credit;
  readonly #link: Link;
  readonly #onSend: (peer: ConnectedPeer, message: Message, length: number) => void;

  constructor(
    link: Link,
    handshake: Handshake,
    clock: Clock,
    onSend: (peer: ConnectedPeer, message: Message, length: number) => void,
  ) {
    this.label = link.label;
    this.host = canonicalHost(link.host);
    this.port = link.port;
    this.inbound = link.inbound;
    this.handshake = handshake;
    this.earnedCredit = new Credit(clock);
    this.#link = link;
    this.#onSend = onSend;
  }

  get since(): number {
    return this.#link.since;
  }

  get bytesReceived(): number {
    return this.#link.bytesReceived;
  }

  get bytesSent(): number {
    return this.#link.bytesSent;
  }

  get isClosed(): boolean {
    return this.#link.hasEnded;
  }

  get pendingBytes(): number {
    return this.#link.pendingBytes;
  }

  send(message: Message): void {
    this.sendFrame(encodeFrame(message), message);
  }

  sendFrame(frame: Uint8Array, message: Message): void {
    if (this.isClosed) return;
    this.#onSend(this, message, frame.length);
    this.#link.send(frame, message);
  }

  drained(): Promise<void> {
    return this.#link.drained();
  }

  credit(contribution: Contribution, count = 1): void {
    this.earnedCredit.add(contribution, count);
  }

  close(reason: string): void {
    this.#link.end(reason, "close");
  }

  suspend(reason: string): void {
    this.#link.end(reason, "suspend");
  }

  blacklist(reason: string): void {
    this.#link.end(reason, "blacklist");
  }
}
