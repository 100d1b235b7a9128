/** Counts bytes of answers that clients have not read yet, which stay in memory. Ends connections that read nothing. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Cancel, Clock } from "../../interfaces.ts";

interface BackpressureLimits {
  /** Maximum unread bytes; above it, the worst connections are ended (`dropWorst`). */
  readonly total: number;
  /** Connections that read nothing for this long are ended, ms. */
  readonly stallMs: number;
}

const DEFAULT_LIMITS: BackpressureLimits = {
  total: 160 * 2 ** 20,
  stallMs: 30_000,
};

/** A client must read one chunk within `stallMs`. */
export const CHUNK_BYTES = 64 * 1024;

interface PendingBytes {
  bytes: number;
  answers: number;
  /** Bytes read so far, and when that last increased, ms. */
  taken: number;
  since: number;
}

/** Bytes that the system has accepted from a socket. */
function takenFrom(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

/** Streams parts in chunks that the socket pulls when it has room. Sent parts are released. */
export function chunkStream(parts: readonly Uint8Array[]): Readable {
  const left = [...parts];
  let at = 0;
  // A generator would cost several times as much.
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      const [part] = left;
      if (part === undefined) {
        this.push(null);
        return;
      }
      const piece = part.subarray(at, at + CHUNK_BYTES);
      at += CHUNK_BYTES;
      if (at >= part.length) {
        left.shift();
        at = 0;
      }
      this.push(piece);
    },
  });
}

export class ResponseBackpressure {
  readonly #clock: Clock;
  readonly #limits: BackpressureLimits;
  readonly #connections = new Map<Socket, PendingBytes>();
  #bytes = 0;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, limits: BackpressureLimits = DEFAULT_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that fit before connections are ended. */
  get freeBytes(): number {
    return this.#limits.total - this.#bytes;
  }

  /** Counts an answer until it is read or its connection closes. May end connections. */
  track(response: ServerResponse<IncomingMessage>, bytes: number): void {
    const { socket } = response.req;
    if (socket.destroyed) return;
    const held = this.#connections.get(socket) ?? this.#enter(socket);
    this.#begin(socket, held);
    held.bytes += bytes;
    this.#bytes += bytes;
    response.once("close", () => {
      if (!this.#connections.has(socket)) return;
      held.bytes -= bytes;
      held.answers--;
      this.#bytes -= bytes;
    });
    this.#enforceLimits();
  }

  /** Returns a function to call with a stream's number of unread bytes. */
  trackStream(response: ServerResponse<IncomingMessage>): (waiting: number) => void {
    const { socket } = response.req;
    let counted = 0;
    return (waiting) => {
      if (socket.destroyed || waiting === counted) return;
      const held = this.#connections.get(socket) ?? this.#enter(socket);
      if (counted === 0) this.#begin(socket, held);
      if (waiting === 0) held.answers--;
      held.bytes += waiting - counted;
      this.#bytes += waiting - counted;
      counted = waiting;
      this.#enforceLimits();
    };
  }

  /** Tracks a connection until it closes. */
  #enter(socket: Socket): PendingBytes {
    const held: PendingBytes = { bytes: 0, answers: 0, taken: 0, since: 0 };
    this.#connections.set(socket, held);
    socket.once("close", () => {
      this.#connections.delete(socket);
      this.#bytes -= held.bytes;
    });
    return held;
  }

  #begin(socket: Socket, held: PendingBytes): void {
    if (held.answers++ > 0) return;
    held.taken = takenFrom(socket);
    held.since = this.#clock.monotonic();
  }

  #enforceLimits(): void {
    if (this.#bytes > this.#limits.total) this.#dropExcess();
    this.#cancel ??= this.#clock.after(this.#limits.stallMs / 4, () => this.#endStalled());
  }

  /** Ends the connection with the greatest product of unread bytes and time without progress. */
  dropWorst(): void {
    const now = this.#clock.monotonic();
    let worst: Socket | undefined;
    let burden = -1;
    for (const [socket, held] of this.#connections) {
      if (socket.destroyed || held.answers === 0) continue;
      this.#noteProgress(socket, held, now);
      const own = held.bytes * (1 + now - held.since);
      if (own <= burden) continue;
      worst = socket;
      burden = own;
    }
    worst?.destroy();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Ignores destroyed connections, which release their bytes later. */
  #dropExcess(): void {
    const living = (): number => {
      let bytes = 0;
      for (const [socket, held] of this.#connections) if (!socket.destroyed) bytes += held.bytes;
      return bytes;
    };
    for (let bytes = living(); bytes > this.#limits.total; bytes = living()) this.dropWorst();
  }

  #noteProgress(socket: Socket, held: PendingBytes, now: number): void {
    const taken = takenFrom(socket);
    if (taken === held.taken) return;
    held.taken = taken;
    held.since = now;
  }

  #endStalled(): void {
    this.#cancel = undefined;
    const now = this.#clock.monotonic();
    for (const [socket, held] of this.#connections) {
      if (held.answers === 0) continue;
      this.#noteProgress(socket, held, now);
      if (now - held.since >= this.#limits.stallMs) socket.destroy();
    }
    this.#cancel =
      this.#connections.size === 0
        ? undefined
        : this.#clock.after(this.#limits.stallMs / 4, () => this.#endStalled());
  }
}
