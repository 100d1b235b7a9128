import { concatBytes } from "../../bytes/compare.ts";
import type { Clock, Connection, Log } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import { DRAINED_PENDING, MAX_WRITE_LENGTH, WRITE_TIMEOUT_MS } from "./limits.ts";

export class ByteTotal {
  bytes = 0;
}

interface OutboxDependencies {
  readonly clock: Clock;
  readonly connection: Connection;
  readonly pendingTotal: ByteTotal;
  /** Called if the peer reads nothing for `WRITE_TIMEOUT_MS`. */
  readonly onStuck: () => void;
  readonly log: Log;
  readonly onFault: () => void;
}

export class Outbox {
  readonly #dependencies: OutboxDependencies;
  readonly #frames: Uint8Array[] = [];
  #offset = 0;
  #pendingBytes = 0;
  #isSending = false;
  #isClosed = false;
  #drainListeners: (() => void)[] = [];

  constructor(dependencies: OutboxDependencies) {
    this.#dependencies = dependencies;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get frameCount(): number {
    return this.#frames.length;
  }

  /** @param frame must not change until it is sent */
  push(frame: Uint8Array): void {
    if (this.#isClosed) return;
    this.#frames.push(frame);
    this.#addPending(frame.length);
    if (this.#isSending) return;
    const { log, onFault: onFailure } = this.#dependencies;
    contain({ log, message: "Cannot send to a peer", onFailure }, () => this.#send());
  }

  /** Resolves when at most `DRAINED_PENDING` bytes are pending, or the outbox is closed. */
  drained(): Promise<void> {
    if (this.#isClosed || this.#pendingBytes <= DRAINED_PENDING) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drainListeners.push(resolve);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#frames.length = 0;
    this.#addPending(-this.#pendingBytes);
    this.#wake();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#frames.length > 0) {
      const piece = this.#nextPiece();
      if (!(await this.#write(piece)) || this.#isClosed) return;
      this.#addPending(-piece.length);
      if (this.#pendingBytes <= DRAINED_PENDING) this.#wake();
    }
    this.#isSending = false;
  }

  #nextPiece(): Uint8Array {
    const [first] = this.#frames;
    const head = first.subarray(this.#offset, this.#offset + MAX_WRITE_LENGTH);
    if (this.#offset + head.length < first.length) {
      this.#offset += head.length;
      return head;
    }
    this.#offset = 0;
    let count = 1;
    let length = head.length;
    while (count < this.#frames.length && length + this.#frames[count].length <= MAX_WRITE_LENGTH)
      length += this.#frames[count++].length;
    const [, ...others] = this.#frames.splice(0, count);
    return others.length === 0 ? head : concatBytes(head, ...others);
  }

  async #write(piece: Uint8Array): Promise<boolean> {
    const { clock, connection, onStuck } = this.#dependencies;
    const cancel = clock.after(WRITE_TIMEOUT_MS, onStuck);
    try {
      await connection.write(piece);
      return true;
    } catch {
      return false;
    } finally {
      cancel();
    }
  }

  #addPending(bytes: number): void {
    this.#pendingBytes += bytes;
    this.#dependencies.pendingTotal.bytes += bytes;
  }

  #wake(): void {
    for (const resolve of this.#drainListeners.splice(0)) resolve();
  }
}
