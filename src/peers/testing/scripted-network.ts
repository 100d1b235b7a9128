/** A network without connections: a test controls what peers send and reads what they receive. */

import { canonicalHost } from "../../bytes/ip.ts";
import type { Contribution } from "../connections/credit.ts";
import type { MessageHandler, Peer, PeerNetwork } from "../connections/peer.ts";
import type { Handshake } from "../wire/handshake.ts";
import { messageDefinitions } from "../wire/message-definitions.ts";
import type { Message, MessageType, ReceivedMessage } from "../wire/messages.ts";

/** How this node ended the connection. */
export type Parting = { readonly kind: "closed" | "suspended" | "blacklisted"; readonly reason: string };

export class ScriptedPeer implements Peer {
  readonly sent: Message[] = [];
  readonly credits: Contribution[] = [];
  parting: Parting | undefined;
  isClosed = false;
  pendingBytes = 0;
  readonly since = 0;
  readonly bytesReceived = 0;
  readonly bytesSent = 0;
  readonly inbound = true;
  readonly #network: ScriptedNetwork;

  constructor(
    network: ScriptedNetwork,
    readonly host: string,
    readonly port: number,
    readonly handshake: Handshake,
  ) {
    this.#network = network;
  }

  get label(): string {
    return `[${this.port.toString(16).padStart(8, "0")} ${this.host}:${this.port}]`;
  }

  send(message: Message): void {
    if (!this.isClosed) this.sent.push(message);
  }

  async drained(): Promise<void> {}

  credit(what: Contribution, count = 1): void {
    for (let i = 0; i < count; i++) this.credits.push(what);
  }

  close(reason: string): void {
    this.#part({ kind: "closed", reason });
  }

  suspend(reason: string): void {
    this.#part({ kind: "suspended", reason });
  }

  blacklist(reason: string): void {
    this.#part({ kind: "blacklisted", reason });
  }

  /** Returns and removes what was sent since the last call. */
  take(): Message[] {
    return this.sent.splice(0);
  }

  /** Receives a message from the peer, encoded and decoded as on the wire. */
  async says<T extends MessageType>(message: Message<T>): Promise<void> {
    await this.#network.deliver(this, message);
  }

  /** The peer disconnects. */
  leaves(): void {
    this.#part(undefined);
  }

  #part(parting: Parting | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.parting = parting;
    this.#network.forget(this);
  }
}

export class ScriptedNetwork implements PeerNetwork {
  readonly #peers = new Set<ScriptedPeer>();
  readonly #handlers = new Map<MessageType, (peer: Peer, message: never) => Promise<void> | void>();
  readonly #connected: ((peer: Peer) => void)[] = [];
  readonly #closed: ((peer: Peer) => void)[] = [];
  #nextPort = 40_000;

  get peers(): Iterable<Peer> {
    return this.#peers;
  }

  get count(): number {
    return this.#peers.size;
  }

  on<T extends MessageType>(type: T, handler: MessageHandler<T>): void {
    this.#handlers.set(type, handler);
  }

  onConnected(listener: (peer: Peer) => void): void {
    this.#connected.push(listener);
  }

  onClosed(listener: (peer: Peer) => void): void {
    this.#closed.push(listener);
  }

  broadcast(message: Message, except: ReadonlySet<Peer> = new Set()): void {
    for (const peer of this.#peers) if (!except.has(peer)) peer.send(message);
  }

  connect(host = "203.0.113.1"): ScriptedPeer {
    const peer = new ScriptedPeer(this, canonicalHost(host), this.#nextPort++, {
      applicationName: "ltoT",
      version: { major: 1, minor: 8, patch: 0 },
      nodeName: "test",
      nonce: BigInt(this.#nextPort),
      declaredAddress: undefined,
      time: 0n,
    });
    this.#peers.add(peer);
    for (const listener of this.#connected) listener(peer);
    return peer;
  }

  async deliver<T extends MessageType>(peer: ScriptedPeer, message: Message<T>): Promise<void> {
    const definition = messageDefinitions[message.type];
    // TypeScript cannot relate a generic type to the table of definitions.
    const payload = definition.encode(message as never);
    const received = definition.decode(payload) as ReceivedMessage<T>;
    await this.#handlers.get(message.type)?.(peer, received as never);
  }

  forget(peer: ScriptedPeer): void {
    if (!this.#peers.delete(peer)) return;
    for (const listener of this.#closed) listener(peer);
  }
}
