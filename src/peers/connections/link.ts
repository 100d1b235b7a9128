import type { Cancel, Clock, Connection, Log } from "../../interfaces.ts";
import type { PeerCounters } from "../metrics.ts";
import type { ConnectionOptions } from "../options.ts";
import { ConnectionDecoder } from "../wire/connection-decoder.ts";
import type { Handshake } from "../wire/handshake.ts";
import type { Message, ReceivedMessage } from "../wire/messages.ts";
import { type Penalty, WireError } from "../wire/wire-error.ts";
import { FRAME_TIMEOUT_MS, INBOUND_HANDSHAKE_TIMEOUT_MS, MAX_PENDING, MAX_PENDING_FRAMES } from "./limits.ts";
import { MessageRateLimiter } from "./message-rate-limiter.ts";
import { type ByteTotal, Outbox } from "./outbox.ts";

export interface LinkOwner {
  /** Called once, before `onMessage`. May end the connection. */
  onHandshake(link: Link, handshake: Handshake): void;
  /** Reading pauses until the promise resolves. The promise must not reject. */
  onMessage(link: Link, message: ReceivedMessage): Promise<void> | void;
  onEnded(link: Link, reason: string, penalty: Penalty): void;
  /** Called after bytes were queued, or kept for an incomplete frame. */
  onGrown(): void;
}

interface LinkDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly connection: Connection;
  readonly label: string;
  readonly inbound: boolean;
  readonly options: Pick<
    ConnectionOptions,
    "handshakeTimeoutMs" | "idleTimeoutMs" | "rememberTransactionsMs"
  >;
  readonly owner: LinkOwner;
  /** Incomplete frames of all links. */
  readonly heldTotal: ByteTotal;
  /** Queued frames of all links. */
  readonly pendingTotal: ByteTotal;
  readonly counters: PeerCounters;
}

/** A connection with its timeouts and rate limits. */
export class Link {
  readonly host: string;
  readonly port: number;
  readonly inbound: boolean;
  readonly label: string;
  /** Monotonic start, ms. */
  readonly since: number;
  /** Monotonic arrival of the frame's first byte, ms. */
  #frameSince: number | undefined;
  #lastMessageAt: number;
  readonly #dependencies: LinkDependencies;
  readonly #decoder: ConnectionDecoder;
  readonly #rateLimiter: MessageRateLimiter;
  readonly #outbox: Outbox;
  #heldBytes = 0;
  #hasEnded = false;
  #isBusy = false;
  #cancelHandshake: Cancel | undefined;
  #cancelIdle: Cancel | undefined;
  #cancelFrame: Cancel | undefined;
  #cancelPause: Cancel | undefined;

  constructor(dependencies: LinkDependencies) {
    const { clock, connection, label, inbound, options, pendingTotal } = dependencies;
    this.#dependencies = dependencies;
    this.host = connection.host;
    this.port = connection.port;
    this.inbound = inbound;
    this.label = label;
    this.since = clock.monotonic();
    this.#lastMessageAt = this.since;
    this.#decoder = new ConnectionDecoder(
      clock,
      options.rememberTransactionsMs,
      dependencies.counters.received,
    );
    this.#rateLimiter = new MessageRateLimiter(clock);
    this.#outbox = new Outbox({
      clock,
      connection,
      pendingTotal,
      onStuck: () => this.end("The peer does not read what is sent", "close"),
      log: dependencies.log,
      onFault: () => this.end("This node failed to send to the peer", "close"),
    });
  }

  start(): void {
    const { clock, connection, options } = this.#dependencies;
    const { handshakeTimeoutMs } = options;
    const timeoutMs = this.inbound
      ? Math.min(handshakeTimeoutMs, INBOUND_HANDSHAKE_TIMEOUT_MS)
      : handshakeTimeoutMs;
    this.#cancelHandshake = clock.after(timeoutMs, () =>
      // A partial handshake breaks the protocol, unlike silence.
      this.end(
        "Timeout expired while waiting for handshake",
        this.bytesReceived > 0 ? "blacklist" : "suspend",
      ),
    );
    this.#watchSilence(options.idleTimeoutMs);
    connection.onClose(() => this.end("The peer closed the connection", "close"));
    if (!this.#hasEnded) connection.onData((bytes) => this.#read(bytes));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get bytesReceived(): number {
    return this.#dependencies.connection.received;
  }

  get bytesSent(): number {
    return this.#dependencies.connection.sent;
  }

  get pendingBytes(): number {
    return this.#outbox.pendingBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  send(frame: Uint8Array, message?: Message): void {
    if (this.#hasEnded) return;
    if (message !== undefined) this.#rateLimiter.expectResponse(message);
    this.#outbox.push(frame);
    if (this.#outbox.pendingBytes > MAX_PENDING || this.#outbox.frameCount > MAX_PENDING_FRAMES)
      this.end("The peer reads too slowly", "close");
    else this.#dependencies.owner.onGrown();
  }

  drained(): Promise<void> {
    return this.#outbox.drained();
  }

  end(reason: string, penalty: Penalty): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#cancelHandshake?.();
    this.#cancelIdle?.();
    this.#cancelFrame?.();
    this.#cancelPause?.();
    this.#outbox.close();
    this.#setHeldBytes(0);
    this.#dependencies.connection.close();
    this.#dependencies.owner.onEnded(this, reason, penalty);
  }

  async #read(bytes: Uint8Array): Promise<void> {
    if (this.#hasEnded) return;
    this.#isBusy = true;
    this.#cancelFrame?.();
    this.#rateLimiter.chargeBytes(bytes.length);
    const before = this.#decoder.messageCount;
    try {
      for (const received of this.#decoder.decode(bytes)) {
        this.#lastMessageAt = this.#dependencies.clock.monotonic();
        if (received.type === "Handshake") {
          this.#cancelHandshake?.();
          this.#dependencies.owner.onHandshake(this, received.handshake);
        } else await this.#handle(received);
        if (this.#hasEnded) return;
      }
    } catch (error) {
      if (error instanceof WireError) this.end(error.message, error.penalty);
      else {
        this.#dependencies.log.error("Cannot decode the data of a peer", { peer: this.label, error });
        this.end("This node failed to decode the data of the peer", "close");
      }
      return;
    }
    this.#watchFrame(bytes.length);
    this.#rateLimiter.chargeMessages(this.#decoder.messageCount - before);
    await this.#pause(this.#rateLimiter.pauseMs);
    this.#isBusy = false;
  }

  async #handle(message: ReceivedMessage): Promise<void> {
    const waitMs = this.#rateLimiter.admit(message);
    if (waitMs === undefined) {
      this.#dependencies.counters.dropped();
      this.#dependencies.log.debug("Message dropped: over the rate limit", {
        peer: this.label,
        type: message.type,
      });
      return;
    }
    await this.#pause(waitMs);
    if (this.#hasEnded) return;
    const handled = this.#dependencies.owner.onMessage(this, message);
    if (handled !== undefined) await handled;
    this.#lastMessageAt = this.#dependencies.clock.monotonic();
  }

  #pause(ms: number): Promise<void> | undefined {
    if (ms <= 0 || this.#hasEnded) return undefined;
    return new Promise((resolve) => {
      const cancel = this.#dependencies.clock.after(ms, resolve);
      this.#cancelPause = () => {
        cancel();
        resolve();
      };
    });
  }

  /**
   * Closes the connection if the peer sends no whole message for `idleTimeoutMs`, even if it sends bytes. Page 04 §4.4.
   */
  #watchSilence(delayMs: number): void {
    const { clock, options } = this.#dependencies;
    this.#cancelIdle = clock.after(delayMs, () => {
      const silentMs = this.#isBusy ? 0 : clock.monotonic() - this.#lastMessageAt;
      if (silentMs >= options.idleTimeoutMs) this.end("Idle timeout", "close");
      else this.#watchSilence(options.idleTimeoutMs - silentMs);
    });
  }

  #watchFrame(length: number): void {
    const { clock } = this.#dependencies;
    const before = this.#heldBytes;
    this.#setHeldBytes(this.#decoder.heldBytes);
    if (this.#heldBytes === 0) {
      this.#frameSince = undefined;
      return;
    }
    // If the bytes completed a frame, the incomplete frame is a new one.
    const isSame = this.#frameSince !== undefined && this.#heldBytes === before + length;
    const now = clock.monotonic();
    const since = isSame ? (this.#frameSince ?? now) : now;
    this.#frameSince = since;
    this.#cancelFrame = clock.after(Math.max(0, since + FRAME_TIMEOUT_MS - now), () =>
      this.end("Timeout of an incomplete message", "close"),
    );
    this.#dependencies.owner.onGrown();
  }

  #setHeldBytes(bytes: number): void {
    this.#dependencies.heldTotal.bytes += bytes - this.#heldBytes;
    this.#heldBytes = bytes;
  }
}
