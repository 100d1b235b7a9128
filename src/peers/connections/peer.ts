/**
 * What the parts that talk to peers know of connections: who is there, what they say, and how to answer. Which of them
 * are let in, and how bytes become messages, is the affair of this room alone. Page 04 §9.
 */
import type { Handshake } from "../wire/handshake.ts";
import type { Message, MessageType, ReceivedMessage } from "../wire/messages.ts";
import type { Contribution } from "./credit.ts";

/** Another node at the end of a connection, after both handshakes. */
export interface Peer {
  /** Tells connections apart in the log and in reasons: `[<8 hex digits> <ip>:<port>]`. Page 04 §13.2. */
  readonly label: string;
  /** IP address in its canonical form, and the port that it talks from. */
  readonly host: string;
  readonly port: number;
  /** Whether it was the other side that dialled. */
  readonly inbound: boolean;
  readonly handshake: Handshake;
  /** When the connection began, by the clock that nobody sets, ms. */
  readonly since: number;
  /** Bytes that came and that went so far. */
  readonly bytesReceived: number;
  readonly bytesSent: number;
  /** Whether the connection has ended, or is about to. */
  readonly isClosed: boolean;
  /** Bytes that wait to be sent to it: who serves much waits until they are few. */
  readonly pendingBytes: number;
  /**
   * Sends a message behind those that wait. A connection on which too much waits is closed; on a closed one nothing
   * happens.
   * @throws RangeError when no peer would take the message (page 04 §26, rule 8)
   */
  send(message: Message): void;
  /** Resolves when little waits to be sent, or when the connection has ended. */
  drained(): Promise<void>;
  /** Credits the peer for something that came to our chain. @param count number of contributions, 1 by default */
  credit(what: Contribution, count?: number): void;
  /** Ends the connection, without a penalty. @param reason for the log */
  close(reason: string): void;
  /** Ends the connection to a silent peer, and does not dial its address and port for a while. @param reason for the log */
  suspend(reason: string): void;
  /** Bans the peer's origin for a while, and ends the connection. @param reason as the blacklist shows it: page 04 §21 */
  blacklist(reason: string): void;
}

/**
 * Takes a message of a peer. The messages of one kind of one peer come one at a time, in the order of the wire: while a
 * promise given back is open, nothing more is read from that peer. So a taker that waits slows that peer down, and no
 * other; one that only starts something gives back nothing. What it throws ends nothing but this message: the log has it.
 */
export type MessageHandler<T extends MessageType> = (
  peer: Peer,
  message: ReceivedMessage<T>,
) => Promise<void> | void;

/** The connected peers. */
export interface PeerNetwork {
  /** All connected peers, in the order in which they came. */
  readonly peers: Iterable<Peer>;
  readonly count: number;
  /** Says who takes the messages of a kind: one taker for each. Kinds without one are passed over. */
  on<T extends MessageType>(type: T, handler: MessageHandler<T>): void;
  /** Calls `listener` for each peer, once its handshake was accepted and before the first message of its. */
  onConnected(listener: (peer: Peer) => void): void;
  /** Calls `listener` once for each connected peer whose connection has ended. */
  onClosed(listener: (peer: Peer) => void): void;
  /** Sends a message to all connected peers, but for those. It is encoded once. */
  broadcast(message: Message, except?: ReadonlySet<Peer>): void;
}
