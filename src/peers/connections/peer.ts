import type { Handshake } from "../wire/handshake.ts";
import type { Message, MessageType, ReceivedMessage } from "../wire/messages.ts";
import type { Contribution } from "./credit.ts";

export interface Peer {
  /** Name in logs and reasons: `[<8 hex digits> <ip>:<port>]`. Page 04 §13.2. */
  readonly label: string;
  /** IP address in canonical form. */
  readonly host: string;
  readonly port: number;
  readonly inbound: boolean;
  readonly handshake: Handshake;
  /** Monotonic, ms. */
  readonly since: number;
  readonly bytesReceived: number;
  readonly bytesSent: number;
  readonly isClosed: boolean;
  readonly pendingBytes: number;
  /**
   * Closes the connection if too much is queued; does nothing on a closed one.
   * @throws RangeError if no peer would accept the message (page 04 §26, rule 8)
   */
  send(message: Message): void;
  /** Resolves when few bytes are queued or the connection has ended. */
  drained(): Promise<void>;
  credit(contribution: Contribution, count?: number): void;
  close(reason: string): void;
  /** Disconnects, and does not dial the peer's addresses for a while. */
  suspend(reason: string): void;
  /** Bans the peer's origin for a while and disconnects. @param reason for the blacklist: page 04 §21 */
  blacklist(reason: string): void;
}

/** Reading from the peer pauses until the promise resolves. */
export type MessageHandler<T extends MessageType> = (
  peer: Peer,
  message: ReceivedMessage<T>,
) => Promise<void> | void;

export interface PeerNetwork {
  readonly peers: Iterable<Peer>;
  readonly count: number;
  /** Messages without a handler are dropped. */
  on<T extends MessageType>(type: T, handler: MessageHandler<T>): void;
  /** Called after a peer's handshake and before its first message. */
  onConnected(listener: (peer: Peer) => void): void;
  onClosed(listener: (peer: Peer) => void): void;
  broadcast(message: Message, except?: ReadonlySet<Peer>): void;
}
