/** What waits to be sent on a connection. */
import { concatBytes } from "../../bytes/compare.ts";
import type { Clock, Connection, Log } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import { DRAINED_PENDING, MAX_WRITE_LENGTH, WRITE_TIMEOUT_MS } from "./limits.ts";

/** Bytes that several connections have somewhere, together. */
export class Gauge {
  total = 0;
}

interface OutboxDependencies {
  readonly clock: Clock;
  readonly connection: Connection;
  /** Counts what waits on all connections. */
  readonly gauge: Gauge;
  /** Told when the other side takes nothing any more. */
  readonly onStuck: () => void;
  readonly log: Log;
  /** Told when this node failed to send, for example because no memory was free. */
  readonly onFault: () => void;
}

/**
 * Sends what is put in, in order and in pieces: the next one when the system has taken the one before, so that a peer that
 * takes nothing is noticed. How much may wait is the owner's affair.
 */
export class Outbox {
  readonly #dependencies: OutboxDependencies;
  readonly #frames: Uint8Array[] = [];
  /** Where the first frame goes on. */
  #offset = 0;
  #pending = 0;
  #sending = false;
  #closed = false;
  #waiting: (() => void)[] = [];

  constructor(dependencies: OutboxDependencies) {
    this.#dependencies = dependencies;
  }

  /** Bytes that the system has not taken yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Frames that no byte was sent of, or not all. */
  get frames(): number {
    return this.#frames.length;
  }

  /** @param frame is kept until it is sent, and not changed */
  push(frame: Uint8Array): void {
    if (this.#closed) return;
    this.#frames.push(frame);
    this.#count(frame.length);
    if (this.#sending) return;
    const { log, onFault: onFailure } = this.#dependencies;
    contain({ log, message: "Nothing could be sent to a peer", onFailure }, () => this.#send());
  }

  /** Resolves when little waits, or when the connection has ended. */
  drained(): Promise<void> {
    if (this.#closed || this.#pending <= DRAINED_PENDING) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Forgets what waits. */
  close(): void {
    this.#closed = true;
    this.#frames.length = 0;
    this.#count(-this.#pending);
    this.#wake();
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#frames.length > 0) {
      const piece = this.#nextPiece();
      if (!(await this.#write(piece)) || this.#closed) return;
      this.#count(-piece.length);
      if (this.#pending <= DRAINED_PENDING) this.#wake();
    }
    this.#sending = false;
  }

  /** A part of a long frame, or as many short ones as fit. */
  #nextPiece(): Uint8Array {
    const [first] = this.#frames;
    const rest = first.subarray(this.#offset, this.#offset + MAX_WRITE_LENGTH);
    if (this.#offset + rest.length < first.length) {
      this.#offset += rest.length;
      return rest;
    }
    this.#offset = 0;
    let count = 1;
    let length = rest.length;
    while (count < this.#frames.length && length + this.#frames[count].length <= MAX_WRITE_LENGTH)
      length += this.#frames[count++].length;
    const [, ...others] = this.#frames.splice(0, count);
    return others.length === 0 ? rest : concatBytes(rest, ...others);
  }

  async #write(piece: Uint8Array): Promise<boolean> {
    const { clock, connection, onStuck } = this.#dependencies;
    const cancel = clock.after(WRITE_TIMEOUT_MS, onStuck);
    try {
      await connection.write(piece);
      return true;
    } catch {
      // Whatever the reason, the connection has ended, and that is told by itself.
      return false;
    } finally {
      cancel();
    }
  }

  #count(bytes: number): void {
    this.#pending += bytes;
    this.#dependencies.gauge.total += bytes;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
