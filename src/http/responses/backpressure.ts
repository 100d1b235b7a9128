/**
 * Answers on their way: what is printed and not yet taken by the client's machine lies in this process, and a client
 * need not read. So it is counted, for each connection and for all, and connections that take nothing are ended.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Cancel, Clock } from "../../interfaces.ts";

/** How much may wait to be taken. */
interface BackpressureLimits {
  /** Bytes on all connections. Above it those end that hold most for longest. */
  readonly total: number;
  /** A connection of which nothing was taken for so long is ended, ms. */
  readonly stallMs: number;
}

const DEFAULT_LIMITS: BackpressureLimits = {
  total: 160 * 2 ** 20,
  stallMs: 30_000,
};

/** Longest piece that is handed to a socket at once: what a client must take within `stallMs`. */
export const CHUNK_BYTES = 64 * 1024;

interface PendingBytes {
  bytes: number;
  answers: number;
  /** Bytes taken so far, and when that was last seen to grow, ms. */
  taken: number;
  since: number;
}

/** Bytes that the system has taken from a socket. */
function takenFrom(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

/** Long bytes as a stream of pieces: a socket asks for the next one when it has room. What it took is forgotten. */
export function chunkStream(parts: readonly Uint8Array[]): Readable {
  const left = [...parts];
  let at = 0;
  // Not made from a generator, which costs several times as much.
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

  /** Bytes of all answers that wait to be taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that may still come to wait before connections are ended for it. */
  get freeBytes(): number {
    return this.#limits.total - this.#bytes;
  }

  /** Counts an answer of so many bytes until it is taken or its connection has ended; may end connections. */
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

  /** The same for an answer that is written bit by bit, as long as anyone likes: to be told what of it waits now. */
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

  /** A connection counts until it is closed. */
  #enter(socket: Socket): PendingBytes {
    const held: PendingBytes = { bytes: 0, answers: 0, taken: 0, since: 0 };
    this.#connections.set(socket, held);
    socket.once("close", () => {
      this.#connections.delete(socket);
      this.#bytes -= held.bytes;
    });
    return held;
  }

  /** An answer of this connection waits from now on. */
  #begin(socket: Socket, held: PendingBytes): void {
    if (held.answers++ > 0) return;
    held.taken = takenFrom(socket);
    held.since = this.#clock.monotonic();
  }

  /** Holds all to the limits, now and later. */
  #enforceLimits(): void {
    if (this.#bytes > this.#limits.total) this.#dropExcess();
    this.#cancel ??= this.#clock.after(this.#limits.stallMs / 4, () => this.#endStalled());
  }

  /** Ends the connection that is the greatest burden: that holds most, and has taken nothing for longest. */
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

  /** An ended connection gives back what it held a little later: only those that stand are counted here. */
  #dropExcess(): void {
    const living = (): number => {
      let bytes = 0;
      for (const [socket, held] of this.#connections) if (!socket.destroyed) bytes += held.bytes;
      return bytes;
    };
    for (let bytes = living(); bytes > this.#limits.total; bytes = living()) this.dropWorst();
  }

  /** Notes whether anything was taken since the last look. */
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
